"""Every tool call of a run has an id of its own, and arguments that can be saved."""

import asyncio
import math
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import pytest

from agentkit.agents import Agent, ReActCognition, WorkingContext
from agentkit.core.contracts.content import TextBlock, ToolUseBlock
from agentkit.core.contracts.errors import CheckpointerError
from agentkit.core.contracts.middleware import BaseMiddleware, MiddlewareContext
from agentkit.core.contracts.ports import Checkpoint
from agentkit.core.contracts.types import Message, StreamEvent, ToolCall
from agentkit.core.policies import idempotent
from agentkit.core.runtime import RunContext
from agentkit.core.testing import (
    FakeLLM,
    FakeTool,
    JsonStore,
    MemoryCheckpoints,
    Turn,
    make_test_ctx,
)

T = TypeVar("T")
INF = {"n": math.inf}


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def agent_of(tool: FakeTool) -> Agent:
    return Agent("a", model="m", cognition=ReActCognition([tool]))


def looks(*turns: Sequence[str]) -> FakeLLM:
    asked = [Turn(tool_calls=tuple(ToolCall(own, "look") for own in ids)) for ids in turns]
    return FakeLLM.script([*asked, Turn("done")])


def asked_in(llm: FakeLLM) -> list[str]:
    return [call.id for message in llm.requests[-1].messages for call in message.tool_calls]


def answered_in(llm: FakeLLM) -> list[str | None]:
    return [m.tool_call_id for m in llm.requests[-1].messages if m.role == "tool"]


@pytest.mark.parametrize(
    ("turns", "ids"),
    [
        ([("", "")], ["call-1", "call-2"]),
        ([("look", "look")], ["look", "look-2"]),
        ([("a", "a-2", "a")], ["a", "a-2", "a-3"]),
        ([("a-3", "a", "a")], ["a-3", "a", "a-4"]),
        ([("c0",), ("c0",), ("c0",)], ["c0", "c0-1", "c0-2"]),
        ([("",), ("",)], ["call-1", "call-2"]),
        ([("a",), ("b",)], ["a", "b"]),
    ],
    ids=str,
)
def test_calls_are_told_apart_within_an_answer_and_across_answers(
    turns: list[tuple[str, ...]], ids: list[str]
) -> None:
    llm = looks(*turns)

    run(agent_of(FakeTool("look")).run("go", make_test_ctx(llm=llm)))

    assert (asked_in(llm), answered_in(llm)) == (ids, ids)


