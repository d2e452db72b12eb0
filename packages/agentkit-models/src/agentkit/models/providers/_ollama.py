"""The client of Ollama's own API."""

from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.models._outer_frames import OuterFrames
from agentkit.models._transport import Timeouts
from agentkit.models._transport._settings import check_keep_alive, check_key
from agentkit.models.codecs.ollama_chat import ResponseDecoder, encode_request
from agentkit.models.providers._http_llm import HttpLLM, Pricing
from agentkit.models.providers.pricing import cost

__all__ = ["OllamaLLM", "ollama"]

_PATH = "/api/chat"


class OllamaLLM(HttpLLM):
    """A model that Ollama serves, under both contracts.

    It makes one request for each call and retries nothing: that is `retry()`'s business. It owns
    its connections, one pool for each event loop: close it with `aclose` or `async with`. A
    *client* that is given is used as it is and never closed.

    *keep_alive* is how long the model stays loaded after a call, in seconds or as `10m`. *timeout*
    is longer than other clients', since a model may have to be loaded first. The other settings are
    those of `OpenAICompatibleLLM`; a key is for Ollama's cloud only.

    Raises:
        ClientSettingError: A setting cannot be used, as an empty *api_key*. The message never
            holds a credential.

    """

    @OuterFrames()
    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        *,
        api_key: str | None = None,
        base_url: str = "http://localhost:11434",
        default_model: str | None = None,
        keep_alive: str | float | None = None,
        pricing: Pricing = cost,
        client: httpx.AsyncClient | None = None,
        timeout: float | Timeouts | None = 300.0,
        extra_headers: Mapping[str, str] | None = None,
        streaming: bool = True,
    ) -> None:
        check_key(api_key)
        check_keep_alive(keep_alive)
        self._keep_alive = keep_alive
        super().__init__(
            provider="ollama",
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
        body = encode_request(
            messages,
            model=self.model,
            options=options,
            sender=self._maker,
            stream=self._streaming,
            keep_alive=self._keep_alive,
        )
        return _PATH, body

    def _decoder(self, *, now: float) -> ResponseDecoder:
        return ResponseDecoder(provider=self._maker, now=now)


@OuterFrames()
def ollama(*, model: str | None = None, **settings: Any) -> OllamaLLM:
    """Give a client of the Ollama on this machine; *settings* are those of `OllamaLLM`."""
    settings.setdefault("default_model", model)
    return OllamaLLM(**settings)
