"""A run that dies at any checkpoint goes on from there, and repeats nothing that was finished."""

import asyncio
import dataclasses
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from agentkit.agents import Agent, AgentResult, ReActCognition
from agentkit.agents.termination import MaxTurns
from agentkit.core.contracts.errors import CheckpointConflict, CheckpointerError, RunUnfinished
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.core.contracts.types import ToolCall
from agentkit.core.runtime import RunContext
from agentkit.core.testing import FakeLLM, FakeTool, MemoryCheckpoints, Turn, make_test_ctx

T = TypeVar("T")
SCRIPT = [
    Turn("one", tool_calls=(ToolCall("a1", "look", {"n": 1}), ToolCall("a2", "look", {"n": 2}))),
    Turn("two", tool_calls=(ToolCall("b1", "look", {"n": 3}),)),
    Turn("the end"),
]
# Begin, two answers with tools, three tool calls, the end.
SAVES = 7


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


class Killed(BaseException):
    """The process died."""


class Mortal(MemoryCheckpoints):
    """Dies right after the save of one version."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    async def save(self, cp: Checkpoint) -> None:
        await super().save(cp)
        if cp.version == self.at:
            raise Killed


def saw(args: dict[str, Any]) -> str:
    return f"saw {args['n']}"


def resuming(store: MemoryCheckpoints, turns: list[Turn]) -> tuple[FakeLLM, RunContext]:
    llm = FakeLLM.script(turns)
    return llm, make_test_ctx(llm=llm, checkpointer=store)


def looking(look: FakeTool) -> Agent:
    return Agent("sre", model="m", prompt="Look.", cognition=ReActCognition([look]))


def crash(store: MemoryCheckpoints, look: FakeTool) -> FakeLLM:
    llm, ctx = resuming(store, SCRIPT)
    with pytest.raises(Killed):
        run(looking(look).run("go", ctx))
    return llm


@pytest.mark.parametrize("at", range(1, SAVES + 1))
def test_a_run_that_dies_after_any_save_ends_the_same_with_each_call_made_once(at: int) -> None:
    store, look = Mortal(at), FakeTool("look", responder=saw)
    dead = crash(store, look)

    llm, ctx = resuming(store, list(dead.unused_turns))
    result = run(looking(look).resume("test-run", ctx))

    assert (result.output, result.usage.input_tokens) == ("the end", 30)
    assert sorted(call["n"] for call in look.calls) == [1, 2, 3]
    assert dead.calls + llm.calls == len(SCRIPT)


@pytest.mark.parametrize("at", range(1, SAVES))
def test_the_model_reads_the_same_transcript_as_in_an_uninterrupted_run(at: int) -> None:
    whole, straight = resuming(MemoryCheckpoints(), SCRIPT)
    run(looking(FakeTool("look", responder="saw")).run("go", straight))
    store, look = Mortal(at), FakeTool("look", responder="saw")
    dead = crash(store, look)
    llm, ctx = resuming(store, list(dead.unused_turns))
    run(looking(look).resume("test-run", ctx))

    assert llm.requests[-1].messages == whole.requests[-1].messages


@pytest.mark.parametrize("at", range(1, SAVES))
def test_no_saved_message_holds_a_call_without_its_outcome(at: int) -> None:
    store = Mortal(at)
    crash(store, FakeTool("look"))

    saved = run(store.latest("test-run"))
    assert saved is not None
    asked = [call["id"] for m in saved.state["messages"] for call in m["tool_calls"]]
    answered = [m["tool_call_id"] for m in saved.state["messages"] if m["tool_call_id"]]
    assert asked == answered


def test_a_second_run_of_an_unfinished_id_is_refused() -> None:
    store = Mortal(2)
    crash(store, FakeTool("look"))

    llm, ctx = resuming(store, SCRIPT)
    with pytest.raises(RunUnfinished, match="resume it") as caught:
        run(looking(FakeTool("look")).run("another task", ctx))
    assert (caught.value.run_id, llm.calls) == ("test-run", 0)


def test_a_finished_run_is_marked_done_and_the_next_one_counts_on() -> None:
    store = MemoryCheckpoints()
    agent = Agent("a", model="m")
    for _ in range(2):
        run(agent.run("go", make_test_ctx(llm=FakeLLM("x"), checkpointer=store)))

    saved = run(store.latest("test-run"))
    assert saved is not None
    assert (saved.status, saved.version) == (CheckpointStatus.DONE, 4)


def test_a_finished_run_that_is_resumed_gives_its_result_again() -> None:
    store = MemoryCheckpoints()
    look = FakeTool("look")
    first = run(looking(look).run("go", resuming(store, SCRIPT)[1]))
    llm, ctx = resuming(store, [])

    assert run(looking(look).resume("test-run", ctx)) == first
    assert llm.calls == 0


def test_an_answer_that_does_not_fit_is_a_failed_run() -> None:
    store = MemoryCheckpoints()
    agent = Agent("a", model="m", parse=int, max_repairs=0)
    run(agent.run("go", make_test_ctx(llm=FakeLLM("x"), checkpointer=store)))

    saved = run(store.latest("test-run"))
    assert saved is not None
    assert saved.status is CheckpointStatus.FAILED


def test_conditions_go_on_counting() -> None:
    store, look = Mortal(2), FakeTool("look")
    agent = Agent("sre", model="m", cognition=ReActCognition([look], termination=MaxTurns(2)))
    with pytest.raises(Killed):
        run(agent.run("go", resuming(store, SCRIPT)[1]))

    result = run(agent.resume("test-run", resuming(store, SCRIPT[1:])[1]))
    assert result.evals["stop_reason"] == "max_turns"


def test_a_second_worker_on_one_run_stops_the_first() -> None:
    store = MemoryCheckpoints()

    async def other_worker(_: Any) -> str:
        llm = FakeLLM("taken over")
        ctx = make_test_ctx(llm=llm, checkpointer=store)
        await Agent("sre", model="m", cognition=ReActCognition([])).resume("test-run", ctx)
        return "late"

    with pytest.raises(CheckpointConflict):
        run(
            looking(FakeTool("look", responder=other_worker)).run(
                "go", resuming(store, SCRIPT[1:])[1]
            )
        )


def test_a_child_is_filed_under_its_own_slot() -> None:
    store = MemoryCheckpoints()

    async def both() -> None:
        ctx = make_test_ctx(llm=FakeLLM("x"), checkpointer=store)
        for _ in range(2):
            await Agent("a", model="m").run("go", ctx.child())

    run(both())
    assert run(store.latest("test-run")) is None
    assert [len(run(store.list_versions(f"test-run/~{n}"))) for n in (0, 1)] == [2, 2]


def resumed(ctx: RunContext, run_id: str = "test-run", **settings: Any) -> AgentResult:
    return run(Agent("a", model="m", **settings).resume(run_id, ctx))


def test_a_context_of_another_run_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot resume 'other'"):
        resumed(make_test_ctx(llm=FakeLLM()), "other")


def test_nothing_to_resume_says_so() -> None:
    with pytest.raises(ValueError, match="nothing to resume"):
        resumed(make_test_ctx(llm=FakeLLM(), checkpointer=MemoryCheckpoints()))


def test_resuming_without_a_checkpointer_says_so() -> None:
    with pytest.raises(CheckpointerError, match="without a checkpointer"):
        resumed(make_test_ctx(llm=FakeLLM()))


def test_another_agents_run_is_refused() -> None:
    store = Mortal(2)
    crash(store, FakeTool("look"))

    with pytest.raises(ValueError, match="of agent 'sre', not of 'a'"):
        resumed(make_test_ctx(llm=FakeLLM(), checkpointer=store))


@pytest.mark.parametrize("state", [{}, {"format": 99}, {"format": 1}, {"format": 1, "agent": "a"}])
def test_a_state_that_cannot_be_read_is_one_typed_error(state: dict[str, Any]) -> None:
    store = MemoryCheckpoints()
    run(store.save(Checkpoint("test-run", 1, state, 0.0, CheckpointStatus.RUNNING)))

    with pytest.raises(CheckpointerError, match="saved state"):
        resumed(make_test_ctx(llm=FakeLLM(), checkpointer=store))


def test_a_run_that_is_over_without_a_result_is_one_typed_error() -> None:
    store = Mortal(2)
    crash(store, FakeTool("look"))
    saved = run(store.latest("test-run"))
    assert saved is not None
    over = dataclasses.replace(saved, version=3, status=CheckpointStatus.DONE)
    run(store.save(over))

    with pytest.raises(CheckpointerError, match="no saved result"):
        run(looking(FakeTool("look")).resume("test-run", resuming(store, [])[1]))


def test_a_cognition_that_saves_nothing_cannot_resume() -> None:
    class Mute:
        name = "mute"

        def drive(  # noqa: PLR0917
            self, agent: Any, task: str, ctx: Any, context: Any
        ) -> Any: ...

    with pytest.raises(RuntimeError, match="saves no state"):
        resumed(make_test_ctx(llm=FakeLLM()), cognition=Mute())
