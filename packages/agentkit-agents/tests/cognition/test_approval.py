"""Gated calls: who is asked, what is waited for, what is run."""

import asyncio
import math
from collections.abc import Coroutine, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import pytest

from agentkit.agents import Agent, AgentResult, Decision, ReActCognition, tool
from agentkit.agents.gates import DecisionLike, Elicitation
from agentkit.core.contracts.errors import ApprovalUnavailable
from agentkit.core.contracts.ports import CheckpointStatus
from agentkit.core.contracts.types import ToolCall
from agentkit.core.testing import (
    FakeClock,
    FakeLLM,
    FakeTool,
    MemoryCheckpoints,
    RecordingObserver,
    Turn,
    make_test_ctx,
)

T = TypeVar("T")
DROP = ToolCall("d1", "drop", {"table": "logs"})
LOOK = ToolCall("l1", "look", {})


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


class Ask:
    """Decides as it is told, and keeps what it was asked."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision
        self.asked: list[Elicitation] = []

    async def ask(self, request: Elicitation) -> Decision:
        self.asked.append(request)
        return self.decision


class Scene:
    """One agent with a harmless tool and a gated one, over one store of checkpoints."""

    def __init__(self, *, deadline: float | None = None) -> None:
        self.drop = FakeTool("drop", responder="gone", side_effecting=True, requires_approval=True)
        self.look = FakeTool("look", responder="seen")
        self.store = MemoryCheckpoints()
        self.clock = FakeClock(1000.0)
        self.llm = FakeLLM.script([Turn("hm", tool_calls=(LOOK, DROP)), Turn("done")])
        self.agent = Agent(
            "dba",
            model="m",
            cognition=ReActCognition([self.drop, self.look], approval_deadline_s=deadline),
        )

    def ctx(self, **wiring: Any) -> Any:
        wired: dict[str, Any] = {"checkpointer": self.store, "clock": self.clock, **wiring}
        return make_test_ctx(llm=self.llm, **wired)

    def start(self, **wiring: Any) -> AgentResult:
        return run(self.agent.run("clean up", self.ctx(**wiring)))

    def resume(self, decisions: Mapping[str, DecisionLike] | None = None) -> AgentResult:
        return run(self.agent.resume("test-run", self.ctx(), decisions=decisions))

    @property
    def told(self) -> list[str]:
        return [m.content for m in self.llm.requests[-1].messages if m.role == "tool"]


def test_a_gated_call_suspends_the_run_after_the_others_have_run() -> None:
    scene = Scene()

    result = scene.start()

    assert (result.stop_reason, result.is_resumable) == ("suspended", True)
    assert result.suspended is not None
    assert (result.suspended.pending, result.suspended.run_id) == ((DROP,), "test-run")
    assert (len(scene.look.calls), scene.drop.calls) == (1, [])


def test_a_suspended_run_is_saved_as_suspended() -> None:
    scene = Scene()
    scene.start()

    saved = run(scene.store.latest("test-run"))
    assert saved is not None
    assert saved.status is CheckpointStatus.SUSPENDED


def test_an_approved_call_is_run_once_and_the_others_not_again() -> None:
    scene = Scene()
    scene.start()

    result = scene.resume({"d1": "approve"})

    assert result.output == "done"
    assert (scene.drop.calls, len(scene.look.calls)) == ([{"table": "logs"}], 1)
    assert scene.told == ["seen", "gone"]


@pytest.mark.parametrize("decision", ["deny", "reject", Decision("deny", actor="ann", note="no!")])
def test_a_denied_call_is_not_run_and_the_model_is_told(decision: Any) -> None:
    scene = Scene()
    scene.start()

    assert scene.resume({"d1": decision}).output == "done"
    assert scene.drop.calls == []
    assert scene.told[1].startswith("DENIED: ")


def test_a_call_that_is_not_decided_on_is_denied_where_another_is() -> None:
    scene = Scene()
    scene.llm = FakeLLM.script([Turn(tool_calls=(DROP, ToolCall("d2", "drop"))), Turn("done")])
    scene.start()

    scene.resume({"d2": "approve"})

    assert scene.told == [
        "DENIED: the user did not approve this call: no decision was given",
        "gone",
    ]


@pytest.mark.parametrize("nothing", [None, {}])
def test_no_decisions_decide_nothing(nothing: Any) -> None:
    scene = Scene()
    scene.start()

    assert scene.resume(nothing).stop_reason == "suspended"
    assert scene.resume({"d1": "approve"}).output == "done"
    assert scene.drop.calls == [{"table": "logs"}]


def test_no_decisions_are_no_error_where_no_call_waits() -> None:
    store, agent = MemoryCheckpoints(), Agent("a", model="m")
    llm = FakeLLM.script([Turn(error=OSError("gone")), Turn("done")])
    with pytest.raises(OSError, match="gone"):
        run(agent.run("go", make_test_ctx(llm=llm, checkpointer=store)))

    again = make_test_ctx(llm=llm, checkpointer=store)
    assert run(agent.resume("test-run", again, decisions={})).output == "done"


@pytest.mark.parametrize("value", ["x", {"n": float("inf")}, {"n": {1}}], ids=str)
def test_an_asker_whose_arguments_are_no_json_is_told_to_the_model(value: Any) -> None:
    scene = Scene()

    assert scene.start(asker=Ask(Decision("modify", value))).output == "done"

    assert scene.drop.calls == []
    assert scene.told[1].startswith("ERROR: ValueError: a decision is")


@pytest.mark.parametrize(
    "given",
    [
        '{"table": "tmp"}',
        {"table": "tmp"},
        MappingProxyType({"table": "tmp"}),
        Decision("modify", {"table": "tmp"}),
    ],
    ids=["text", "dict", "mapping", "decision"],
)
def test_other_arguments_are_run_with_and_told(given: DecisionLike) -> None:
    scene = Scene()
    scene.start()

    scene.resume({"d1": given})

    assert scene.drop.calls == [{"table": "tmp"}]
    assert scene.told[1] == '[run with the approver\'s arguments: {"table": "tmp"}]\ngone'


def test_other_arguments_that_do_not_fit_are_refused() -> None:
    @tool(side_effecting=True, requires_approval=True)
    def drop(table: str) -> None:
        """Drop a table that nobody needs any more."""

    llm = FakeLLM.script([Turn(tool_calls=(DROP,)), Turn("done")])
    agent, store = Agent("a", model="m", cognition=ReActCognition([drop])), MemoryCheckpoints()
    run(agent.run("go", make_test_ctx(llm=llm, checkpointer=store)))
    ctx = make_test_ctx(llm=llm, checkpointer=store)
    run(agent.resume("test-run", ctx, decisions={"d1": '{"table": 1}'}))
    assert "invalid argument(s): table" in llm.requests[-1].messages[-1].content


@pytest.mark.parametrize(
    "decisions",
    [
        {"zz": "approve"},
        {"d1": "maybe"},
        {"d1": "[1]"},
        {"d1": '{"n": NaN}'},
        {"d1": '{"n": 1e999}'},
        {"d1": {"n": math.nan}},
        {"d1": {1: 2}},
        {"d1": {"n": {1}}},
    ],
    ids=str,
)
def test_a_decision_that_makes_no_sense_changes_nothing(decisions: dict[str, Any]) -> None:
    scene = Scene()
    scene.start()

    with pytest.raises(ValueError, match=r"decision|cannot decide"):
        scene.resume(decisions)
    assert scene.resume({"d1": "approve"}).output == "done"


def test_deciding_on_a_run_that_does_not_wait_is_refused() -> None:
    scene = Scene()
    scene.start()
    scene.resume({"d1": "approve"})

    assert scene.resume().output == "done"
    run(scene.agent.resume("test-run", scene.ctx()))


def test_after_the_deadline_the_call_has_expired() -> None:
    scene = Scene(deadline=60)
    result = scene.start()
    assert result.suspended is not None
    assert result.suspended.deadline_at == 1060.0

    scene.clock.advance(60)
    scene.resume({"d1": "approve"})

    assert scene.drop.calls == []
    assert scene.told[1].startswith("EXPIRED: ")


def test_an_asker_is_asked_while_the_run_waits() -> None:
    scene, ask = Scene(), Ask(Decision("approve", actor="ann"))

    assert scene.start(asker=ask).output == "done"
    assert (ask.asked[0].tool_call, ask.asked[0].agent) == (DROP, "dba")
    assert scene.drop.calls == [{"table": "logs"}]


def test_an_asker_may_deny_or_change() -> None:
    denied, changed = Scene(), Scene()

    denied.start(asker=Ask(Decision("deny", actor="ann")))
    changed.start(asker=Ask(Decision("modify", {"table": "tmp"})))

    assert denied.told[1] == "DENIED: ann did not approve this call"
    assert changed.drop.calls == [{"table": "tmp"}]


def test_without_anyone_to_ask_and_anywhere_to_wait_no_tool_is_run() -> None:
    scene = Scene()

    with pytest.raises(ApprovalUnavailable, match="wire an asker") as caught:
        scene.start(checkpointer=None)
    assert caught.value.tool_name == "drop"
    assert (scene.look.calls, scene.drop.calls) == ([], [])


@pytest.mark.parametrize(
    ("autonomy", "gated"), [("auto", ["drop"]), ("gated", ["drop"]), ("manual", ["look", "drop"])]
)
def test_autonomy_decides_what_is_gated(autonomy: Any, gated: list[str]) -> None:
    result = Scene().start(autonomy=autonomy)

    assert result.suspended is not None
    assert [call.name for call in result.suspended.pending] == gated


def test_gates_and_decisions_are_told_to_the_observer() -> None:
    scene, observer = Scene(), RecordingObserver()

    scene.start(asker=Ask(Decision("approve", actor="ann")), observer=observer)

    payloads = [seen.payload for seen in observer.items if seen.kind == "gate.check"]
    assert [p.get("tool", p.get("actor")) for p in payloads] == ["drop", "ann"]


def test_a_call_that_cannot_be_made_is_not_put_to_anyone() -> None:
    llm = FakeLLM.script([Turn(tool_calls=(ToolCall("x", "nope"),)), Turn("done")])
    ask = Ask(Decision("approve"))
    ctx = make_test_ctx(llm=llm, asker=ask, autonomy="manual")

    run(Agent("a", model="m", cognition=ReActCognition([])).run("go", ctx))

    assert ask.asked == []
