"""Correct models under both contracts, made of small steps, so that a mutant is one done wrong."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, ClassVar

from agentkit.core.contracts.content import (
    ChatMessage,
    ContentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from agentkit.core.contracts.errors import (
    ErrorClass,
    ProviderAuthError,
    ProviderError,
    UnsupportedOption,
)
from agentkit.core.contracts.llm import (
    CompletionEvent,
    GenerationOptions,
    LLMResponse,
    LLMStreamEvent,
    ReasoningDelta,
    RunMeta,
    StopKind,
    TextDelta,
)
from agentkit.core.contracts.types import (
    Delta,
    LLMResult,
    Message,
    ModelUsage,
    ToolCall,
    Usage,
    assemble_deltas,
)
from agentkit.core.execution.cancellation import interrupt_on
from agentkit.testing.mutants._model_backend import Event, ModelBackend, RefusedError
from agentkit.testing.suites import Feature

__all__ = [
    "Later",
    "Needs",
    "ReferenceClient",
    "ReferenceLLM",
    "ReferenceModel",
]


@dataclass(slots=True)
class Needs:
    """What of a request depends on a feature."""

    tools: Any = None
    schema: Any = None
    images: bool = False
    temperature: float | None = None
    roles: list[str] = field(default_factory=list[str])


class Later:
    """A stream that has to be awaited first."""

    def __init__(self, stream: AsyncIterator[Any]) -> None:
        self.stream = stream

    def __await__(self) -> Generator[Any, None, AsyncIterator[Any]]:
        """Give the stream."""
        yield from asyncio.sleep(0).__await__()
        return self.stream


class ReferenceModel:
    """What both contracts share: the events of one call, and its errors."""

    lacked: ClassVar[frozenset[Feature]] = frozenset()
    ignored: ClassVar[frozenset[Feature]] = frozenset()

    def __init__(self, backend: ModelBackend) -> None:
        self.backend = backend
        self.has_warned = False

    def __repr__(self) -> str:
        return type(self).__name__

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        """Give the events of one answer; ProviderError where it has no end."""
        self.look_at(needs)
        self.check(run)
        told: list[Event] = []
        refused: ProviderError | None = None
        try:
            async with aclosing(self.received(run, told)) as received:
                async for event in received:
                    yield event
        except RefusedError as exc:
            refused = self.error_of(exc.told, told)
        # Out here, so that the driver's error is not the context of ours.
        if refused is not None or not told or told[-1].kind != "end":
            raise refused or self.unended(told)

    async def received(self, run: RunMeta | None, told: list[Event]) -> AsyncGenerator[Event]:
        """Give what comes up to the end, and note in *told* what has come."""
        async with aclosing(self.ask()) as answer:
            while (event := await self.next(answer, run)) is not None:
                if event.kind == "error":
                    raise self.error_of(event.value, told)
                told.append(event)
                for each in self.read(event):
                    yield each
                if event.kind == "end":
                    return

    def ask(self) -> AsyncGenerator[Event]:
        """Send the request."""
        return self.backend.answer()

    def check(self, run: RunMeta | None) -> None:
        """Return if the run may go on."""
        if run is not None:
            run.check()

    async def next(self, answer: AsyncGenerator[Event], run: RunMeta | None) -> Event | None:
        """Give the next event, unless the run is to stop."""
        self.check(run)
        with interrupt_on(None if run is None else run.cancellation):
            return await anext(answer, None)

    def read(self, event: Event) -> list[Event]:
        """Give what *event* comes to."""
        if event.kind == "thought" and Feature.REASONING in self.ignored:
            self.warn(Feature.REASONING)
            return []
        return [event]

    def look_at(self, needs: Needs) -> None:
        """Refuse what is lacked, and warn of what is ignored."""
        wanted = {
            Feature.TOOLS: bool(needs.tools),
            Feature.STRUCTURED_OUTPUT: needs.schema is not None,
            Feature.VISION: needs.images,
        }
        for feature, is_wanted in wanted.items():
            if is_wanted and feature in self.lacked:
                self.refuse(feature)
            if is_wanted and feature in self.ignored:
                self.warn(feature)

    def refuse(self, feature: Feature) -> None:
        """Refuse *feature*, before anything is sent."""
        raise UnsupportedOption(f"this model has no {feature}", option=feature)

    def warn(self, feature: Feature) -> None:
        """Say once that *feature* is ignored."""
        if not self.has_warned:
            self.has_warned = True
            warnings.warn(f"this model ignores {feature}", stacklevel=3)

    def error_of(self, told: ProviderError | None, before: Sequence[Event]) -> ProviderError:
        """Give our error for what the backend *told*, or for its silence."""
        if told is None:
            return self.unended(before)
        kind = ProviderAuthError if told.status in {401, 403} else ProviderError
        return kind(
            str(told).replace(self.backend.secret, "[secret]"),
            status=told.status,
            code=told.code,
            error_type=told.error_type,
            retry_after=told.retry_after,
            error_class=told.error_class,
            **self.arrived(before),
        )

    def unended(self, before: Sequence[Event]) -> ProviderError:
        """Give the error of an answer without its end."""
        arrived = self.arrived(before)
        return ProviderError("the answer broke off", error_class=ErrorClass.TRANSIENT, **arrived)

    def arrived(self, before: Sequence[Event]) -> dict[str, Any]:
        """Give what is known of the output so far."""
        text = "".join(event.value for event in before if event.kind == "text")
        return {"output_started": bool(before), "partial": LLMResult(text) if before else None}

    def usage(self, usage: Usage) -> Usage:
        """Give the tokens as the backend counts them."""
        return usage

    def finish(self, reason: str) -> str:
        """Give the backend's word for the end."""
        return reason

    def call(self, call: ToolCall) -> ToolCall:
        """Give a tool call as it came."""
        return call


