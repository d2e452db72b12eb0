"""The client of every provider that speaks the chat-completions API."""

from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.models._outer_frames import OuterFrames
from agentkit.models._transport import Timeouts
from agentkit.models._transport._settings import check_key
from agentkit.models.codecs.chat_completions import Dialect, ResponseDecoder, encode_request
from agentkit.models.providers._http_llm import HttpLLM, Pricing
from agentkit.models.providers.pricing import cost

__all__ = ["OpenAICompatibleLLM"]

_PATH = "/chat/completions"


class OpenAICompatibleLLM(HttpLLM):
    """A model behind a chat-completions endpoint, under both contracts.

    It makes one request for each call and retries nothing: that is `retry()`'s business. It owns
    its connections, one pool for each event loop: close it with `aclose` or `async with`. A
    *client* that is given is used as it is and never closed.

    *timeout* is the wait for the next bytes, or all the `Timeouts`. *pricing* prices what the
    provider does not; None means unknown, never free. With *streaming* off the whole answer is
    asked for at once, with the same result. *dialect* is what this provider does in its own way.

    Raises:
        ClientSettingError: A setting cannot be used, as an empty *api_key*. The message never
            holds a credential.

    """

    @OuterFrames()
    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        *,
        api_key: str | None,
        base_url: str,
        default_model: str | None = None,
        pricing: Pricing = cost,
        client: httpx.AsyncClient | None = None,
        timeout: float | Timeouts | None = 60.0,
        extra_headers: Mapping[str, str] | None = None,
        streaming: bool = True,
        dialect: Dialect = Dialect(),  # noqa: B008 - frozen
    ) -> None:
        check_key(api_key)
        self._dialect = dialect
        super().__init__(
            provider=dialect.provider,
            headers={} if api_key is None else {"authorization": f"Bearer {api_key}"},
            secrets=[api_key],
            base_url=base_url,
            default_model=default_model,
            pricing=pricing,
            client=client,
            timeout=timeout,
            extra_headers=extra_headers,
            streaming=streaming,
        )

    def _request(
        self, messages: Sequence[ChatMessage], options: GenerationOptions
    ) -> tuple[str, dict[str, Any]]:
        wanted = (options.response_format or {}).get("type")
        if wanted == "json_schema" and not self._dialect.has_json_schema:
            self._tell_once("has no JSON Schema mode: the schema is sent as an instruction")
        body = encode_request(
            messages,
            model=self.model,
            options=options,
            dialect=self._dialect,
            sender=self._maker,
            stream=self._streaming,
        )
        return _PATH, body

    def _decoder(self, *, now: float) -> ResponseDecoder:
        return ResponseDecoder(provider=self._maker, now=now)
