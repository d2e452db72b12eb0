"""Building requests: the prefix once, then only appending."""

import asyncio
from typing import Any

import pytest

from agentkit.agents import Prompt, RequestBuilder, WorkingContext
from agentkit.agents.context import BuiltRequest
from agentkit.agents.output import adapt
from agentkit.core.contracts.types import Message
from agentkit.core.testing import make_test_ctx

BRIEF = Prompt("brief", "3", "Be brief.")
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}


def build(builder: RequestBuilder, context: WorkingContext, **more: Any) -> BuiltRequest:
    return asyncio.run(builder.build("do it", context, make_test_ctx(), **more))


def contents(built: BuiltRequest) -> list[str]:
    return [message.content for message in built.messages]


async def ground(ctx: Any, task: str) -> str:
    return f"known about {task}"


def test_the_first_turn_writes_prompt_grounding_and_schema() -> None:
    built = build(RequestBuilder(BRIEF, ground), WorkingContext(), output_adapter=adapt(SCHEMA))

    assert contents(built)[:2] == ["Be brief.", "Relevant context:\nknown about do it"]
    assert '"integer"' in contents(built)[2]
    assert (contents(built)[3], built.prompt_version) == ("do it", "3")


def test_later_turns_only_append() -> None:
    builder, context = RequestBuilder(BRIEF, ground), WorkingContext()

    first = build(builder, context)
    second = build(builder, context)

    assert second.messages[:-1] == first.messages


def test_grounding_can_be_renewed_each_turn() -> None:
    context = WorkingContext()
    build(RequestBuilder(BRIEF), context)

    built = build(RequestBuilder(BRIEF, ground, reground_every_turn=True), context)

    assert contents(built)[1] == "Relevant context:\nknown about do it"


def test_a_compactor_sees_the_tail_alone() -> None:
    class Last:
        async def compact(self, messages: list[Message], ctx: Any) -> list[Message]:
            return messages[-1:]

    context = WorkingContext(messages=[Message("user", "old")])
    built = build(RequestBuilder(BRIEF, compactor=Last()), context)
    assert contents(built) == ["Be brief.", "do it"]


def test_a_budget_check_may_refuse() -> None:
    def check(tokens: int) -> None:
        raise OverflowError(str(tokens))

    with pytest.raises(OverflowError, match=r"\d+"):
        build(RequestBuilder(BRIEF, budget_check=check), WorkingContext())


def test_a_budget_check_may_agree() -> None:
    seen: list[int] = []

    built = build(RequestBuilder(BRIEF, budget_check=seen.append), WorkingContext())

    assert seen == [built.approx_tokens]


def test_a_budget_check_may_be_awaited() -> None:
    seen: list[int] = []

    async def check(tokens: int) -> None:
        seen.append(tokens)

    built = build(RequestBuilder(BRIEF, budget_check=check), WorkingContext())
    assert seen == [built.approx_tokens]
    assert hash(built) == hash(build(RequestBuilder(BRIEF), WorkingContext()))


def test_a_prompt_without_its_values_is_refused() -> None:
    with pytest.raises(ValueError, match="no value"):
        build(RequestBuilder(Prompt("p", "1", "{x}", ("x",))), WorkingContext())
