"""The working context: what is kept, forked, merged, sliced, frozen."""

import asyncio
from typing import Any

import pytest

from agentkit.agents import WorkingContext
from agentkit.agents.context import (
    AllOf,
    AnyOf,
    ApproxTokenCounter,
    ContextScope,
    LastNTurns,
    Not,
    PrefixContext,
    RoleFilter,
    Since,
    Tagged,
)
from agentkit.core.contracts.types import Message, ToolCall

CALLING = Message("assistant", "", tool_calls=(ToolCall("c", "look", {"at": ["log"]}),))
HI, HELLO, BYE = Message("user", "hi"), Message("assistant", "hello"), Message("user", "bye")


def context_of(*messages: Message) -> WorkingContext:
    return WorkingContext(messages=list(messages))


def test_what_is_sent_is_the_prefix_then_the_tail() -> None:
    prefix = PrefixContext("Be brief.", ("a fact",), "a schema")

    sent = WorkingContext(prefix, [HI]).assembled()

    assert [m.name for m in sent] == [None, "grounding", "schema", None]
    assert sent[1].content == "Relevant context:\na fact"


def test_mutators_return_the_context_and_are_journalled() -> None:
    context = context_of().append(HI).extend([HELLO]).note("k", 1).update_scratchpad({"l": 2})

    assert (context.size(), context.get("k"), context.get("l"), context.get("m", 0)) == (2, 1, 2, 0)
    assert context.clear_messages().size() == 0
    operations = [entry.operation for entry in context.journal.entries]
    assert operations == ["append", "append", "note", "note", "clear"]


def test_a_fork_goes_its_own_way() -> None:
    context = context_of(HI).note("k", 1)

    context.fork().append(HELLO).note("k", 2)

    assert (context.size(), context.get("k")) == (1, 1)


def test_forks_of_a_shared_context_share_its_scratchpad() -> None:
    context = WorkingContext(shared=True)

    context.fork().note("k", 2)

    assert context.get("k") == 2


def test_a_union_leaves_out_what_is_there_also_with_tool_calls() -> None:
    context = context_of(HI, CALLING)

    context.merge(context_of(HI, CALLING, BYE, BYE).note("k", 1), mode="union")

    assert context.messages == [HI, CALLING, BYE]
    assert context.get("k") == 1


def test_a_concatenation_keeps_all() -> None:
    assert context_of(HI).merge(context_of(HI)).messages == [HI, HI]


def test_a_context_can_be_merged_with_itself() -> None:
    context = context_of(HI)

    assert context.merge(context).messages == [HI, HI]


def test_another_way_to_merge_is_refused() -> None:
    with pytest.raises(ValueError, match="'concat' or 'union'; got 'mix'"):
        context_of().merge(context_of(), mode="mix")  # type: ignore[arg-type]


def test_a_diff_tells_what_was_added_removed_and_changed() -> None:
    diff = context_of(HI).note("k", 1).diff(context_of(BYE).note("l", 2))

    assert (diff.added, diff.removed) == ((BYE,), (HI,))
    assert diff.scratchpad_changes == {"k": None, "l": 2}
    assert hash(diff) == hash(diff)


def test_what_is_frozen_does_not_change_with_the_context() -> None:
    context = context_of(HI).note("k", {"deep": [1]})
    frozen = context.freeze()

    context.append(BYE).get("k")["deep"].append(2)

    assert (frozen.messages, frozen.scratchpad) == ((HI,), {"k": {"deep": [1]}})
    assert hash(frozen) == hash(context_of(HI).note("k", 0).freeze())


TALK = (HI, HELLO, BYE, Message("assistant", "see you", name="sre"))


@pytest.mark.parametrize(
    ("scope", "kept"),
    [
        (LastNTurns(1), TALK[2:]),
        (LastNTurns(9), TALK),
        (LastNTurns(0), ()),
        (RoleFilter(frozenset({"user"})), (HI, BYE)),
        (Tagged("sre"), TALK[3:]),
        (Since(3), TALK[3:]),
        (Since(-5), TALK),
        (AllOf(Since(1), RoleFilter(frozenset({"user"}))), (BYE,)),
        (AllOf(), TALK),
        (AnyOf(Since(3), Not(Since(1))), (HI, TALK[3])),
        (AnyOf(), ()),
    ],
)
def test_a_scope_chooses_messages(scope: ContextScope, kept: tuple[Message, ...]) -> None:
    assert tuple(context_of(*TALK).slice(scope).messages) == kept


def test_locked_changes_wait_for_each_other() -> None:
    context = WorkingContext()
    assert not context.lock.locked()

    async def grow(ctx: WorkingContext) -> int:
        size: int = ctx.get("n", 0)
        await asyncio.sleep(0)
        ctx.note("n", size + 1)
        return size

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(context.apply_locked(grow) for _ in range(5)))

    assert asyncio.run(all_of_them()) == [0, 1, 2, 3, 4]


def test_tokens_are_estimated_with_the_calls() -> None:
    counter = ApproxTokenCounter()
    context = WorkingContext(PrefixContext("x" * 40), [CALLING], limit=10)

    assert counter.count([]) == 0
    assert asyncio.run(context.tokens()) > 14
    assert asyncio.run(context.is_over_limit())
