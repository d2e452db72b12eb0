"""The client of Anthropic's messages API."""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import httpx

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.models._outer_frames import OuterFrames
from agentkit.models._transport import Timeouts
from agentkit.models._transport._settings import check_count, check_header, check_key
from agentkit.models.codecs._counts import read_count
from agentkit.models.codecs._structured import schema_of
from agentkit.models.codecs.anthropic_messages import Dialect, ResponseDecoder, encode_request
from agentkit.models.providers._http_llm import HttpLLM, Pricing
from agentkit.models.providers.pricing import cost

__all__ = ["AnthropicLLM", "claude"]

_PATH = "/v1/messages"
_COUNT_PATH = "/v1/messages/count_tokens"
_COUNTED = ("model", "messages", "system")


class AnthropicLLM(HttpLLM):
    """A model behind the messages API, under both contracts.

    It makes one request for each call and retries nothing: that is `retry()`'s business. It owns
    its connections, one pool for each event loop: close it with `aclose` or `async with`. A
    *client* that is given is used as it is and never closed.

    *version* is the API's. *default_max_tokens* is the ceiling on an answer for which none is
    asked, since the API demands one. The other settings are those of `OpenAICompatibleLLM`. What is
    beta needs its header: `extra_headers={"anthropic-beta": …}`.

    Raises:
        ClientSettingError: A setting cannot be used, as an empty *api_key*. The message never
            holds a credential.

    """

    @OuterFrames()
    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        *,
        api_key: str | None,
        base_url: str = "https://api.anthropic.com",
        default_model: str | None = None,
        version: str = "2023-06-01",
        default_max_tokens: int = 4096,
        pricing: Pricing = cost,
        client: httpx.AsyncClient | None = None,
        timeout: float | Timeouts | None = 60.0,
        extra_headers: Mapping[str, str] | None = None,
        streaming: bool = True,
        dialect: Dialect = Dialect(),  # noqa: B008 - frozen
    ) -> None:
        check_key(api_key)
        check_header(version, "version")
        check_count(default_max_tokens, "default_max_tokens")
        self._dialect = dialect
        self._default_max_tokens = default_max_tokens
        super().__init__(
            provider=dialect.provider,
            headers={
                "anthropic-version": version,
                **({} if api_key is None else {"x-api-key": api_key}),
            },
            secrets=[api_key],
            base_url=base_url,
            default_model=default_model,
            pricing=pricing,
            client=client,
            timeout=timeout,
            extra_headers=extra_headers,
            streaming=streaming,
        )

    async def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Give the input tokens of *messages* as the provider counts them; it is asked, for free.

        Raises:
            ProviderError: It refused or failed, or serves no such count.
            UnsupportedOption: The API has no place for a block.
            ValueError: There is no model.

        """
        self._check_model()
        body = self._request(messages, GenerationOptions())[1]
        counted = {name: body[name] for name in _COUNTED if name in body}
        read = partial(read_count, name="input_tokens", now=time.time())
        return await self._ask(_COUNT_PATH, counted, read)

    def _request(
        self, messages: Sequence[ChatMessage], options: GenerationOptions
    ) -> tuple[str, dict[str, Any]]:
        schema = schema_of(options.response_format)
        if schema is not None and not (schema and self._dialect.has_json_schema):
            self._tell_once("has no such JSON mode: response_format is sent as an instruction")
        body = encode_request(
            messages,
            model=self.model,
            options=options,
            dialect=self._dialect,
            sender=self._maker,
            stream=self._streaming,
            default_max_tokens=self._default_max_tokens,
        )
        return _PATH, body

    def _decoder(self, *, now: float) -> ResponseDecoder:
        return ResponseDecoder(provider=self._maker, now=now)


@OuterFrames()
def claude(
    *, api_key: str | None, model: str | None = "claude-sonnet-4-6", **settings: Any
) -> AnthropicLLM:
    """Give a client of Anthropic; *settings* are those of `AnthropicLLM`."""
    settings.setdefault("default_model", model)
    return AnthropicLLM(api_key=api_key, **settings)
