"""A setting that no run can be made of is refused where it is made, in one clear error."""

import math
from dataclasses import dataclass
from typing import Any

import pytest

from agentkit.agents import Agent, FunctionTool, ReActCognition
from agentkit.agents.termination import MaxMessages, MaxTurns, Timeout
from agentkit.core.contracts.errors import ToolDefinitionError
from agentkit.core.contracts.types import ToolSchema
from agentkit.core.runtime import Checkpointer
from agentkit.core.testing import FakeTool, MemoryCheckpoints
from agentkit.models import CapabilityMismatch


@dataclass
class Sum:
    """What is added up."""

    total: int


def agent_with(settings: dict[str, Any]) -> Agent:
    given: dict[str, Any] = {"name": "a", "model": "m", **settings}
    return Agent(**given)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"name": 3}, "Agent.name is a text"),
        ({"model": 3}, "Agent.model is the name of a model or None"),
        ({"prompt": 3}, "Agent.prompt is a text, a Prompt or None"),
        ({"request_builder": 3}, "Agent.request_builder is a RequestBuilder or None"),
        ({"response_format": "json"}, "Agent.response_format is a dict or None"),
        ({"parse": 3}, "Agent.parse is a function or None"),
        ({"temperature": "hot"}, "Agent.temperature is a number"),
        ({"temperature": True}, "Agent.temperature is a number"),
        ({"max_tokens": "9"}, "Agent.max_tokens is a whole number"),
        ({"max_tokens": 1.5}, "Agent.max_tokens is a whole number"),
        ({"max_repairs": True}, "Agent.max_repairs is a whole number"),
        ({"max_repairs": None}, "Agent.max_repairs is a whole number"),
        ({"requires": "tools"}, "Agent.requires is a list of names"),
        ({"requires": None}, "Agent.requires is a list of names"),
        ({"min_context_window": True}, "Agent.min_context_window is a whole number"),
    ],
    ids=str,
)
def test_a_setting_of_another_type_is_refused(settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(TypeError, match=fault):
        agent_with(settings)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"name": ""}, "Agent.name is not empty"),
        ({"model": " "}, "Agent.model is not empty"),
        ({"temperature": math.nan}, "Agent.temperature is finite and 0 or more"),
        ({"temperature": -1}, "Agent.temperature is finite and 0 or more"),
        ({"max_tokens": 0}, "Agent.max_tokens is 1 or more"),
        ({"max_repairs": -1}, "Agent.max_repairs is 0 or more"),
        ({"min_context_window": 0}, "Agent.min_context_window is 1 or more"),
        ({"requires": ("tool",)}, "there is no capability 'tool'"),
        ({"requires": (1,)}, "there is no capability 1"),
        ({"on_unknown_capability": "maybe"}, "one of .*'warn'.*; got 'maybe'"),
        ({"on_unknown_capability": "maybe", "model": None}, "one of .*'warn'.*; got 'maybe'"),
    ],
    ids=str,
)
def test_a_setting_out_of_its_range_is_refused(settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        agent_with(settings)


@pytest.mark.parametrize(
    ("settings", "error", "fault"),
    [
        ({"max_iterations": "2"}, TypeError, "max_iterations is a whole number"),
        ({"max_iterations": True}, TypeError, "max_iterations is a whole number"),
        ({"max_iterations": 0}, ValueError, "max_iterations is 1 or more"),
        ({"approval_deadline_s": "9"}, TypeError, "approval_deadline_s is a number"),
        ({"approval_deadline_s": -1}, ValueError, "approval_deadline_s is finite and 0 or more"),
        ({"approval_deadline_s": math.inf}, ValueError, "approval_deadline_s is finite"),
        ({"termination": len}, TypeError, "termination is a TerminationCondition or None"),
        ({"checkpointer": 3}, TypeError, "checkpointer"),
        ({"name": ""}, ValueError, "name is not empty"),
    ],
    ids=str,
)
def test_a_loop_of_such_a_setting_is_refused(
    settings: dict[str, Any], error: type[Exception], fault: str
) -> None:
    with pytest.raises(error, match=fault):
        ReActCognition([], **settings)


@pytest.mark.parametrize("given", [MemoryCheckpoints(), Checkpointer(MemoryCheckpoints())])
def test_a_loop_takes_a_store_of_checkpoints_or_a_checkpointer(given: Any) -> None:
    assert ReActCognition([], checkpointer=given, approval_deadline_s=0).name == "react"


@pytest.mark.parametrize("make", [MaxMessages, MaxTurns])
@pytest.mark.parametrize("n", [True, 1.5, "2", None])
def test_a_condition_counts_whole_messages(make: Any, n: Any) -> None:
    with pytest.raises(TypeError, match="is a whole number"):
        make(n)


@pytest.mark.parametrize("seconds", ["1", True, None])
def test_a_timeout_is_a_number_of_seconds(seconds: Any) -> None:
    with pytest.raises(TypeError, match="seconds is a number"):
        Timeout(seconds)


@pytest.mark.parametrize("seconds", [-1, math.nan, math.inf])
def test_a_timeout_passes_once(seconds: float) -> None:
    with pytest.raises(ValueError, match="seconds is finite and 0 or more"):
        Timeout(seconds)


@pytest.mark.parametrize("flag", ["side_effecting", "idempotent", "requires_approval"])
@pytest.mark.parametrize("value", [None, 0, "no"], ids=repr)
def test_a_tool_says_yes_or_no(flag: str, value: Any) -> None:
    flags: dict[str, Any] = {"side_effecting": True, flag: value}

    with pytest.raises(ToolDefinitionError, match=f"{flag} is True or False"):
        FunctionTool("t", lambda: None, "Does nothing at all.", **flags)


def with_tools(*tools: FakeTool) -> Agent:
    return Agent("a", model="deepseek-reasoner", cognition=ReActCognition(tools))


def test_tools_are_implied_by_what_is_offered_only() -> None:
    hidden = FakeTool("hidden")
    hidden.schema = None

    assert with_tools(hidden).model == with_tools().model == "deepseek-reasoner"
    with pytest.raises(CapabilityMismatch, match="does not have tools"):
        with_tools(hidden, FakeTool("shown", schema=ToolSchema("shown")))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("policy", ["warn", "refuse", "allow"])
def test_what_is_only_implied_and_not_known_is_never_told(policy: Any) -> None:
    tools = ReActCognition([FakeTool()])

    agent = Agent("a", model="acme", cognition=tools, output=Sum, on_unknown_capability=policy)
    assert agent.sent_format is None


@pytest.mark.filterwarnings("error")
def test_what_is_required_and_not_known_is_allowed_where_the_caller_says_so() -> None:
    allowed = {"requires": ["tools", "vision"], "on_unknown_capability": "allow"}

    settings: dict[str, Any] = {**allowed, "min_context_window": 10**6}
    assert Agent("a", model="acme", **settings).requires == ("tools", "vision")


def test_a_context_window_that_nobody_knows_is_up_to_the_caller() -> None:
    with pytest.warns(UserWarning, match="context window of 9 tokens"):
        Agent("a", model="acme", min_context_window=9)
    with pytest.raises(CapabilityMismatch, match="context window of 9 tokens"):
        Agent("a", model="acme", min_context_window=9, on_unknown_capability="refuse")


@pytest.mark.parametrize("given", [{}, {"type": "json_object"}], ids=str)
def test_a_response_format_of_the_callers_own_goes_before_the_inferred_one(given: Any) -> None:
    assert Agent("a", model="gpt-4o", output=Sum, response_format=given).sent_format == given


@pytest.mark.parametrize("model", ["acme", "gpt-99", "claude-sonnet-4-6", None])
def test_no_response_format_is_inferred_for_a_model_that_is_not_known_to_take_it(
    model: str | None,
) -> None:
    assert Agent("a", model=model, output=Sum).sent_format is None


def test_a_parse_of_the_callers_own_goes_before_that_of_the_output() -> None:
    agent = Agent("a", model="m", output=Sum, parse=len)

    assert agent.parse_output('{"total": 1}') == 12
