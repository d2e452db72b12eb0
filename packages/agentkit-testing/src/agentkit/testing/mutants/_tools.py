"""A correct tool, and those that take anything, remember, or change what they are given."""

import asyncio
from typing import Any, ClassVar

from agentkit.core.contracts.errors import ToolArgumentError
from agentkit.core.contracts.types import ToolSchema
from agentkit.testing.mutants._trial import Trial, breaks, tries
from agentkit.testing.suites import ToolSuite

__all__ = ["ReferenceTool"]


class ReferenceTool:
    """A `ToolPort` that keeps every clause: it gives words back, in capitals."""

    name = "capitals"
    parameters: ClassVar[Any] = {"type": "object", "properties": {"words": {"type": "array"}}}

    def __init__(self) -> None:
        self.done = 0
        self.schema: Any = self.advertised()

    def advertised(self) -> Any:
        """Give the schema."""
        return ToolSchema(self.name, "Capitals.", self.parameters)

    async def run(self, args: dict[str, Any], ctx: Any) -> Any:
        """Do the work."""
        self.check(args)
        return await self.work(args)

    def check(self, args: dict[str, Any]) -> None:
        """Refuse what is not taken."""
        if set(args) != {"words"} or not isinstance(args["words"], list):
            raise self.refusal(args)

    def refusal(self, args: dict[str, Any]) -> Exception:
        """Give the error for *args*."""
        return ToolArgumentError("give words", tool_name=self.name, unexpected=tuple(args))

    async def work(self, args: dict[str, Any]) -> Any:
        """Give the words in capitals."""
        self.done += 1
        await asyncio.sleep(0)
        return self.result([word.upper() for word in args["words"]])

    def result(self, words: list[str]) -> Any:
        """Give what the work came to."""
        return words


@tries(ReferenceTool)
class _ToolTrial(Trial, ToolSuite):
    def prepare(self) -> None:
        self.tool = self.kind()

    def make(self) -> Any:
        return self.tool

    def arguments(self) -> dict[str, Any]:
        return {"words": ["a", "b"]}

    def bad_arguments(self) -> list[dict[str, Any]]:
        return [{}, {"words": "a"}, {"words": [], "more": 1}]

    async def runs(self) -> int:
        done: int = self.tool.done
        return done


@breaks("TOOL-PORT-01")
class HasAnOddName(ReferenceTool):
    """It has a name that no provider takes."""

    name = "in capitals, please"


@breaks("TOOL-SCHEMA-01", "TOOL-SCHEMA-02")
class AdvertisesADict(ReferenceTool):
    """It gives its parameters for its schema."""

    def advertised(self) -> Any:
        return self.parameters


@breaks("TOOL-SCHEMA-02")
class IsCalledOtherwise(ReferenceTool):
    """It is advertised under another name."""

    def advertised(self) -> Any:
        return ToolSchema("fake_tool", "Capitals.", self.parameters)


@breaks("TOOL-SCHEMA-03")
class TakesAList(ReferenceTool):
    """Its parameters are no object."""

    parameters: ClassVar[Any] = {"type": "array"}


@breaks("TOOL-RUN-01")
class GivesATuple(ReferenceTool):
    """It gives what is no JSON."""

    def result(self, words: list[str]) -> Any:
        return tuple(words)


@breaks("TOOL-RUN-02", "TOOL-RUN-03")
class EatsItsArguments(ReferenceTool):
    """It takes the words out of its arguments one by one."""

    async def work(self, args: dict[str, Any]) -> Any:
        words: list[str] = args["words"]
        return [words.pop(0).upper() for _ in range(len(words))]


@breaks("TOOL-RUN-04")
class WorksTwice(ReferenceTool):
    """It does the work again to be sure."""

    async def work(self, args: dict[str, Any]) -> Any:
        await super().work(args)
        return await super().work(args)


@breaks("TOOL-RUN-04")
class RemembersAnswers(ReferenceTool):
    """It does not do the work again."""

    answer: Any = None

    async def work(self, args: dict[str, Any]) -> Any:
        if self.answer is None:
            self.answer = await super().work(args)
        return self.answer


@breaks("TOOL-RUN-05")
class WorksOnItself(ReferenceTool):
    """It keeps the words of a call on itself."""

    async def work(self, args: dict[str, Any]) -> Any:
        self.words: list[str] = []
        for word in args["words"]:
            self.words.append(word.upper())
            await asyncio.sleep(0)
        self.done += 1
        return list(self.words)


@breaks("TOOL-RUN-06")
class GivesTheSameList(ReferenceTool):
    """It gives a list that it keeps."""

    kept: Any = None

    def result(self, words: list[str]) -> Any:
        self.kept = self.kept or words
        return self.kept


@breaks("TOOL-ARGS-01")
class ChecksAfterwards(ReferenceTool):
    """It finds out while it works."""

    async def run(self, args: dict[str, Any], ctx: Any) -> Any:
        self.done += 1
        return await super().run(args, ctx)


@breaks("TOOL-ARGS-01", "TOOL-ARGS-02")
class RaisesWhateverComes(ReferenceTool):
    """It lets Python say what is wrong."""

    def refusal(self, args: dict[str, Any]) -> Exception:
        return TypeError("missing 1 required argument")


@breaks("TOOL-ARGS-02")
class DoesNotSayWho(ReferenceTool):
    """Its refusal does not name it."""

    def refusal(self, args: dict[str, Any]) -> Exception:
        return ToolArgumentError("give words")


@breaks("TOOL-CANCEL-01")
class StaysBusy(ReferenceTool):
    """It takes one call at a time, and a cancelled one for ever."""

    is_busy = False

    async def work(self, args: dict[str, Any]) -> Any:
        if self.is_busy:
            raise RuntimeError("busy")
        self.is_busy = True
        result = await super().work(args)
        self.is_busy = False
        return result
