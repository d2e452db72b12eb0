"""The agent itself: how it is made, and what it refuses."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from agentkit.agents import Agent, Prompt, ReActCognition, RequestBuilder
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.types import StreamEvent
from agentkit.core.policies import output_coerce
from agentkit.core.testing import FakeLLM, FakeTool, make_test_ctx
from agentkit.models import CapabilityMismatch


@dataclass
class Sum:
    total: int


@dataclass
class Open:
    total: int = 0


@dataclass
class Nested:
    inner: Open


@dataclass
class Listed:
    sums: list[Sum]


OUTPUTS = {kind.__name__: kind for kind in (Sum, Open, Nested, Listed)}


def test_the_settings_of_the_agent_reach_the_model() -> None:
    llm = FakeLLM("x")
    agent = Agent("a", model="m", temperature=0.0, max_tokens=9, response_format={"type": "text"})

    asyncio.run(agent.run("go", make_test_ctx(llm=llm)))

    request = llm.requests[0]
    assert (request.model, request.temperature, request.max_tokens) == ("m", 0.0, 9)
    assert request.response_format == {"type": "text"}


def test_what_is_not_set_is_not_sent() -> None:
    llm = FakeLLM("x")

    asyncio.run(Agent("a", model="m").run("go", make_test_ctx(llm=llm)))

    request = llm.requests[0]
    assert (request.temperature, request.max_tokens, request.tools) == (None, None, None)


def test_the_version_of_the_prompt_is_in_the_result() -> None:
    agent = Agent("a", model="m", prompt=Prompt("p", "2026-01", "Hi."))

    result = asyncio.run(agent.run("go", make_test_ctx(llm=FakeLLM("x"))))

    assert result.prompt_version == "2026-01"


def test_a_request_builder_goes_before_the_prompt() -> None:
    llm = FakeLLM("x")
    builder = RequestBuilder(Prompt("p", "1", "From the builder."))

    agent = Agent("a", model="m", prompt="From the prompt.", request_builder=builder)
    asyncio.run(agent.run("go", make_test_ctx(llm=llm)))

    assert llm.requests[0].messages[0].content == "From the builder."


def test_a_prompt_without_its_values_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"no value for \['x'\]: bind them"):
        Agent("a", prompt=Prompt("p", "1", "{x}", ("x",)))


@pytest.mark.parametrize("option", ["memory", "policy", "channel"])
def test_an_option_of_a_later_version_is_refused_by_name(option: str) -> None:
    with pytest.raises(UnsupportedOption, match=option) as caught:
        Agent("a", **{option: ("x",)})  # type: ignore[arg-type]
    assert caught.value.option == option


@pytest.mark.parametrize(
    ("settings", "error", "fault"),
    [
        ({"output": int}, TypeError, "output is"),
        ({"cognition": object()}, TypeError, "is a cognition, which has"),
        ({"max_repairs": -1}, ValueError, "max_repairs is 0 or more"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(
    settings: dict[str, Any], error: type[Exception], fault: str
) -> None:
    with pytest.raises(error, match=fault):
        Agent("a", **settings)


def test_a_capability_that_the_model_lacks_is_refused_before_any_spend() -> None:
    with pytest.raises(
        CapabilityMismatch, match="a: model 'deepseek-reasoner' does not have tools"
    ):
        Agent("a", model="deepseek-reasoner", cognition=ReActCognition([FakeTool()]))
    with pytest.raises(CapabilityMismatch, match="context window"):
        Agent("a", model="gpt-4o", min_context_window=10_000_000)


def test_an_unknown_capability_is_up_to_the_caller() -> None:
    with pytest.warns(UserWarning, match="UNKNOWN"):
        Agent("a", model="acme", requires=("tools",))
    with pytest.raises(CapabilityMismatch, match="UNKNOWN"):
        Agent("a", model="acme", requires=("tools",), on_unknown_capability="refuse")


def test_requiring_something_of_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match="name the model"):
        Agent("a", requires=("tools",))


def test_a_model_that_takes_a_schema_natively_is_sent_it_and_not_told_in_words() -> None:
    llm = FakeLLM('{"total": 3}')
    agent = Agent("a", model="gpt-4o", output=Sum)

    asyncio.run(agent.run("go", make_test_ctx(llm=llm, chat_middleware=[output_coerce()])))

    sent = llm.requests[0].response_format or {}
    assert (sent["type"], sent["json_schema"]["name"]) == ("json_schema", "Sum")
    assert len(llm.requests[0].messages) == 1


@pytest.mark.parametrize(
    ("output", "strict"), [("Sum", True), ("Open", False), ("Nested", False), ("Listed", True)]
)
def test_a_schema_is_sent_as_strict_only_if_it_is(output: str, *, strict: bool) -> None:
    agent = Agent("a", model="gpt-4o", output=OUTPUTS[output])

    assert agent.sent_format is not None
    assert agent.sent_format["json_schema"]["strict"] is strict


def test_a_context_without_a_model_is_refused() -> None:
    with pytest.raises(ValueError, match="has no model to call"):
        asyncio.run(Agent("a").run("go", make_test_ctx()))


def test_a_cognition_that_forgets_its_final_event_is_an_error() -> None:
    class Forgetful:
        name = "forgetful"

        async def drive(  # noqa: PLR0917
            self, agent: Agent, task: str, ctx: Any, context: Any
        ) -> AsyncIterator[StreamEvent]:
            yield StreamEvent("step", task)

    agent = Agent("a", cognition=Forgetful())
    with pytest.raises(RuntimeError, match="without a final event"):
        asyncio.run(agent.run("go", make_test_ctx(llm=FakeLLM())))
