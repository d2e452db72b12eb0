"""Whatever a tool raises, and wherever, is told to the model: no run hangs or dies of it."""

import asyncio
import enum
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeVar

import pytest
from pydantic import AfterValidator, BaseModel, field_validator

from agentkit.agents import Agent, AgentResult, ReActCognition, tool
from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.types import ToolCall, ToolSchema
from agentkit.core.policies import idempotent
from agentkit.core.testing import FakeLLM, FakeTool, JsonStore, Turn, make_test_ctx

T = TypeVar("T")
ABOUT = "Does what the test that made it wants done."


def told_by(a_tool: Any, arguments: dict[str, Any], **wired: Any) -> str:
    llm = FakeLLM.script([Turn(tool_calls=(ToolCall("c", a_tool.name, arguments),)), Turn("done")])
    agent = Agent("a", model="m", cognition=ReActCognition([a_tool]))

    async def within_limits(work: Coroutine[Any, Any, AgentResult]) -> AgentResult:
        return await asyncio.wait_for(work, 5)

    ctx = make_test_ctx(llm=llm, **wired)
    assert asyncio.run(within_limits(agent.run("go", ctx))).output == "done"
    return llm.requests[-1].messages[-1].content


def sync(error: Exception) -> Any:
    @tool(side_effecting=False, name="t", description=ABOUT)
    def fails(n: int) -> int:
        raise error

    return fails


def coroutine(error: Exception) -> Any:
    @tool(side_effecting=False, name="t", description=ABOUT)
    async def fails(n: int) -> int:
        raise error

    return fails


def responder(error: Exception) -> Any:
    def fails(args: Any) -> Any:
        raise error

    return FakeTool("t", responder=fails)


class Custom:
    """A tool that is no coroutine function."""

    name = "t"
    schema = ToolSchema("t")

    def __init__(self, error: Exception) -> None:
        self.error = error

    def run(self, args: Any, ctx: Any) -> Any:
        raise self.error


class Checking(FakeTool):
    """A tool whose own check fails."""

    def __init__(self, error: Exception) -> None:
        super().__init__("t")
        self.error = error

    def check_arguments(self, args: Any) -> None:
        raise self.error


@pytest.mark.parametrize("error", [StopIteration, StopAsyncIteration, KeyError, OSError])
@pytest.mark.parametrize("make", [sync, coroutine, responder, Custom, Checking])
def test_an_error_is_told_by_its_name(
    make: Callable[[Exception], Any], error: type[Exception]
) -> None:
    assert told_by(make(error()), {"n": 1}) == f"ERROR: {error.__name__}"


class Picky(enum.Enum):
    """Looks up what it misses, and fails at that."""

    ONE = "one"

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return next(iter(()))


class Model(BaseModel):
    """Checks with a function that fails."""

    n: int

    @field_validator("n")
    @classmethod
    def _checked(cls, value: int) -> int:
        return int(next(iter([])) / value)


def _failing(value: int) -> int:
    return value // 0


HOOKS = [(Picky, "two"), (Model, {"n": 1}), (Annotated[int, AfterValidator(_failing)], 1)]


@pytest.mark.parametrize(("kind", "value"), HOOKS, ids=["enum", "model", "annotated"])
def test_a_hook_of_a_type_that_fails_is_a_fault_of_the_arguments(kind: Any, value: Any) -> None:
    def fn(x: Any) -> None: ...

    fn.__annotations__["x"] = kind
    a_tool = tool(side_effecting=False, name="t", description=ABOUT)(fn)
    assert told_by(a_tool, {"x": value}).startswith("ERROR: tool 't' call rejected: invalid")


@pytest.mark.parametrize("make", [coroutine, responder, Custom, Checking])
def test_a_cancellation_is_told_to_nobody_and_ends_the_run(make: Any) -> None:
    with pytest.raises(Cancelled, match="enough"):
        told_by(make(Cancelled("enough")), {"n": 1})


def test_an_error_that_cannot_tell_itself_is_told_by_its_name() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert told_by(sync(Mute()), {"n": 1}) == "ERROR: Mute"


async def cancels_its_own(_: Any) -> None:
    """Wait for a task that somebody else has cancelled."""
    own = asyncio.ensure_future(asyncio.Event().wait())
    own.cancel()
    await own


async def raises_it(_: Any) -> None:
    raise asyncio.CancelledError


@pytest.mark.parametrize("policies", [[], [idempotent(store=JsonStore())]], ids=["bare", "once"])
@pytest.mark.parametrize("fails", [cancels_its_own, raises_it])
def test_a_tool_that_is_cancelled_from_within_has_failed(fails: Any, policies: list[Any]) -> None:
    a_tool = FakeTool("t", responder=fails, side_effecting=True)

    assert told_by(a_tool, {}, tool_middleware=policies) == "ERROR: CancelledError"


class Scene:
    """A run of two tools: one waits for ever, and the other one ends as it is told to."""

    def __init__(self, ends: Any = None) -> None:
        self.waits = asyncio.Event()
        tools = [FakeTool("wait", responder=self.wait), FakeTool("end", responder=ends)]
        calls = tuple(ToolCall(a_tool.name, a_tool.name) for a_tool in tools)
        llm = FakeLLM.script([Turn(tool_calls=calls), Turn("done")])
        agent = Agent("a", model="m", cognition=ReActCognition(tools))
        self.running = asyncio.ensure_future(agent.run("go", make_test_ctx(llm=llm)))

    async def wait(self, _: Any) -> None:
        self.waits.set()
        await asyncio.Event().wait()


def test_a_run_that_is_cancelled_ends_whatever_its_tools_wait_for() -> None:
    async def cancelled() -> None:
        scene = Scene()
        await scene.waits.wait()
        scene.running.cancel()
        await scene.running

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def test_a_tool_that_stops_the_run_stops_the_tools_beside_it() -> None:
    async def stopped() -> None:
        await Scene(raising(Cancelled("enough"))).running

    with pytest.raises(Cancelled, match="enough"):
        asyncio.run(stopped())


def raising(error: Exception) -> Callable[[Any], Any]:
    async def fails(_: Any) -> None:
        raise error

    return fails
