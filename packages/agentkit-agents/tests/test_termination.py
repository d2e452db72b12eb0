"""Conditions that end a run."""

import asyncio
import copy
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.agents import Agent
from agentkit.agents.termination import (
    ExternalTermination,
    FunctionalTermination,
    FunctionCall,
    MaxMessages,
    MaxTurns,
    SourceMatch,
    Stop,
    TerminationCondition,
    TextMention,
    Timeout,
    judge_termination,
)
from agentkit.core.contracts.types import Message, ToolCall
from agentkit.core.testing import FakeClock, FakeLLM, make_test_ctx

SAYS = Message("assistant", "all DONE", name="sre")
ASKS = Message("user", "DONE yet?")
CALLS = Message("assistant", "", tool_calls=(ToolCall("c", "submit"),))


def says(reply: str) -> Callable[[str], str]:
    return lambda _question: reply


def verdict(condition: TerminationCondition, *messages: Message, ctx: Any = None) -> str | None:
    stop = asyncio.run(condition(messages, ctx))
    return None if stop is None else stop.reason


@pytest.mark.parametrize(
    ("condition", "message", "reason"),
    [
        (MaxMessages(1), SAYS, "max_messages"),
        (MaxMessages(2), SAYS, None),
        (MaxTurns(1), SAYS, "max_turns"),
        (MaxTurns(1), ASKS, None),
        (TextMention("DONE"), SAYS, "text_mention"),
        (TextMention("DONE", sources=["assistant"]), ASKS, None),
        (TextMention("DONE", sources=["sre"]), SAYS, "text_mention"),
        (FunctionCall("submit"), CALLS, "function_call"),
        (FunctionCall("submit"), SAYS, None),
        (SourceMatch("sre", "dba"), SAYS, "source_match"),
        (SourceMatch("dba"), SAYS, None),
        (FunctionalTermination(bool, reason="any"), SAYS, "any"),
        (judge_termination(says("Yes, it is"), question="done?"), SAYS, "judged"),
        (judge_termination(says("No. YES later"), question="done?"), SAYS, None),
    ],
)
def test_each_condition_stops_for_its_reason(
    condition: TerminationCondition, message: Message, reason: str | None
) -> None:
    assert verdict(copy.deepcopy(condition), message) == reason


def test_it_stays_stopped_until_reset() -> None:
    condition = TextMention("DONE")
    verdict(condition, SAYS)

    assert (verdict(condition, CALLS), condition.terminated) == ("text_mention", True)
    asyncio.run(condition.reset())
    assert (verdict(condition, CALLS), condition.terminated) == (None, False)


def test_either_or_both() -> None:
    either = MaxMessages(3) | TextMention("DONE")
    both = MaxMessages(2) & TextMention("DONE")

    assert verdict(either, SAYS) == "text_mention"
    assert (verdict(both, SAYS), verdict(both, CALLS)) == (None, "all")


def test_a_copy_counts_for_itself_and_an_external_one_is_shared() -> None:
    counting, external = MaxMessages(1), ExternalTermination()
    both = copy.deepcopy(counting | external)

    external.set()

    assert verdict(both, SAYS) == "max_messages"
    assert verdict(copy.deepcopy(external), SAYS) == "external"
    assert not counting.terminated


def test_counting_goes_on_over_a_replay() -> None:
    condition = MaxTurns(2) | MaxTurns(9)

    asyncio.run(condition.replay([SAYS]))

    assert verdict(condition, SAYS) == "max_turns"


def test_time_runs_by_the_given_clock_from_the_reset() -> None:
    clock = FakeClock(100.0)
    condition = copy.deepcopy(Timeout(10, clock=clock.now))
    clock.advance(9)
    assert verdict(condition, SAYS) is None

    clock.advance(1)
    assert verdict(condition, SAYS) == "timeout"
    asyncio.run(condition.reset())
    assert verdict(condition, SAYS) is None


def test_an_agent_can_judge() -> None:
    judge = judge_termination(Agent("judge", model="m"), question="done?", reason="judged done")

    assert (
        verdict(copy.deepcopy(judge), SAYS, ctx=make_test_ctx(llm=FakeLLM("yes"))) == "judged done"
    )


def test_an_async_predicate_is_awaited() -> None:
    async def never(messages: Any) -> bool:
        return False

    assert verdict(copy.deepcopy(FunctionalTermination(never)), SAYS) is None


def test_a_condition_that_always_stops_is_refused() -> None:
    with pytest.raises(ValueError, match="MaxTurns is 1 or more"):
        MaxTurns(0)
    with pytest.raises(ValueError, match="give some"):
        TextMention("")


def test_stops_hash_by_their_reason() -> None:
    assert hash(Stop("a", {"x": [1]})) == hash(Stop("a"))
