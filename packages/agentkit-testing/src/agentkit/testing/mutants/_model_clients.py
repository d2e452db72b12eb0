"""Clients that get the model-neutral contract wrong."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.llm import (
    CompletionEvent,
    GenerationOptions,
    LLMResponse,
    LLMStreamEvent,
    RunMeta,
    StopKind,
    TextDelta,
)
from agentkit.testing.mutants._model_backend import Event
from agentkit.testing.mutants._model_reference import Later, ReferenceClient
from agentkit.testing.mutants._trial import breaks


@breaks("CLIENT-PORT-01")
class NamesNobody(ReferenceClient):
    """It does not say which model it speaks to."""

    model = None  # type: ignore[assignment]


@breaks("CLIENT-STREAM-01")
class StreamsWhenAwaited(ReferenceClient):
    """Its stream is what awaiting it gives."""

    def generate_stream(self, messages: Sequence[ChatMessage], **settings: Any) -> Any:
        return Later(super().generate_stream(messages, **settings))


@breaks("CLIENT-STREAM-02")
class CompletesTwice(ReferenceClient):
    """It gives a completion for the text, and one with the tokens."""

    async def generate_stream(
        self, messages: Sequence[ChatMessage], **settings: Any
    ) -> AsyncGenerator[LLMStreamEvent]:
        async for event in super().generate_stream(messages, **settings):
            yield event
            if isinstance(event, CompletionEvent):
                yield event


@breaks("CLIENT-STREAM-02")
class EndsWithADelta(ReferenceClient):
    """It says goodbye after the completion."""

    async def generate_stream(
        self, messages: Sequence[ChatMessage], **settings: Any
    ) -> AsyncGenerator[LLMStreamEvent]:
        async for event in super().generate_stream(messages, **settings):
            yield event
        yield TextDelta("")


@breaks("CLIENT-STREAM-03")
class CountsOnlyWhatItGenerates(ReferenceClient):
    """Its completion carries no tokens."""

    def completion(self, told: Sequence[Event]) -> CompletionEvent:
        self.counted = super().completion(told)
        return replace(self.counted, usage=type(self.counted.usage)())

    def whole(self, response: LLMResponse) -> LLMResponse:
        return replace(response, usage=self.counted.usage)


@breaks("CLIENT-STOP-01")
class RepeatsTheBackendsWord(ReferenceClient):
    """It calls the end other, whatever it was."""

    def stop_kind(self, finish: str) -> StopKind:
        return "other"


@breaks("CLIENT-STOP-02")
class StopsForNoCall(ReferenceClient):
    """It says stop where the model waits for a result."""

    def stop_kind(self, finish: str) -> StopKind:
        kind = super().stop_kind(finish)
        return "stop" if kind == "tool_use" else kind


@breaks("CLIENT-USAGE-01")
class SaysNotWhereItCounted(ReferenceClient):
    """It reports tokens of unknown origin."""

    def completion(self, told: Sequence[Event]) -> CompletionEvent:
        made = super().completion(told)
        return replace(made, usage=replace(made.usage, provenance="unknown", cost=Decimal(0)))


@breaks("CLIENT-BLOCK-01")
class RefusesItsOwnThoughts(ReferenceClient):
    """It cannot read what it has written."""

    async def generate_stream(
        self, messages: Sequence[ChatMessage], **settings: Any
    ) -> AsyncGenerator[LLMStreamEvent]:
        if any(block.type == "reasoning" for turn in messages for block in turn.content):
            raise ValueError("no such block: reasoning")
        async for event in super().generate_stream(messages, **settings):
            yield event


@breaks("CLIENT-RUN-01", "CLIENT-RUN-02", "CLIENT-RUN-03", "CLIENT-RUN-04")
class KnowsNoRun(ReferenceClient):
    """It takes a run and does not look at it."""

    async def generate_stream(
        self, messages: Sequence[ChatMessage], *, ctx: RunMeta | None = None, **settings: Any
    ) -> AsyncGenerator[LLMStreamEvent]:
        async for event in super().generate_stream(messages, **settings):
            yield event


@breaks("CLIENT-RUN-01", "CLIENT-RUN-02")
class AsksBeforeItLooks(ReferenceClient):
    """It looks at the run when the request is out."""

    def check(self, run: RunMeta | None) -> None:
        self.backend.requests += 1
        super().check(run)


@breaks("CLIENT-RUN-04")
class LooksBetweenChunksOnly(ReferenceClient):
    """It is deaf while it waits."""

    async def next(self, answer: AsyncGenerator[Event], run: RunMeta | None) -> Event | None:
        self.check(run)
        return await anext(answer, None)


@breaks("CLIENT-RUN-05")
class TellsWhoseRunItWas(ReferenceClient):
    """It adds the run to what it says."""

    async def generate(
        self,
        messages: Sequence[ChatMessage],
        *,
        options: GenerationOptions = GenerationOptions(),  # noqa: B008 - as in the contract
        ctx: RunMeta | None = None,
    ) -> LLMResponse:
        response = await super().generate(messages, options=options, ctx=ctx)
        return replace(response, finish_reason=ctx.run_id) if ctx else response


@breaks("CLIENT-OPTION-01")
class RefusesAfterwards(ReferenceClient):
    """It finds out that it has no such option when the answer is there."""

    def look_at_options(self, options: GenerationOptions) -> None:
        try:
            super().look_at_options(options)
        except NotImplementedError:
            self.backend.requests += 1
            raise


@breaks("CLIENT-OPTION-02")
class TakesNoToolsForAMistake(ReferenceClient):
    """It refuses an empty list."""

    def look_at_options(self, options: GenerationOptions) -> None:
        super().look_at_options(options)
        if options.tools is not None and not options.tools:
            raise ValueError("tools is empty")


@breaks("CLIENT-COUNT-01")
class CountsTurns(ReferenceClient):
    """It counts messages."""

    async def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        return len(messages)
