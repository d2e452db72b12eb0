"""Models that tell the answer wrongly, or ask more than once."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

from agentkit.core.contracts.errors import ErrorClass, ProviderError, UnsupportedOption
from agentkit.core.contracts.llm import LLMResponse, RunMeta
from agentkit.core.contracts.types import Delta, LLMResult, ToolCall, Usage
from agentkit.testing.mutants._model_backend import Event, RefusedError
from agentkit.testing.mutants._model_kinds import breaks_both
from agentkit.testing.mutants._model_reference import Later, Needs, ReferenceLLM, ReferenceModel
from agentkit.testing.mutants._trial import breaks


@breaks_both("MODEL-ANSWER-01", "MODEL-ANSWER-03")
class DropsTheFirstPiece(ReferenceModel):
    """It takes the first piece for a greeting."""

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        is_first = True
        async for event in super().events(needs, run):
            if event.kind == "text" and is_first:
                is_first = False
                continue
            yield event


@breaks_both("MODEL-ANSWER-02")
class AnswersOnceInShort(ReferenceModel):
    """It leaves the tokens out where it answers at once."""

    def whole(self, answer: Any) -> Any:
        if isinstance(answer, LLMResult):
            return replace(answer, usage=Usage())
        return LLMResponse(answer.content, type(answer.usage)())


@breaks_both("MODEL-ANSWER-03")
class SaysEverythingTwice(ReferenceModel):
    """It gives each piece again."""

    def read(self, event: Event) -> list[Event]:
        return super().read(event) * (2 if event.kind == "text" else 1)


@breaks_both("MODEL-ANSWER-04")
class TakesEmptyForFailure(ReferenceModel):
    """It fails where there is no text."""

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        kinds: set[str] = set()
        async for event in super().events(needs, run):
            kinds.add(event.kind)
            if kinds == {"end"}:
                raise ProviderError("no choices", error_class=ErrorClass.TRANSIENT)
            yield event


@breaks_both("MODEL-ANSWER-05")
class ReadsLines(ReferenceModel):
    """It takes U+2028 for the end of a line."""

    def read(self, event: Event) -> list[Event]:
        if event.kind != "text":
            return super().read(event)
        return [Event("text", "\n".join(event.value.splitlines()))]


@breaks_both("MODEL-ANSWER-05")
class StripsAnswers(ReferenceModel):
    """It strips what it gives."""

    def read(self, event: Event) -> list[Event]:
        is_text = event.kind == "text"
        return [Event("text", event.value.strip())] if is_text else super().read(event)


@breaks_both("MODEL-ANSWER-06")
class CutsLongAnswers(ReferenceModel):
    """It has a buffer of 64 KB."""

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        room = 65_536
        async for event in super().events(needs, run):
            if event.kind == "text":
                room -= len(event.value)
            if room >= 0 or event.kind != "text":
                yield event


@breaks_both("MODEL-ANSWER-07")
class CountsNoCache(ReferenceModel):
    """It drops the cached tokens."""

    def usage(self, usage: Usage) -> Usage:
        return Usage(usage.input_tokens, usage.output_tokens)


@breaks_both("MODEL-ANSWER-08")
class SaysItIsWhole(ReferenceModel):
    """It says stop, whatever the backend says."""

    def finish(self, reason: str) -> str:
        return "stop"


@breaks_both("MODEL-ANSWER-09")
class HasOnePlaceForAnswers(ReferenceModel):
    """It keeps the text of a call on itself."""

    text = ""

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        self.text = ""
        async for event in super().events(needs, run):
            if event.kind == "text":
                self.text += event.value
            elif event.kind == "end":
                yield Event("text", self.text)
                yield event
            else:
                yield event


@breaks_both("MODEL-ANSWER-10")
class TakesNoZero(ReferenceModel):
    """It refuses a temperature that is false."""

    def look_at(self, needs: Needs) -> None:
        super().look_at(needs)
        if needs.temperature is not None and not needs.temperature:
            raise UnsupportedOption("no temperature", option="temperature")


@breaks_both("MODEL-ANSWER-10")
class TakesOneQuestionOnly(ReferenceModel):
    """It wants the user to speak last and first."""

    def look_at(self, needs: Needs) -> None:
        super().look_at(needs)
        if needs.roles[0] != "user":
            raise UnsupportedOption("no system messages", option="messages")


@breaks_both("MODEL-ONCE-01")
class AsksWhetherItMayAsk(ReferenceModel):
    """It makes a request to see whether the backend is there."""

    async def ask(self) -> AsyncGenerator[Event]:
        async for _ in self.backend.answer():
            pass
        async for event in self.backend.answer():
            yield event


@breaks_both("MODEL-ONCE-02")
class RetriesFailures(ReferenceModel):
    """It asks again what failed."""

    async def ask(self) -> AsyncGenerator[Event]:
        try:
            async for event in self.backend.answer():
                yield event
        except RefusedError:
            async for event in self.backend.answer():
                yield event


@breaks_both("MODEL-ONCE-03")
class RetriesCuts(ReferenceModel):
    """It asks again where the connection broke."""

    async def ask(self) -> AsyncGenerator[Event]:
        try:
            async for event in self.backend.answer():
                yield event
        except RefusedError as exc:
            if exc.told is not None:
                raise
            async for event in self.backend.answer():
                yield event


@breaks_both("MODEL-ONCE-04")
class AsksForTheRest(ReferenceModel):
    """It asks again for what a reader did not wait for."""

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        try:
            async for event in super().events(needs, run):
                yield event
        except GeneratorExit:
            self.backend.requests += 1
            raise


@breaks("LLM-PORT-01")
class CompletesNothing(ReferenceLLM):
    """It leaves out a verb of the port."""

    complete = None  # type: ignore[assignment]


@breaks("LLM-STREAM-01")
class WantsToBeAwaited(ReferenceLLM):
    """Its stream is what awaiting it gives."""

    def stream(self, **request: Any) -> Any:
        return Later(super().stream(**request))


@breaks("LLM-STREAM-02")
class TellsTokensAsItGoes(ReferenceLLM):
    """It gives running totals on every delta."""

    def delta(self, event: Event, calls: list[ToolCall], model: str) -> Delta:
        return replace(super().delta(event, calls, model), usage=event.usage)


@breaks("LLM-STREAM-02")
class NamesNoModel(ReferenceLLM):
    """It does not say who answered."""

    def delta(self, event: Event, calls: list[ToolCall], model: str) -> Delta:
        return replace(super().delta(event, calls, model), model=None)


@breaks("LLM-STREAM-03")
class BeginsWithNothing(ReferenceLLM):
    """It gives an empty delta when the connection stands."""

    async def stream(self, **request: Any) -> AsyncGenerator[Delta]:
        yield Delta()
        async for delta in super().stream(**request):
            yield delta


@breaks("LLM-COMPLETE-01")
class CompletesInItsOwnWay(ReferenceLLM):
    """It completes by another endpoint, which says less."""

    async def complete(self, **request: Any) -> LLMResult:
        return replace(await super().complete(**request), finish_reason=None)


@breaks("LLM-COMPLETE-02")
class WantsASystemText(ReferenceLLM):
    """It completes with a system text only."""

    async def complete(self, *, system: str, user: str, model: str, **settings: Any) -> LLMResult:
        if not system:
            raise ValueError("no system text")
        return await super().complete(system=system, user=user, model=model, **settings)
