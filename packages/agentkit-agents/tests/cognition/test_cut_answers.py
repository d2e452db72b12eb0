"""An answer that was cut off or withheld is never taken for a finished one."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from agentkit.agents import (
    Agent,
    AgentResult,
    ReActCognition,
    SingleCallCognition,
    WorkingContext,
)
from agentkit.agents.termination import FunctionalTermination
from agentkit.core.contracts.content import ErrorBlock
from agentkit.core.contracts.ports import CheckpointStatus
from agentkit.core.contracts.types import ToolCall
from agentkit.core.policies import output_coerce
from agentkit.core.testing import FakeLLM, FakeTool, MemoryCheckpoints, Turn, make_test_ctx

T = TypeVar("T")


@dataclass
class Town:
    """Where."""

    city: str


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def answered(*turns: Turn, **settings: Any) -> tuple[AgentResult, FakeLLM]:
    llm = FakeLLM.script(turns, repeat_last=True)
    ctx = make_test_ctx(llm=llm, chat_middleware=[output_coerce()])
    return run(Agent("a", model="m", **settings).run("go", ctx)), llm


LENGTH = ["length", "max_tokens", "MAX_TOKENS", "model_length", "model_context_window_exceeded"]
FILTER = ["content_filter", "SAFETY", "RECITATION", "PROHIBITED_CONTENT", "SPII"]
COGNITIONS = pytest.mark.parametrize(
    "cognition",
    [SingleCallCognition(), ReActCognition([FakeTool("look")])],
    ids=["single-call", "react"],
)


@COGNITIONS
@pytest.mark.parametrize(
    ("word", "wording"),
    [
        *((word, "length") for word in LENGTH),
        *((word, "content_filter") for word in FILTER),
        ("refusal", "refusal"),
    ],
)
def test_text_that_was_cut_or_withheld_is_partial_and_not_complete(
    word: str, wording: str, cognition: Any
) -> None:
    result, _ = answered(Turn("On the one ha", finish_reason=word), cognition=cognition)

    assert (result.stop_reason, result.partial) == ("terminated", True)
    assert result.evals == {"stop_reason": wording, "finish_reason": word}
    assert result.output == "On the one ha"


ENDED = ["stop", "end_turn", "STOP", "stop_sequence", "eos_token", "COMPLETE", "done", "TOOL_CALL"]


@pytest.mark.parametrize("word", ENDED)
def test_an_answer_that_simply_ended_is_complete_and_tells_nothing_more(word: str) -> None:
    result, _ = answered(Turn("done", finish_reason=word))

    assert (result.stop_reason, result.partial, result.evals) == ("complete", False, {})


BROKEN = [
    "MALFORMED_FUNCTION_CALL",
    "error",
    "pause_turn",
    "insufficient_system_resource",
    "incomplete",
    "OTHER",
    "a word of tomorrow",
]


@COGNITIONS
@pytest.mark.parametrize("word", BROKEN)
@pytest.mark.parametrize("text", ["", "On the one ha"])
def test_an_answer_whose_word_does_not_say_that_it_ended_is_not_whole(
    text: str, word: str, cognition: Any
) -> None:
    result, _ = answered(Turn(text, finish_reason=word), cognition=cognition)

    assert (result.stop_reason, result.partial) == ("terminated", True)
    assert result.evals == {"stop_reason": "incomplete", "finish_reason": word}


@pytest.mark.parametrize("word", [None, *ENDED])
def test_the_calls_of_a_whole_answer_are_run_and_nothing_more_is_told(word: str | None) -> None:
    look = FakeTool("look")
    asks = Turn(tool_calls=(ToolCall("c", "look"),), finish_reason=word)

    result, _ = answered(asks, Turn("done"), cognition=ReActCognition([look]))

    assert (len(look.calls), result.stop_reason, result.evals) == (1, "complete", {})


@pytest.mark.parametrize("output", [None, Town], ids=["text", "typed"])
@pytest.mark.parametrize("word", [*LENGTH, *FILTER, "refusal", *BROKEN])
def test_no_call_of_an_answer_that_is_not_whole_is_run(word: str, output: Any) -> None:
    look = FakeTool("look")
    asks = Turn("I will", tool_calls=(ToolCall("c", "look"),), finish_reason=word)

    result, llm = answered(asks, output=output, cognition=ReActCognition([look]))

    assert (look.calls, llm.calls, result.output) == ([], 1, "I will")
    assert (result.stop_reason, result.partial, result.parsed) == ("terminated", True, None)
    assert result.evals["finish_reason"] == word
    assert result.evals["not_run"] == ["look"]


def test_the_calls_of_a_refusal_are_not_run_whatever_the_word() -> None:
    look = FakeTool("look")
    blocks = (ErrorBlock("refusal", "I will not."),)

    asks = Turn(tool_calls=(ToolCall("c", "look"),), blocks=blocks)
    result, _ = answered(asks, cognition=ReActCognition([look]))

    assert (look.calls, result.evals["stop_reason"]) == ([], "refusal")


def test_the_calls_of_an_answer_that_is_not_whole_stay_in_the_history_as_not_run() -> None:
    context = WorkingContext()
    llm = FakeLLM.script([Turn(tool_calls=(ToolCall("c", "look"),), finish_reason="length")])
    agent = Agent("a", model="m", cognition=ReActCognition([FakeTool("look")]))

    run(agent.run("go", make_test_ctx(llm=llm), context=context))

    assert (context.messages[-1].role, context.messages[-1].tool_call_id) == ("tool", "c")
    assert context.messages[-1].content == "NOT RUN: the run ended first (length)"


@pytest.mark.parametrize("word", ["length", "content_filter", "error"])
def test_a_condition_makes_no_whole_answer_of_one_that_is_none(word: str) -> None:
    enough = FunctionalTermination(lambda _: True, reason="success")
    cognition = ReActCognition([FakeTool("look")], termination=enough)

    result, _ = answered(Turn("On the", finish_reason=word), cognition=cognition)

    assert (result.stop_reason, result.partial) == ("terminated", True)
    assert result.evals["finish_reason"] == word


def test_a_typed_answer_that_is_whole_is_taken_whatever_the_word_and_the_word_is_told() -> None:
    result, _ = answered(Turn('{"city": "Rome"}', finish_reason="weird"), output=Town)

    assert (result.parsed, result.stop_reason, result.partial) == (Town("Rome"), "complete", False)
    assert result.evals == {"finish_reason": "weird"}


def test_a_repair_of_an_answer_that_broke_off_names_the_word() -> None:
    broken = Turn("", finish_reason="MALFORMED_FUNCTION_CALL")
    result, llm = answered(broken, Turn('{"city": "Rome"}'), output=Town)

    assert (result.parsed, result.evals) == (Town("Rome"), {})
    assert "did not end (MALFORMED_FUNCTION_CALL)" in llm.requests[1].messages[-1].content


@COGNITIONS
@pytest.mark.parametrize("word", [*FILTER, "refusal"])
def test_no_repair_is_spent_on_an_answer_that_was_withheld(word: str, cognition: Any) -> None:
    result, llm = answered(Turn("", finish_reason=word), output=Town, cognition=cognition)

    assert (llm.calls, result.parsed) == (1, None)
    assert (result.stop_reason, result.partial) == ("terminated", True)


def test_a_refusal_is_known_by_its_block_whatever_the_word() -> None:
    refused = Turn(blocks=(ErrorBlock("refusal", "I will not."),), finish_reason="stop")

    result, llm = answered(refused, output=Town)

    assert (result.evals["stop_reason"], llm.calls) == ("refusal", 1)


@COGNITIONS
def test_a_repair_of_an_answer_that_was_cut_says_so(cognition: Any) -> None:
    cut = Turn('{"city": "Ro', finish_reason="length")
    result, llm = answered(cut, Turn('{"city": "Rome"}'), output=Town, cognition=cognition)

    assert (result.parsed, result.stop_reason, result.evals) == (Town("Rome"), "complete", {})
    assert "the answer was cut off at the most tokens" in llm.requests[1].messages[-1].content
    assert "Answer again, shorter" in llm.requests[1].messages[-1].content


def test_an_answer_that_is_cut_again_is_invalid_and_says_why() -> None:
    result, llm = answered(Turn('{"city": "Ro', finish_reason="length"), output=Town)

    assert (result.stop_reason, result.partial, llm.calls) == ("invalid_output", True, 2)
    assert result.evals["finish_reason"] == "length"
    assert result.evals["error"].startswith("the answer was cut off")


def test_an_object_that_was_whole_before_the_cut_is_taken() -> None:
    result, _ = answered(Turn('{"city": "Rome"}\n\n', finish_reason="length"), output=Town)

    assert (result.parsed, result.stop_reason, result.partial) == (Town("Rome"), "complete", False)
    assert result.evals == {"finish_reason": "length"}


def test_what_an_agents_own_parse_makes_of_a_part_is_not_taken_for_the_whole() -> None:
    result, _ = answered(Turn("one two thr", finish_reason="length"), parse=str.split)

    assert (result.stop_reason, result.partial, result.parsed) == ("terminated", True, None)


def test_a_cut_answer_is_told_again_as_it_was() -> None:
    store, agent = MemoryCheckpoints(), Agent("a", model="m")
    llm = FakeLLM.script([Turn("On the", finish_reason="length")])
    first = run(agent.run("go", make_test_ctx(llm=llm, checkpointer=store)))
    saved = run(store.latest("test-run"))

    assert run(agent.resume("test-run", make_test_ctx(llm=llm, checkpointer=store))) == first
    assert saved is not None
    assert saved.status is CheckpointStatus.DONE
