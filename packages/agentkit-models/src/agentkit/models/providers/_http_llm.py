"""What every client of a model over HTTP does alike; what it says and reads is its provider's."""

import asyncio
import copy
import json
import time
import warnings
from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from types import TracebackType
from typing import Any, Self

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
from agentkit.models.codecs._decoding import Decoder
from agentkit.models.codecs._errors import malformed, request_id_in
from agentkit.models.codecs._json import load
from agentkit.models.providers._port_methods import PortMethods

__all__ = ["HttpLLM", "Pricing", "check_key"]

Pricing = Callable[[str, ModelUsage], Decimal | float | None]
"""Gives the cost in US dollars of a usage of a model, or None where no price is known."""

_MAX_ERROR_BYTES = 1024 * 1024
_DRAIN_S = 0.2
_SHORTEST_SECRET = 8


class HttpLLM(PortMethods):
    """A model behind HTTP, under both contracts; a provider's client says what goes and comes.

    It makes one request for each call and retries nothing. *secrets* are header values that no
    message may ever hold; those of *extra_headers* are secrets as well.
    """

    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        *,
        provider: str,
        headers: Mapping[str, str],
        secrets: Sequence[str | None],
        base_url: str,
        default_model: str | None,
        pricing: Pricing,
        client: httpx.AsyncClient | None,
        timeout: float | Timeouts | None,
        extra_headers: Mapping[str, str] | None,
        streaming: bool,
    ) -> None:
        extra = {name.lower(): value for name, value in (extra_headers or {}).items()}
        self.model = default_model or ""
        self.provider = provider
        self._pricing = pricing
        self._streaming = streaming
        self._secrets = [
            value
            for value in (*secrets, *extra.values())
            if value and len(value) >= _SHORTEST_SECRET
        ]
        self._transport = HttpTransport(
            base_url=base_url,
            headers={"content-type": "application/json", **headers, **extra},
            timeouts=timeout if isinstance(timeout, Timeouts) else Timeouts(idle=timeout),
            client=client,
        )
        self._maker = f"{provider}:{self._transport.origin}"
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
        self._check_model(options)
        path, body = self._request(messages, options)
        data = _json_bytes(body)
        if ctx is not None:
            ctx.check()
        decoder = self._decoder(now=time.time())
        async with self._call(path, data, decoder=decoder, ctx=ctx) as reply:
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

    def _check_model(self, options: GenerationOptions | None = None) -> None:
        if not self.model and (options is None or "model" not in options.extra):
            raise ValueError("no model: pass default_model, or name one in the call")

    @abstractmethod
    def _request(
        self, messages: Sequence[ChatMessage], options: GenerationOptions
    ) -> tuple[str, dict[str, Any]]:
        """Give the path below the base URL, and the body, that ask for the answer."""

    @abstractmethod
    def _decoder(self, *, now: float) -> Decoder:
        """Give what reads the answer."""

    async def _ask(self, path: str, body: dict[str, Any]) -> Any:
        """Give the JSON that answers *body*, where it is short and is no model's answer.

        Raises:
            ProviderError: The provider refused or failed, or the answer is no JSON.

        """
        async with self._call(path, _json_bytes(body)) as reply:
            data = await _beginning(reply)
            try:
                return load(data)
            except ValueError:
                raise malformed(data.decode(errors="replace")) from None

    @asynccontextmanager
    async def _call(
        self,
        path: str,
        body: bytes,
        *,
        decoder: Decoder | None = None,
        ctx: RunMeta | None = None,
    ) -> AsyncGenerator[Reply, None]:
        """Give the answer to *body*; what goes wrong with it leaves with all that is known."""
        reply: Reply | None = None
        try:
            async with self._transport.post(path, body, ctx=ctx) as reply:
                await _check_status(reply)
                yield reply
                await _drain(reply)
        except ProviderError as error:
            raise self._told_of(error, decoder, reply) from None

    def _tell_once(self, what: str) -> None:
        """Warn the first time that *what* is so."""
        if what in self._told:
            return
        self._told.add(what)
        warnings.warn(f"{self.provider} {what}", stacklevel=2)

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
        self, error: ProviderError, decoder: Decoder | None, reply: Reply | None
    ) -> ProviderError:
        """Give *error* with all that is known of the call, and without any credential."""
        if decoder is not None:
            decoder.with_partial(error)
        error.provider = self.provider
        if error.partial is not None:
            error.partial = replace(error.partial, provider=self.provider)
        if error.request_id is None and reply is not None:
            error.request_id = request_id_in(reply.headers)
        text = str(error)
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        error.args = (text, *error.args[1:])
        return error


def check_key(key: str | None) -> None:
    """Return if *key* is None, or can be sent as a credential.

    Raises:
        ValueError: It cannot; the message does not hold it.

    """
    if key is None:
        return
    if not key:
        raise ValueError("api_key is empty; pass None for a server that takes no key")
    if not key.isascii() or not key.isprintable() or key != key.strip():
        raise ValueError("api_key holds white space at an end, or what no header carries")


def _json_bytes(body: dict[str, Any]) -> bytes:
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()


async def _check_status(reply: Reply) -> None:
    if 200 <= reply.status < 300:  # noqa: PLR2004 - the class of 2xx
        return
    body = await _beginning(reply)
    raise error_from_response(reply.status, body, headers=reply.headers, now=time.time())


async def _beginning(reply: Reply) -> bytes:
    """Give the body, or the beginning of one that is too long for what it is."""
    body = bytearray()
    async for chunk in reply.chunks:
        body += chunk
        if len(body) > _MAX_ERROR_BYTES:
            break
    return bytes(body)


async def _drain(reply: Reply) -> None:
    """Read what follows the last mark, so that the connection can be used again."""
    try:
        async with asyncio.timeout(_DRAIN_S):
            async for _ in reply.chunks:
                pass
    except (TimeoutError, ProviderError):
        return