class Seen(BaseMiddleware):
    """Keeps the id of each call that is made."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    async def on_request(self, ctx: MiddlewareContext) -> None:
        self.ids.append(ctx.request.call_id)


async def events_of(agent: Agent, ctx: Any) -> list[StreamEvent]:
    return [event async for event in agent.stream("go", ctx) if event.tool_call]


def test_middlewares_and_events_name_a_call_as_the_history_does() -> None:
    llm, seen = looks(("c0",), ("c0",)), Seen()
    ctx = make_test_ctx(llm=llm, tool_middleware=[seen])

    events = run(events_of(agent_of(FakeTool("look")), ctx))

    assert seen.ids == asked_in(llm) == ["c0", "c0-1"]
    assert [e.tool_call.id for e in events if e.tool_call] == ["c0", "c0", "c0-1", "c0-1"]


def test_a_second_payment_with_the_id_of_the_first_is_made() -> None:
    pay = FakeTool("look", side_effecting=True)
    ctx = make_test_ctx(
        llm=looks(("c0",), ("c0",)), store=JsonStore(), tool_middleware=[idempotent()]
    )

    run(agent_of(pay).run("go", ctx))

    assert len(pay.calls) == 2


class Shop:
    """An agent that pays once in each run, by a provider that begins its ids anew."""

    def __init__(self, own: str, *, durable: bool = False) -> None:
        self.own = own
        self.pay = FakeTool("look", side_effecting=True)
        self.agent = agent_of(self.pay)
        self.store = JsonStore()
        self.runs = MemoryCheckpoints() if durable else None

    def ctx(self, *turns: Turn) -> RunContext:
        asked = Turn(tool_calls=(ToolCall(self.own, "look"),))
        return make_test_ctx(
            llm=FakeLLM.script(turns or [asked, Turn("done")] * 2),
            store=self.store,
            checkpointer=self.runs,
            tool_middleware=[idempotent()],
        )


OWN = pytest.mark.parametrize("own", ["c0", ""], ids=repr)


async def one_after_the_other(agent: Agent, *contexts: RunContext) -> None:
    for ctx in contexts:
        await agent.run("go", ctx)


@OWN
def test_two_runs_of_one_context_pay_twice(own: str) -> None:
    shop = Shop(own)
    ctx = shop.ctx()

    run(one_after_the_other(shop.agent, ctx, ctx))

    assert len(shop.pay.calls) == 2


@OWN
def test_two_runs_in_one_slot_pay_twice(own: str) -> None:
    shop = Shop(own, durable=True)

    run(one_after_the_other(shop.agent, shop.ctx(), shop.ctx()))

    assert len(shop.pay.calls) == 2


@OWN
def test_two_children_of_one_run_pay_twice(own: str) -> None:
    shop = Shop(own)
    ctx = shop.ctx()

    run(one_after_the_other(shop.agent, ctx.child(part="one"), ctx.child(part="two")))

    assert len(shop.pay.calls) == 2


class Lost(MemoryCheckpoints):
    """Is gone for a while once the first call is paid."""

    pay: FakeTool
    broken = True

    async def save(self, cp: Checkpoint) -> None:
        if self.broken and self.pay.calls:
            raise CheckpointerError("gone")
        await super().save(cp)


@OWN
def test_a_resumed_run_finds_the_receipts_of_its_own(own: str) -> None:
    shop = Shop(own)
    shop.runs = lost = Lost()
    lost.pay = shop.pay
    with pytest.raises(CheckpointerError, match="gone"):
        run(shop.agent.run("go", shop.ctx()))
    lost.broken = False

    run(shop.agent.resume("test-run", shop.ctx(Turn("done"))))
    assert len(shop.pay.calls) == 1


def test_a_resumed_run_knows_the_ids_of_before() -> None:
    store, look = MemoryCheckpoints(), FakeTool("look")
    broken = FakeLLM.script([looks(("c0",)).unused_turns[0], Turn(error=OSError("gone"))])
    with pytest.raises(OSError, match="gone"):
        run(agent_of(look).run("go", make_test_ctx(llm=broken, checkpointer=store)))

    llm = looks(("c0",))
    run(agent_of(look).resume("test-run", make_test_ctx(llm=llm, checkpointer=store)))
    assert asked_in(llm) == ["c0", "c0-1"]


def test_the_ids_of_a_context_that_is_gone_on_with_are_taken() -> None:
    called = Message("assistant", tool_calls=(ToolCall("c0", "look"),))
    context = WorkingContext(messages=[called, Message("tool", "x", tool_call_id="c0")])
    llm = looks(("c0",))

    run(agent_of(FakeTool("look")).run("go", make_test_ctx(llm=llm), context=context))

    assert asked_in(llm) == ["c0", "c0-1"]


def sent_back(*blocks: Any, calls: Sequence[ToolCall]) -> tuple[Any, ...]:
    llm = FakeLLM.script([Turn(tool_calls=tuple(calls), blocks=blocks), Turn("done")])
    ctx = make_test_ctx(llm=llm, checkpointer=MemoryCheckpoints())
    run(agent_of(FakeTool("look")).run("go", ctx))
    return next(tuple(m.blocks) for m in llm.requests[-1].messages if m.tool_calls)


def test_blocks_name_the_calls_as_the_history_does_and_keep_the_rest() -> None:
    block = ToolUseBlock("", "look", signature="s", provider="p")

    kept = sent_back(block, calls=[ToolCall("", "look")])

    assert kept == (ToolUseBlock("call-1", "look", signature="s", provider="p"),)


def test_blocks_of_other_calls_are_left_out() -> None:
    assert sent_back(ToolUseBlock("z", "look"), calls=[ToolCall("", "look")]) == ()


def test_blocks_of_calls_that_keep_their_ids_stay() -> None:
    blocks = (TextBlock(""), ToolUseBlock("a", "look"))

    assert sent_back(*blocks, calls=[ToolCall("a", "look")]) == blocks


@pytest.mark.parametrize("store", [None, MemoryCheckpoints()], ids=["kept-nowhere", "durable"])
@pytest.mark.parametrize("bad", [math.inf, math.nan, {1}, (1,), b"x", object()], ids=repr)
def test_arguments_that_cannot_be_saved_are_told_to_the_model(bad: Any, store: Any) -> None:
    look = FakeTool("look")
    llm = FakeLLM.script([Turn(tool_calls=(ToolCall("c", "look", {"n": bad}),)), Turn("sorry")])

    result = run(agent_of(look).run("go", make_test_ctx(llm=llm, checkpointer=store)))

    assert (result.output, look.calls) == ("sorry", [])
    assert "are not a JSON object" in llm.requests[-1].messages[-1].content


class Mute:
    """Cannot even be shown."""

    def __repr__(self) -> str:
        raise KeyError


def test_arguments_that_cannot_be_shown_are_told_to_the_model_all_the_same() -> None:
    llm = FakeLLM.script([Turn(tool_calls=(ToolCall("c", "look", {"n": Mute()}),)), Turn("sorry")])

    run(agent_of(FakeTool("look")).run("go", make_test_ctx(llm=llm)))

    assert "'what is no JSON'" in llm.requests[-1].messages[-1].content


def test_blocks_with_arguments_that_cannot_be_saved_are_saved_as_told() -> None:
    kept = sent_back(ToolUseBlock("c", "look", INF), calls=[ToolCall("c", "look", INF)])

    assert kept == (ToolUseBlock("c", "look", {"_raw": "{'n': inf}"}),)
