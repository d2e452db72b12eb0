"""Between the two model contracts: a client as a port, a port as a client."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol, TypeVar, runtime_checkable

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import (
    CompletionEvent,
    GenerationOptions,
    LLMClient,
    LLMResponse,
    LLMStreamEvent,
    ReasoningDelta,
    RunMeta,
    TextDelta,
)
from agentkit.core.contracts.ports import LLMPort
from agentkit.core.contracts.types import Delta, LLMResult, Message, ToolSchema, assemble_deltas
from agentkit.core.execution._conversions import (
    cache_advice,
    chat_message,
    completion_of,
    estimated_tokens,
    messages_of,
    refuse_unportable,
    terminal_delta,
)
from agentkit.core.execution.cancellation import interrupt_on

__all__ = [
    "LLMClientAsPort",
    "LLMPortAsClient",
    "SpeaksToManyModels",
    "as_llm_client",
    "as_llm_port",
    "estimated_tokens",
    "terminal_delta",
]

Stream = TypeVar("Stream", bound=AsyncIterator[Any])


@runtime_checkable
class SpeaksToManyModels(Protocol):
    """An optional power of an `LLMClient`: to speak to another model the same way."""

    def with_model(self, model: str) -> LLMClient:
        """Give a client that differs in its model only and shares the connections."""
        ...


def as_llm_port(client: LLMClient) -> LLMPort:
    """Give *client* as a port; a client that is one already comes back as it is."""
    return client if isinstance(client, LLMPort) else LLMClientAsPort(client)


def as_llm_client(port: LLMPort, *, model: str = "") -> LLMClient:
    """Give *port* as a client of *model*; a port that is a client already comes back as it is."""
    return port if isinstance(port, LLMClient) else LLMPortAsClient(port, model=model)


class LLMClientAsPort:
    """The port over a client.

    A call names its model: the client's own, or any other if the client has `with_model`. Another
    one is refused with `UnsupportedOption`, since it would not be the model that answers.
    """

    def __init__(self, client: LLMClient) -> None:
        self._client = client

    def stream(
        self,
        *,
        messages: list[Message],
        model: str,
        tools: list[ToolSchema] | None = None,
        response_format: dict[str, Any] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        cache_hint: Any = None,
    ) -> AsyncIterator[Delta]:
        """Give the client's stream as deltas; the last one carries everything but the text."""
        options = GenerationOptions(
            tools=tools,
            temperature=temperature,
            max_tokens=max_tokens,
            response_format=response_format,
            cache=cache_advice(cache_hint),
        )
        return self.deltas([chat_message(message) for message in messages], model, options)

    async def chat(self, *, messages: list[Message], model: str, **request: Any) -> LLMResult:
        """Give what the stream of the same request adds up to."""
        async with _closing(self.stream(messages=messages, model=model, **request)) as stream:
            return assemble_deltas([delta async for delta in stream])

    async def complete(self, *, system: str, user: str, model: str, **request: Any) -> LLMResult:
        """Give the answer to one system and one user message."""
        messages = [Message("user", user)]
        if system:
            messages.insert(0, Message("system", system))
        return await self.chat(messages=messages, model=model, **request)

    async def deltas(
        self, messages: list[ChatMessage], model: str, options: GenerationOptions
    ) -> AsyncGenerator[Delta]:
        """Give the client's stream of a request in the neutral contract as deltas."""
        client = self._client_of(model)
        text = reasoning = False
        async with _closing(client.generate_stream(messages, options=options)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    text = True
                    yield Delta(event.text)
                elif isinstance(event, ReasoningDelta):
                    reasoning = True
                    yield Delta(reasoning=event.text)
                else:
                    yield terminal_delta(event, model=client.model, text=text, reasoning=reasoning)

    def _client_of(self, model: str) -> LLMClient:
        if model in {"", self._client.model}:
            return self._client
        if isinstance(self._client, SpeaksToManyModels):
            return self._client.with_model(model)
        raise UnsupportedOption(
            f"this client speaks to {self._client.model!r}; got model {model!r}", option="model"
        )


class LLMPortAsClient:
    """The client over a port, speaking to one model.

    An option that no port has (`tool_choice`, `stop`, `seed`, `reasoning_effort`, `extra`) raises
    `UnsupportedOption` before the call.
    """

    def __init__(self, port: LLMPort, *, model: str = "") -> None:
        self._port = port
        self.model = model

    async def generate(
        self,
        messages: Sequence[ChatMessage],
        *,
        options: GenerationOptions = GenerationOptions(),  # noqa: B008 - as in the contract
        ctx: RunMeta | None = None,
    ) -> LLMResponse:
        """Give the whole response: what ends the stream."""
        async with _closing(self.generate_stream(messages, options=options, ctx=ctx)) as events:
            last = [event async for event in events if isinstance(event, CompletionEvent)][-1]
        return LLMResponse(
            last.content,
            last.usage,
            finish_reason=last.finish_reason,
            stop_kind=last.stop_kind,
        )

    async def generate_stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        options: GenerationOptions = GenerationOptions(),  # noqa: B008 - as in the contract
        ctx: RunMeta | None = None,
    ) -> AsyncGenerator[LLMStreamEvent]:
        """Give the port's stream as events, the completion last."""
        refuse_unportable(options)
        if ctx is not None:
            ctx.check()
        deltas: list[Delta] = []
        async with _closing(self._stream(messages, options)) as stream:
            while (delta := await _next(stream, ctx)) is not None:
                deltas.append(delta)
                if delta.reasoning:
                    yield ReasoningDelta(delta.reasoning)
                if delta.text:
                    yield TextDelta(delta.text)
        counted = any(delta.usage or delta.model_usage for delta in deltas)
        yield completion_of(assemble_deltas(deltas), counted=counted)

    async def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Give an estimate: a port cannot be asked."""
        return estimated_tokens(messages)

    def _stream(
        self, messages: Sequence[ChatMessage], options: GenerationOptions
    ) -> AsyncIterator[Delta]:
        turns = [turn for message in messages for turn in messages_of(message)]
        if options.system_instructions:
            turns.insert(0, Message("system", options.system_instructions))
        return self._port.stream(
            messages=turns,
            model=self.model,
            tools=options.tools,
            response_format=options.response_format,
            temperature=options.temperature,
            max_tokens=options.max_tokens,
            cache_hint=options.cache,
        )


async def _next(stream: AsyncIterator[Delta], ctx: RunMeta | None) -> Delta | None:
    """Give the next item, or None at the end, unless the run *ctx* is to stop."""
    if ctx is None:
        return await anext(stream, None)
    ctx.check()
    with interrupt_on(ctx.cancellation):
        return await anext(stream, None)


@asynccontextmanager
async def _closing(stream: Stream) -> AsyncGenerator[Stream]:
    """Give a scope that closes *stream* on every exit, if it can be closed."""
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
