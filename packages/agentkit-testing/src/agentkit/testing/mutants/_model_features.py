"""Models that get tools, schemas, images or reasoning wrong."""

from collections.abc import AsyncGenerator
from dataclasses import replace

from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import RunMeta
from agentkit.core.contracts.types import ToolCall
from agentkit.testing.mutants._model_backend import Event
from agentkit.testing.mutants._model_kinds import breaks_both, breaks_ignoring, breaks_lacking
from agentkit.testing.mutants._model_reference import Needs, ReferenceModel
from agentkit.testing.suites import Feature


@breaks_both("MODEL-TOOL-01")
class NamesCallsAfterTheirTool(ReferenceModel):
    """It takes the tool's name for the call's id."""

    def call(self, call: ToolCall) -> ToolCall:
        return replace(call, id=call.name)


@breaks_both("MODEL-TOOL-02")
class KeepsTheLastCall(ReferenceModel):
    """It has one place for calls."""

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        last: list[Event] = []
        async for event in super().events(needs, run):
            if event.kind == "call":
                last = [event]
                continue
            for each in last if event.kind == "end" else ():
                yield each
            yield event


@breaks_both("MODEL-TOOL-03")
class ReadsArgumentsInDoubles(ReferenceModel):
    """It makes every number a float."""

    def call(self, call: ToolCall) -> ToolCall:
        given = call.arguments.items()
        read = {k: float(v) if type(v) is int else v for k, v in given}
        return ToolCall(call.id, call.name, read)


@breaks_both("MODEL-TOOL-04")
class DropsTextBesideCalls(ReferenceModel):
    """It gives calls or text, not both."""

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        told = [event async for event in super().events(needs, run)]
        has_calls = any(event.kind == "call" for event in told)
        for event in told:
            if event.kind != "text" or not has_calls:
                yield event


@breaks_both("MODEL-TOOL-05")
class TakesUnreadableForNone(ReferenceModel):
    """It takes arguments that are no JSON for no arguments."""

    def call(self, call: ToolCall) -> ToolCall:
        return call if call.raw_arguments is None else ToolCall(call.id, call.name, {})


@breaks_both("MODEL-TOOL-06")
class TakesNoResults(ReferenceModel):
    """It does not know the role of a tool."""

    def look_at(self, needs: Needs) -> None:
        super().look_at(needs)
        if "tool" in needs.roles:
            raise ValueError("no role: tool")


@breaks_both("MODEL-TOOL-07")
class WantsACall(ReferenceModel):
    """It fails where there are tools and no call."""

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        told = [event async for event in super().events(needs, run)]
        if needs.tools and not any(event.kind == "call" for event in told):
            raise ValueError("no call")
        for event in told:
            yield event


@breaks_both("MODEL-STRUCT-01")
class FencesJson(ReferenceModel):
    """It hands on the fence around the JSON."""

    is_fencing = False

    def look_at(self, needs: Needs) -> None:
        super().look_at(needs)
        self.is_fencing = needs.schema is not None

    def read(self, event: Event) -> list[Event]:
        fence = [Event("text", "```")] if self.is_fencing and event.kind == "end" else []
        return [*fence, *super().read(event)]


@breaks_both("MODEL-STRUCT-02")
class KnowsSchemasOnly(ReferenceModel):
    """It looks for a schema in whatever form is asked for."""

    def look_at(self, needs: Needs) -> None:
        super().look_at(needs)
        if needs.schema is not None and "json_schema" not in needs.schema:
            raise KeyError("json_schema")


@breaks_both("MODEL-VISION-01")
class TakesNoImages(ReferenceModel):
    """It says that it sees, and does not."""

    def look_at(self, needs: Needs) -> None:
        super().look_at(needs)
        if needs.images:
            raise UnsupportedOption("no images", option="messages")


@breaks_both("MODEL-VISION-02")
class SeesOnce(ReferenceModel):
    """It takes an image in the first turn only."""

    def look_at(self, needs: Needs) -> None:
        super().look_at(needs)
        if needs.images and len(needs.roles) > 1:
            raise ValueError("one image")


@breaks_both("MODEL-REASON-01")
class ThinksAloud(ReferenceModel):
    """It tells reasoning as text."""

    def read(self, event: Event) -> list[Event]:
        is_thought = event.kind == "thought"
        return [Event("text", event.value)] if is_thought else super().read(event)


@breaks_both("MODEL-REASON-02")
class TellsItsThoughtsLast(ReferenceModel):
    """It gives the reasoning when the answer is over."""

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        thoughts: list[Event] = []
        async for event in super().events(needs, run):
            if event.kind == "thought":
                thoughts.append(event)
                continue
            for each in thoughts if event.kind == "end" else ():
                yield each
            yield event


@breaks_both("MODEL-REASON-03")
class RemembersItsThoughts(ReferenceModel):
    """It keeps what it thought for the next call."""

    thoughts: list[Event]

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        self.thoughts = getattr(self, "thoughts", [])
        for thought in self.thoughts:
            yield thought
        async for event in super().events(needs, run):
            if event.kind == "thought":
                self.thoughts.append(event)
            yield event


@breaks_lacking("MODEL-LACK-01", "MODEL-LACK-02", "MODEL-LACK-03")
class SendsThenRefuses(ReferenceModel):
    """It lets the backend refuse."""

    def refuse(self, feature: Feature) -> None:
        self.backend.requests += 1
        super().refuse(feature)


@breaks_lacking("MODEL-LACK-01", "MODEL-LACK-02", "MODEL-LACK-03")
class DropsWhatItLacks(ReferenceModel):
    """It answers as if nothing had been asked for."""

    def refuse(self, feature: Feature) -> None: ...


@breaks_lacking("MODEL-LACK-04")
class InventsThoughts(ReferenceModel):
    """It says something of its thinking where there is none."""

    def read(self, event: Event) -> list[Event]:
        return [Event("thought", "..."), event] if event.kind == "end" else [event]


@breaks_ignoring("MODEL-IGNORE-01", "MODEL-IGNORE-02", "MODEL-IGNORE-03", "MODEL-IGNORE-04")
class WarnsOfEveryCall(ReferenceModel):
    """It warns each time."""

    def warn(self, feature: Feature) -> None:
        super().warn(feature)
        self.has_warned = False


@breaks_ignoring("MODEL-IGNORE-01", "MODEL-IGNORE-02", "MODEL-IGNORE-03", "MODEL-IGNORE-04")
class IgnoresInSilence(ReferenceModel):
    """It ignores without a word."""

    def warn(self, feature: Feature) -> None: ...
