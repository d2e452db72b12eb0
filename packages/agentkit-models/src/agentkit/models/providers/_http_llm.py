"""What every client of a model over HTTP does alike; what it says and reads is its provider's."""

import copy
import time
import warnings
from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any, Self

import httpx

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.llm import (
    CompletionEvent,
    GenerationOptions,
    LLMResponse,
    LLMStreamEvent,
    ModelUsage,
    ReasoningDelta,
    RunMeta,
    TextDelta,
)
from agentkit.core.contracts.types import Delta
from agentkit.core.execution.bridges import LLMClientAsPort, estimated_tokens, terminal_delta
from agentkit.models._outer_frames import OuterFrames
from agentkit.models._transport import Body, Timeouts
from agentkit.models._transport._settings import check_model
from agentkit.models.codecs._decoding import Decoder
from agentkit.models.codecs._refrain import Piece
from agentkit.models.providers._endpoint import HttpEndpoint, json_bytes
from agentkit.models.providers._port_methods import PortMethods

__all__ = ["HttpLLM", "Pricing"]

Pricing = Callable[[str, ModelUsage], Decimal | float | None]
"""Gives the cost in US dollars of a usage of a model, or None where no price is known."""


class HttpLLM(HttpEndpoint, PortMethods):
    """A model behind HTTP, under both contracts; a provider's client says what goes and comes.

    It makes one request for each call and retries nothing. *secrets* are header values that no
    message may ever hold; those of *extra_headers* are secrets as well.

    Raises:
        ClientSettingError: A setting cannot be used.

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
        check_model(default_model, streaming=streaming, pricing=pricing)
        super().__init__(
            provider=provider,
            headers=headers,
            secrets=secrets,
            base_url=base_url,
            client=client,
            timeout=timeout,
            extra_headers=extra_headers,
        )
        self.model: str = default_model or ""
        self._pricing = pricing
        self._streaming = streaming
        self._maker = f"{provider}:{self._transport.origin}"
        self._told: set[str] = set()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model!r}, base={self._transport.origin!r})"

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
        async with (
            OuterFrames(),
            aclosing(self.generate_stream(messages, options=options, ctx=ctx)) as events,
        ):
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
        async with OuterFrames(), self.asked(messages, options=options, ctx=ctx) as (body, decoder):
            async for pieces in body.read_by(decoder):
                for piece in pieces:
                    yield TextDelta(piece) if isinstance(piece, str) else piece
            for event in self.ending(decoder):
                yield event

    @asynccontextmanager
    async def asked(
        self,
        messages: Sequence[ChatMessage],
        *,
        options: GenerationOptions,
        ctx: RunMeta | None = None,
    ) -> AsyncGenerator[tuple[Body, Decoder], None]:
        """Ask, and give the answer's body and what is to read it; then comes the `ending`."""
        self._check_model(options)
        path, body = self._request(messages, options)
        data = json_bytes(body)
        if ctx is not None:
            ctx.check()
        decoder = self._decoder(now=time.time())
        async with self._call(path, data, decoder=decoder, ctx=ctx) as reply:
            yield reply.body, decoder

    def ending(self, decoder: Decoder) -> list[LLMStreamEvent]:
        """Give what the end of the answer completes; it raises what `Decoder.close` raises."""
        return [
            self._finished(event) if isinstance(event, CompletionEvent) else event
            for event in decoder.close()
        ]

    async def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Give an estimate, by the bytes of the text: the API cannot be asked."""
        return estimated_tokens(messages)

    def _check_model(self, options: GenerationOptions | None = None) -> None:
        if not self.model and (options is None or "model" not in options.extra):
            raise ValueError("no model: pass default_model, or name one in the call")

    def _as_port(self) -> LLMClientAsPort:
        return _HttpPort(self)

    @abstractmethod
    def _request(
        self, messages: Sequence[ChatMessage], options: GenerationOptions
    ) -> tuple[str, dict[str, Any]]:
        """Give the path below the base URL, and the body, that ask for the answer."""

    @abstractmethod
    def _decoder(self, *, now: float) -> Decoder:
        """Give what reads the answer."""

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
            usage = self._priced(model, usage)
        return replace(event, metadata=metadata, usage=usage)

    def _priced(self, model: str, usage: ModelUsage) -> ModelUsage:
        """Give *usage* with its cost; a list that fails has no price, as the answer is there."""
        try:
            price = self._pricing(model, usage)
            if price is None and model != self.model:
                price = self._pricing(self.model, usage)
            return replace(usage, cost=None if price is None else Decimal(str(price)))
        except Exception as exc:  # noqa: BLE001 - a price list is not ours, and the answer is paid
            self._tell_once(f"has a pricing= that fails ({type(exc).__name__}): cost is unknown")
            return usage


class _HttpPort(LLMClientAsPort):
    """The port over a client: its deltas are made of what came together, not one by one."""

    def __init__(self, client: HttpLLM) -> None:
        super().__init__(client)
        self._llm = client

    async def deltas(
        self, messages: list[ChatMessage], model: str, options: GenerationOptions
    ) -> AsyncGenerator[Delta, None]:
        """Give the stream as deltas; see `LLMClientAsPort.deltas`."""
        llm = self._llm if model in {"", self._llm.model} else self._llm.with_model(model)
        async with OuterFrames(), llm.asked(messages, options=options) as (body, decoder):
            async for pieces in body.read_by(decoder):
                for piece in pieces:
                    yield Delta(piece) if type(piece) is str else _delta(piece)
            for event in llm.ending(decoder):
                yield _delta(event, llm.model)


def _delta(event: Piece | CompletionEvent, model: str = "") -> Delta:
    """Give *event* as a delta; before the last one our clients have told all text there is."""
    if isinstance(event, CompletionEvent):
        return terminal_delta(event, model=model, text=True, reasoning=True)
    if isinstance(event, ReasoningDelta):
        return Delta(reasoning=event.text)
    return Delta(event if isinstance(event, str) else event.text)
