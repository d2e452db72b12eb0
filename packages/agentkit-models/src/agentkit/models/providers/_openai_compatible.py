"""The client of every provider that speaks the chat-completions API."""

import asyncio
import copy
import json
import time
import warnings
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from types import TracebackType
from typing import Self

import httpx

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.llm import (
    CompletionEvent,
    GenerationOptions,
    LLMResponse,
    LLMStreamEvent,
    ModelUsage,
    RunMeta,
)
from agentkit.core.execution.bridges import estimated_tokens
from agentkit.models._transport import HttpTransport, Reply, Timeouts
from agentkit.models.codecs import error_from_response
from agentkit.models.codecs.chat_completions import Dialect, ResponseDecoder, encode_request
from agentkit.models.providers._port_methods import PortMethods
from agentkit.models.providers.pricing import cost

__all__ = ["OpenAICompatibleLLM", "Pricing"]

Pricing = Callable[[str, ModelUsage], Decimal | float | None]
"""Gives the cost in US dollars of a usage of a model, or None where no price is known."""

_PATH = "/chat/completions"
_MAX_ERROR_BYTES = 1024 * 1024
_DRAIN_S = 0.2
_SHORTEST_SECRET = 8


class OpenAICompatibleLLM(PortMethods):
    """A model behind a chat-completions endpoint, under both contracts.

    It makes one request for each call and retries nothing: that is `retry()`'s business. It owns
    its connections, one pool for each event loop: close it with `aclose` or `async with`. A
    *client* that is given is used as it is and never closed.

    *timeout* is the wait for the next bytes, or all the `Timeouts`. *pricing* prices what the
    provider does not; None means unknown, never free. With *streaming* off the whole answer is
    asked for at once, with the same result. *dialect* is what this provider does in its own way.

    Raises:
        ValueError: *api_key* is empty, or the URL or a header cannot be used. The message never
            holds a credential.

    """

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
        if api_key is not None:
            _check_key(api_key)
        headers = {"content-type": "application/json"}
        if api_key is not None:
            headers["authorization"] = f"Bearer {api_key}"
        extra = {name.lower(): value for name, value in (extra_headers or {}).items()}
        self.model = default_model or ""
        self.provider = dialect.provider
        self._dialect = dialect
        self._pricing = pricing
        self._streaming = streaming
        self._secrets = [
            value
            for value in (api_key, *extra.values())
            if value and len(value) >= _SHORTEST_SECRET
        ]
        self._transport = HttpTransport(
            base_url=base_url,
            headers=headers | extra,
            timeouts=timeout if isinstance(timeout, Timeouts) else Timeouts(idle=timeout),
            client=client,
        )
        self._maker = f"{self.provider}:{self._transport.origin}"
        self._told: set[str] = set()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model!r}, base={self._transport.origin!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections that it owns; those of its `with_model` copies are the same."""
        await self._transport.aclose()

    def with_model(self, model: str) -> Self:
        """Give the same client for another model; the connections are shared."""
        other = copy.copy(self)
        other.model = model
        return other

    async def generate(
        self,
        messages: Sequence[ChatMessage],
        *,
        options: GenerationOptions = GenerationOptions(),  # noqa: B008 - as in the contract
        ctx: RunMeta | None = None,
    ) -> LLMResponse:
        """Give the whole response; see `LLMClient.generate`."""
        async with aclosing(self.generate_stream(messages, options=options, ctx=ctx)) as events:
            [last] = [event async for event in events if isinstance(event, CompletionEvent)]
        return LLMResponse(
            last.content, last.usage, finish_reason=last.finish_reason, stop_kind=last.stop_kind
        )

    async def generate_stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        options: GenerationOptions = GenerationOptions(),  # noqa: B008 - as in the contract
        ctx: RunMeta | None = None,
    ) -> AsyncGenerator[LLMStreamEvent, None]:
        """Give the response as it arrives; see `LLMClient.generate_stream`."""
        body = self._encoded(messages, options)
        if ctx is not None:
            ctx.check()
        decoder = ResponseDecoder(provider=self._maker, now=time.time())
        async with self._call(body, decoder, ctx) as reply:
            async for chunk in reply.chunks:
                for event in decoder.feed(chunk):
                    yield event
                if decoder.is_done:
                    break
            for last in decoder.close():
                yield self._finished(last) if isinstance(last, CompletionEvent) else last

    async def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Give an estimate, by the bytes of the text: the API cannot be asked."""
        return estimated_tokens(messages)

    @asynccontextmanager
    async def _call(
        self, body: bytes, decoder: ResponseDecoder, ctx: RunMeta | None
    ) -> AsyncGenerator[Reply, None]:
        """Give the answer to *body*; what goes wrong with it leaves with all that is known."""
        reply: Reply | None = None
        try:
            async with self._transport.post(_PATH, body, ctx=ctx) as reply:
                await self._check_status(reply)
                yield reply
                await _drain(reply)
        except ProviderError as error:
            raise self._told_of(error, decoder, reply) from None

    def _encoded(self, messages: Sequence[ChatMessage], options: GenerationOptions) -> bytes:
        if not self.model and "model" not in options.extra:
            raise ValueError("no model: pass default_model, or name one in the call")
        self._tell_of_fallback(options)
        body = encode_request(
            messages,
            model=self.model,
            options=options,
            dialect=self._dialect,
            sender=self._maker,
            stream=self._streaming,
        )
        return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()

    def _tell_of_fallback(self, options: GenerationOptions) -> None:
        """Warn once that a schema is asked for in words, where the provider has no mode for it."""
        wanted = (options.response_format or {}).get("type")
        if wanted != "json_schema" or self._dialect.has_json_schema or wanted in self._told:
            return
        self._told.add(wanted)
        warnings.warn(
            f"{self.provider} has no JSON Schema mode: the schema is sent as an instruction",
            stacklevel=2,
        )

    async def _check_status(self, reply: Reply) -> None:
        if 200 <= reply.status < 300:  # noqa: PLR2004 - the class of 2xx
            return
        body = bytearray()
        async for chunk in reply.chunks:
            body += chunk
            if len(body) > _MAX_ERROR_BYTES:
                break
        raise error_from_response(reply.status, bytes(body), headers=reply.headers, now=time.time())

    def _finished(self, event: CompletionEvent) -> CompletionEvent:
        """Give the last event with the provider's name, and the cost if the provider gave none."""
        model = event.metadata.get("model") or self.model
        metadata = {**event.metadata, "model": model, "provider": self.provider}
        usage = event.usage
        if usage.cost is None and usage.provenance != "unknown":
            price = self._pricing(model, usage)
            if price is None and model != self.model:
                price = self._pricing(self.model, usage)
            usage = replace(usage, cost=None if price is None else Decimal(str(price)))
        return replace(event, metadata=metadata, usage=usage)

    def _told_of(
        self, error: ProviderError, decoder: ResponseDecoder, reply: Reply | None
    ) -> ProviderError:
        """Give *error* with all that is known of the call, and without any credential."""
        decoder.with_partial(error)
        error.provider = self.provider
        if error.partial is not None:
            error.partial = replace(error.partial, provider=self.provider)
        if error.request_id is None and reply is not None:
            error.request_id = reply.headers.get("x-request-id")
        text = str(error)
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        error.args = (text, *error.args[1:])
        return error


def _check_key(key: str) -> None:
    if not key:
        raise ValueError("api_key is empty; pass None for a server that takes no key")
    if not key.isascii() or not key.isprintable() or key != key.strip():
        raise ValueError("api_key holds white space at an end, or what no header carries")


async def _drain(reply: Reply) -> None:
    """Read what follows the last mark, so that the connection can be used again."""
    try:
        async with asyncio.timeout(_DRAIN_S):
            async for _ in reply.chunks:
                pass
    except (TimeoutError, ProviderError):
        return