class ReferenceLLM(ReferenceModel):
    """An `LLMPort` that keeps every clause."""

    async def stream(
        self, *, messages: Sequence[Message], model: str, **settings: Any
    ) -> AsyncGenerator[Delta]:
        """Give the deltas of an answer."""
        needs = Needs(
            tools=settings.get("tools"),
            schema=settings.get("response_format"),
            images=any(isinstance(b, ImageBlock) for turn in messages for b in turn.blocks),
            temperature=settings.get("temperature"),
            roles=[turn.role for turn in messages],
        )
        calls: list[ToolCall] = []
        async with aclosing(self.events(needs)) as events:
            async for event in events:
                if event.kind == "call":
                    calls.append(self.call(event.value))
                else:
                    yield self.delta(event, calls, model)

    async def chat(self, **request: Any) -> LLMResult:
        """Give what a stream adds up to."""
        async with aclosing(self.stream(**request)) as deltas:
            result: LLMResult = self.whole(assemble_deltas([delta async for delta in deltas]))
        return result

    async def complete(self, *, system: str, user: str, model: str, **settings: Any) -> LLMResult:
        """Give the answer to two messages."""
        messages = [Message("system", system)] if system else []
        return await self.chat(messages=[*messages, Message("user", user)], model=model, **settings)

    def delta(self, event: Event, calls: list[ToolCall], model: str) -> Delta:
        """Give *event* as a delta."""
        if event.kind == "thought":
            return Delta(reasoning=event.value)
        if event.kind == "text":
            return Delta(event.value)
        return Delta(
            model=model,
            usage=self.usage(event.usage),
            finish_reason=self.finish(event.value),
            tool_calls=tuple(calls),
        )

    def whole(self, result: Any) -> Any:
        """Give a whole answer."""
        return result


class ReferenceClient(ReferenceModel):
    """An `LLMClient` that keeps every clause."""

    model = "scripted"

    async def generate(
        self,
        messages: Sequence[ChatMessage],
        *,
        options: GenerationOptions = GenerationOptions(),  # noqa: B008 - as in the contract
        ctx: RunMeta | None = None,
    ) -> LLMResponse:
        """Give the last event of a stream."""
        async with aclosing(self.generate_stream(messages, options=options, ctx=ctx)) as events:
            last: Any = [event async for event in events][-1]
        reasons = {"finish_reason": last.finish_reason, "stop_kind": last.stop_kind}
        response: LLMResponse = self.whole(LLMResponse(last.content, last.usage, **reasons))
        return response

    async def generate_stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        options: GenerationOptions = GenerationOptions(),  # noqa: B008 - as in the contract
        ctx: RunMeta | None = None,
    ) -> AsyncGenerator[LLMStreamEvent]:
        """Give the deltas of an answer, and its completion."""
        self.look_at_options(options)
        needs = Needs(
            tools=options.tools,
            schema=options.response_format,
            images=any(isinstance(b, ImageBlock) for turn in messages for b in turn.content),
            temperature=options.temperature,
            roles=[turn.role for turn in messages],
        )
        told: list[Event] = []
        async with aclosing(self.events(needs, ctx)) as events:
            async for event in events:
                told.append(event)
                if event.kind == "thought":
                    yield ReasoningDelta(event.value)
                elif event.kind == "text":
                    yield TextDelta(event.value)
                elif event.kind == "end":
                    yield self.completion(told)

    async def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Give an estimate."""
        return 1 + sum(len(str(block)) for turn in messages for block in turn.content) // 4

    def look_at_options(self, options: GenerationOptions) -> None:
        """Refuse what the backend has no place for."""
        for name in ("stop", "seed", "tool_choice", "reasoning_effort"):
            if getattr(options, name) is not None:
                raise UnsupportedOption(f"this client has no {name}", option=name)

    def completion(self, told: Sequence[Event]) -> CompletionEvent:
        """Give the whole of what was *told*."""
        calls = [self.call(event.value) for event in told if event.kind == "call"]
        end = told[-1]
        usage = ModelUsage.from_usage(self.usage(end.usage))
        finish = self.finish(end.value)
        return CompletionEvent(
            self.content(told, calls),
            usage,
            finish_reason=finish,
            stop_kind=self.stop_kind(finish),
        )

    def content(self, told: Sequence[Event], calls: Sequence[ToolCall]) -> list[ContentBlock]:
        """Give the blocks of what was *told*."""
        thought, text = (
            "".join(event.value for event in told if event.kind == kind)
            for kind in ("thought", "text")
        )
        thinking = [ThinkingBlock(thought)] if thought else []
        uses = [ToolUseBlock(call.id, call.name, call.arguments) for call in calls]
        return [*thinking, *([TextBlock(text)] if text else []), *uses]

    def stop_kind(self, finish: str) -> StopKind:
        """Give our word for the end."""
        kinds: dict[str, StopKind] = {"length": "length", "tool_calls": "tool_use"}
        return kinds.get(finish, "stop")

    def whole(self, response: Any) -> Any:
        """Give a whole answer."""
        return response
