"""The client of Google's models, at Google AI or at Vertex AI."""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

import httpx

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.models._outer_frames import OuterFrames
from agentkit.models._transport import Timeouts
from agentkit.models._transport._settings import check_key
from agentkit.models.codecs._counts import read_count
from agentkit.models.codecs.gemini import (
    ResponseDecoder,
    encode_count,
    encode_request,
    needs_schema_in_words,
)
from agentkit.models.errors import ClientSettingError
from agentkit.models.providers._http_llm import HttpLLM, Pricing
from agentkit.models.providers.pricing import cost

__all__ = ["GEMINI_URL", "GeminiLLM", "gemini", "model_path"]

GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta"
"""Where Google AI is."""


class GeminiLLM(HttpLLM):
    """A model behind `generateContent`, under both contracts.

    *base_url* is what comes before `/models`; for Vertex AI it names the project, the location and
    the publisher, *api_key* is None and *extra_headers* hold the `authorization`. All the rest is
    as in `OpenAICompatibleLLM`.

    The key goes into a header and never into a URL. Models before the third cannot be held to a
    schema while they have tools: there the schema is sent as an instruction, and a warning says so
    once.

    Raises:
        ClientSettingError: A setting cannot be used, as an empty *api_key*. The message never
            holds a credential.

    """

    @OuterFrames()
    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        *,
        api_key: str | None,
        base_url: str = GEMINI_URL,
        default_model: str | None = None,
        pricing: Pricing = cost,
        client: httpx.AsyncClient | None = None,
        timeout: float | Timeouts | None = 60.0,
        extra_headers: Mapping[str, str] | None = None,
        streaming: bool = True,
        provider: str = "gemini",
    ) -> None:
        check_key(api_key)
        super().__init__(
            provider=provider,
            headers={} if api_key is None else {"x-goog-api-key": api_key},
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
        """Give how many tokens the provider counts in *messages*; see `LLMClient.count_tokens`."""
        body = encode_count(messages, model=self.model, sender=self._maker)
        read = partial(read_count, name="totalTokens", default=0, now=time.time())
        return await self._ask(f"{model_path(self.model)}:countTokens", body, read)

    def _request(
        self, messages: Sequence[ChatMessage], options: GenerationOptions
    ) -> tuple[str, dict[str, Any]]:
        if needs_schema_in_words(self.model, options):
            self._tell_once(f"{self.model} has no JSON mode beside tools: it is asked for in words")
        body = encode_request(messages, model=self.model, options=options, sender=self._maker)
        way = ":streamGenerateContent?alt=sse" if self._streaming else ":generateContent"
        return model_path(self.model) + way, body

    def _decoder(self, *, now: float) -> ResponseDecoder:
        return ResponseDecoder(provider=self._maker, now=now)


@OuterFrames()
def gemini(
    *,
    api_key: str | None,
    model: str | None = None,
    base_url: str = GEMINI_URL,
    **settings: Any,
) -> GeminiLLM:
    """Give a client of Google AI; *settings* are those of `GeminiLLM`."""
    settings.setdefault("default_model", model)
    return GeminiLLM(api_key=api_key, base_url=base_url, **settings)


def model_path(model: str) -> str:
    """Give the path of *model*: a name, as gateways write it or not, or a resource's name.

    Raises:
        ClientSettingError: There is no name, or it would lead somewhere else.

    """
    if not model or ".." in model.split("/"):
        what = f"a model is a name, or a resource as 'tunedModels/mine'; got {model!r}"
        raise ClientSettingError(what, setting="model")
    model = model.removeprefix("google/")
    return "/" + quote(model if "/" in model else f"models/{model}", safe="/@")
