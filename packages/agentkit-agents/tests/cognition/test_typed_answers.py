"""Typed answers: parsing, repairing, giving up."""

import asyncio
import warnings
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from agentkit.agents import Agent, ReActCognition, SingleCallCognition
from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.types import ToolCall
from agentkit.core.policies import output_coerce
from agentkit.core.testing import FakeLLM, FakeTool, MemoryCheckpoints, Turn, make_test_ctx

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


@dataclass
class Sum:
    total: int


GOOD, BAD = Turn('{"total": 3}'), Turn("three")

COGNITIONS = pytest.mark.parametrize(
    "cognition",
    [SingleCallCognition(), ReActCognition([FakeTool("look")])],
    ids=["single-call", "react"],
)
CHAINS = pytest.mark.parametrize("chain", [[output_coerce()], []], ids=["coerced", "parsed"])


def answering(cognition: Any, **settings: Any) -> Agent:
    return Agent("a", model="m", output=Sum, cognition=cognition, **settings)


@COGNITIONS
@CHAINS
@pytest.mark.filterwarnings("ignore:agent 'a' declares an output")
@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_an_answer_that_never_fits_is_repaired_so_often_and_no_more(
    cognition: Any, chain: list[Any], repairs: int
) -> None:
    llm = FakeLLM.script([BAD], repeat_last=True)
    ctx = make_test_ctx(llm=llm, chat_middleware=chain)

    result = run(answering(cognition, max_repairs=repairs).run("go", ctx))

    assert (result.stop_reason, result.partial, llm.calls) == ("invalid_output", True, 1 + repairs)
    assert "not valid JSON" in result.evals["error"]


@COGNITIONS
@CHAINS
@pytest.mark.filterwarnings("ignore:agent 'a' declares an output")
def test_a_repair_quotes_the_fault_and_its_answer_is_the_result(
    cognition: Any, chain: list[Any]
) -> None:
    llm = FakeLLM.script([Turn('{"total": "x"}'), GOOD])
    ctx = make_test_ctx(llm=llm, chat_middleware=chain)

    result = run(answering(cognition).run("go", ctx))

    assert (result.parsed, result.usage.input_tokens) == (Sum(3), 20)
    assert "total: Input should be a valid integer" in llm.requests[1].messages[-1].content
    assert llm.requests[1].messages[-2].content == '{"total": "x"}'


@COGNITIONS
def test_the_schema_is_shown_to_the_model_where_the_request_has_none(cognition: Any) -> None:
    llm = FakeLLM.script([GOOD, GOOD])
    ctx = make_test_ctx(llm=llm, chat_middleware=[output_coerce()])

    run(answering(cognition).run("go", ctx))
    run(answering(cognition, response_format={"type": "json_schema"}).run("go", ctx))

    assert '"total"' in llm.requests[0].messages[0].content
    assert len(llm.requests[1].messages) == 1


def test_a_turn_with_tool_calls_is_not_parsed() -> None:
    llm = FakeLLM.script([Turn("hm", tool_calls=(ToolCall("c", "look"),)), GOOD])
    ctx = make_test_ctx(llm=llm, chat_middleware=[output_coerce()])

    assert run(answering(ReActCognition([FakeTool("look")])).run("go", ctx)).parsed == Sum(3)


def test_the_agents_own_parse_goes_first() -> None:
    ctx = make_test_ctx(llm=FakeLLM.script([Turn("x"), Turn("7")]))

    assert run(Agent("a", model="m", parse=int).run("go", ctx)).parsed == 7


def test_a_cancellation_while_parsing_is_no_fault_of_the_answer() -> None:
    def parse(text: str) -> int:
        raise Cancelled(text)

    with pytest.raises(Cancelled, match="stop"):
        run(Agent("a", parse=parse).run("go", make_test_ctx(llm=FakeLLM("stop"))))


def test_a_declared_output_without_output_coerce_warns_once() -> None:
    agent, ctx = answering(SingleCallCognition()), make_test_ctx(llm=FakeLLM('{"total": 3}'))

    with pytest.warns(UserWarning, match=r"no output_coerce\(\) is in the chat chain"):
        run(agent.run("go", ctx))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(agent.run("go", ctx)).parsed == Sum(3)


def test_a_single_call_has_no_tools_and_leaves_calls_it_did_not_ask_for() -> None:
    llm = FakeLLM.script([Turn("text", tool_calls=(ToolCall("c", "look"),))])

    result = run(Agent("a", model="m").run("go", make_test_ctx(llm=llm)))

    assert (result.output, llm.requests[0].tools) == ("text", None)


def test_a_repair_is_a_step_that_survives_a_crash() -> None:
    store = MemoryCheckpoints()
    broken = FakeLLM.script([BAD, Turn(error=OSError("gone"))])
    agent = answering(SingleCallCognition())
    ctx = make_test_ctx(llm=broken, checkpointer=store, chat_middleware=[output_coerce()])
    with pytest.raises(OSError, match="gone"):
        run(agent.run("go", ctx))

    again = make_test_ctx(
        llm=FakeLLM.script([BAD]), checkpointer=store, chat_middleware=[output_coerce()]
    )
    assert run(agent.resume("test-run", again)).stop_reason == "invalid_output"


def test_a_parse_that_raises_without_a_word_is_told_by_its_error() -> None:
    def refuse(_: str) -> None:
        raise KeyError

    agent = Agent("a", model="m", parse=refuse, max_repairs=0)
    result = run(agent.run("go", make_test_ctx(llm=FakeLLM("x"))))

    assert result.evals["error"] == "KeyError"
