"""Autonomy, decisions, elicitation, and what a run comes to."""

import asyncio
import dataclasses
from typing import Any

import pytest

from agentkit.agents import AgentResult, Decision, Suspended, ToolOutcome
from agentkit.agents.gates import Asker, Elicitation, as_decision, elicit, should_gate
from agentkit.agents.results import stop_reason_for
from agentkit.core.contracts.types import ToolCall
from agentkit.core.testing import RecordingObserver, make_test_ctx


class Silent:
    async def ask(self, request: Elicitation) -> Decision:
        await asyncio.Event().wait()
        raise AssertionError(request)


class Answers:
    def __init__(self, decision: Decision) -> None:
        self.decision = decision

    async def ask(self, request: Elicitation) -> Decision:
        return self.decision


QUESTION = Elicitation("q1", "May I?", secret=True)


@pytest.mark.parametrize(
    ("autonomy", "requires_approval", "key_step", "gated"),
    [
        ("auto", False, True, False),
        ("auto", True, False, True),
        ("gated", False, False, False),
        ("gated", False, True, True),
        ("manual", False, False, True),
    ],
)
def test_autonomy_decides(
    autonomy: str, *, requires_approval: bool, key_step: bool, gated: bool
) -> None:
    assert should_gate(autonomy, requires_approval=requires_approval, key_step=key_step) is gated


def test_an_unknown_autonomy_is_refused() -> None:
    with pytest.raises(ValueError, match="sometimes"):
        should_gate("sometimes")


@pytest.mark.parametrize(
    ("given", "kind", "approved"),
    [
        ("approve", "approve", True),
        ("deny", "deny", False),
        ("reject", "deny", False),
        ('{"a": 1}', "modify", True),
        (Decision("expired"), "expired", False),
    ],
)
def test_a_word_stands_for_a_decision(given: Any, kind: str, *, approved: bool) -> None:
    assert (as_decision(given).kind, as_decision(given).approved) == (kind, approved)


@pytest.mark.parametrize("given", ["yes", "[]", "", None])
def test_any_other_word_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="a decision is"):
        as_decision(given)


def test_nobody_to_ask_denies() -> None:
    assert asyncio.run(elicit(make_test_ctx(), QUESTION)).kind == "deny"


def test_a_deadline_that_passes_expires() -> None:
    question = dataclasses.replace(QUESTION, deadline_s=0.0)

    assert asyncio.run(elicit(make_test_ctx(), question, asker=Silent())).kind == "expired"


def test_a_timeout_of_the_asker_itself_is_no_answer() -> None:
    class Fails:
        async def ask(self, request: Elicitation) -> Decision:
            raise TimeoutError(request.id)

    with pytest.raises(TimeoutError, match="q1"):
        asyncio.run(elicit(make_test_ctx(), QUESTION, asker=Fails()))


def test_decisions_hash_by_who_decided_what_and_when() -> None:
    assert hash(Decision("modify", {"a": [1]})) == hash(Decision("modify"))
    assert Decision("approve").redacted() == Decision("approve")


def test_what_is_entered_in_secret_is_not_observed() -> None:
    observer = RecordingObserver()
    asker = Answers(Decision("value", "hunter2"))
    assert isinstance(asker, Asker)

    answer = asyncio.run(elicit(make_test_ctx(observer=observer), QUESTION, asker=asker))

    assert answer.value == "hunter2"
    assert "hunter2" not in repr(observer.items)


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        (None, "complete"),
        ("awaiting_input", "suspended"),
        ("satisfied", "complete"),
        ("max_rounds", "max_iterations"),
        ("stalled", "terminated"),
        ("anything else", "terminated"),
        ("budget_exhausted", "budget_exhausted"),
    ],
)
def test_every_reason_has_a_place_in_the_closed_set(reason: str | None, stop: str) -> None:
    assert stop_reason_for(reason) == stop


def test_a_result_is_frozen_and_hashes_on_identity() -> None:
    one, other = AgentResult("x", evals={"a": [1]}), AgentResult("x", evals={"a": [2]})

    assert (hash(one), one == other) == (hash(other), False)
    with pytest.raises(TypeError, match="frozen value"):
        one.evals["a"].append(2)


def test_a_result_says_what_it_waits_for() -> None:
    waits = Suspended("r1", (ToolCall("c", "drop", {"t": [1]}),))
    result = AgentResult("", evals={"suspended": waits}, stop_reason="suspended")

    assert (result.suspended, result.is_suspended, result.is_resumable) == (waits, True, True)
    assert AgentResult("x").suspended is None
    assert not ToolOutcome(kind="ok", text="x").is_error
