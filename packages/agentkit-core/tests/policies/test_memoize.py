"""What is answered from a store, and what is not."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from agentkit.core.contracts.content import TextBlock, ThinkingBlock
from agentkit.core.contracts.errors import Cancelled, StoreUnavailable
from agentkit.core.contracts.middleware import Call, restream
from agentkit.core.contracts.types import (
    LLMResult,
    Message,
    ModelUsage,
    ToolCall,
    ToolSchema,
    Usage,
    assemble_deltas,
)
from agentkit.core.execution import CancellationToken
from agentkit.core.policies import memoize, tracing
from agentkit.core.policies._memo_entry import UNREADABLE, decode, encode
from agentkit.core.testing import FakeTool, JsonStore, RecordingTracer, make_test_ctx

from .drive import Terminal, chat, items, run, run_each, tool

FULL = LLMResult(
    "text",
    "m",
    "p",
    "stop",
    Usage(1, 2, 0.5, 3, 4),
    (ToolCall("c1", "look", {"deep": [1, {"x": None}]}),),
    {"typed": ["as", "json"]},
    blocks=(ThinkingBlock("hm", signature="s\u00ff", provider="p"), TextBlock("text")),
    reasoning="hm",
    model_usage=ModelUsage(9, 1, 1, 1, 5, 2, Decimal("0.1234567891"), "reported"),
)


class ObjectStore(JsonStore):
    """A store that keeps what it is given, as one in memory may."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Any] = {}

    async def get_or_set(
        self, key: str, fn: Callable[[], Awaitable[Any]], *, ttl: int | None = None
    ) -> Any:
        assert ttl is None
        if key not in self.kept:
            self.kept[key] = await fn()
        return self.kept[key]


class Forgetful(ObjectStore):
    """A store that gives back something else than was put in."""

    async def get_or_set(
        self, key: str, fn: Callable[[], Awaitable[Any]], *, ttl: int | None = None
    ) -> Any:
        if key not in self.kept:
            self.kept[key] = repr(await fn())
        return self.kept[key]


@dataclass(frozen=True)
class Plan:
    """A typed output."""

    steps: int


STORES = pytest.mark.parametrize("make", [JsonStore, ObjectStore])


def in_store(store: Any, **wired: Any) -> Any:
    return make_test_ctx(store=store, **wired)


@STORES
def test_a_hit_carries_every_field_of_the_result(make: type) -> None:
    ctx = in_store(make())
    miss = assemble_deltas(run(memoize(), Terminal([restream(FULL)]), chat(ctx=ctx)))
    hit = assemble_deltas(run(memoize(), Terminal([]), chat(ctx=ctx)))

    for field in fields(LLMResult):
        assert getattr(miss, field.name) == getattr(hit, field.name) == getattr(FULL, field.name)


def test_the_example_has_a_value_in_every_field() -> None:
    assert all(getattr(FULL, f.name) != getattr(LLMResult(""), f.name) for f in fields(LLMResult))


def test_the_arguments_of_a_restored_tool_call_are_frozen() -> None:
    ctx = in_store(JsonStore())
    run(memoize(), Terminal([restream(FULL)]), chat(ctx=ctx))
    (hit,) = run(memoize(), Terminal([]), chat(ctx=ctx))

    with pytest.raises(TypeError, match="frozen"):
        hit.tool_calls[0].arguments["deep"].append(2)


@STORES
@pytest.mark.parametrize("value", [None, 0, "", [], {}, False, {"a": [1, None]}])
def test_a_tools_result_is_stored_whatever_it_is(make: type, value: Any) -> None:
    ctx, end = in_store(make()), Terminal([value])
    policy = memoize()
    runs = [run(policy, end, tool(ctx=ctx, host="a", call_id=name)) for name in ("c1", "c2")]

    assert runs == [[value], [value]]
    assert end.calls == 1


def test_an_empty_store_is_a_store() -> None:
    class Sized(ObjectStore):
        def __len__(self) -> int:
            return len(self.kept)

    store = Sized()
    run(memoize(store=store), Terminal([1]), tool())

    assert len(store) == 1


def test_a_hit_is_marked_and_noted() -> None:
    ctx = in_store(JsonStore(), trace=RecordingTracer())
    run([tracing(), memoize()], Terminal([1]), tool(ctx=ctx))
    call = tool(ctx=ctx)
    run([tracing(), memoize()], Terminal([1]), call)

    assert call.meta["cache_hit"] is True
    assert "cache.hit" in [name for name, _ in ctx.trace.spans[1].events]


def test_twenty_callers_of_one_call_run_it_once() -> None:
    ctx, end, policy = in_store(JsonStore()), Terminal([1]), memoize()

    async def many() -> Any:
        return await asyncio.gather(*(items(policy, end, tool(ctx=ctx)) for _ in range(20)))

    assert asyncio.run(many()) == [[1]] * 20
    assert end.calls == 1


def test_without_a_store_it_says_so_once_and_calls_run() -> None:
    policy, end = memoize(), Terminal([1])

    with pytest.warns(UserWarning, match="no store") as told:
        run_each(policy, end, [tool(), tool(), tool()])
    assert (end.calls, len(told)) == (3, 1)


@pytest.mark.parametrize("side_effects", [False, True])
def test_a_side_effect_is_not_cached_unless_asked_for(*, side_effects: bool) -> None:
    ctx, end = in_store(JsonStore()), Terminal([1])
    policy = memoize(allow_side_effects=side_effects)
    for _ in range(2):
        run(policy, end, tool(FakeTool("pay", side_effecting=True), ctx=ctx))

    assert end.calls == (1 if side_effects else 2)


def test_a_call_can_be_excluded() -> None:
    ctx, end = in_store(JsonStore()), Terminal([1])
    for _ in range(2):
        run(memoize(when=lambda call: call.request.name != "look"), end, tool(ctx=ctx))

    assert end.calls == 2


def test_a_failure_is_not_stored() -> None:
    ctx, policy = in_store(JsonStore()), memoize()

    with pytest.raises(ValueError, match="bad"):
        run(policy, Terminal([ValueError("bad")]), tool(ctx=ctx))
    assert run(policy, Terminal([1]), tool(ctx=ctx)) == [1]


def test_a_store_that_is_down_is_told() -> None:
    class Down(ObjectStore):
        async def get_or_set(self, key: str, fn: Any, *, ttl: int | None = None) -> Any:
            raise StoreUnavailable("no route")

    with pytest.raises(StoreUnavailable, match="no route"):
        run(memoize(store=Down()), Terminal([1]), tool())


def test_a_store_without_expiry_refuses_before_the_call_runs() -> None:
    class Refusing(ObjectStore):
        async def get_or_set(self, key: str, fn: Any, *, ttl: int | None = None) -> Any:
            raise NotImplementedError("no ttl here")

    end = Terminal([1])
    with pytest.raises(NotImplementedError, match="no ttl"):
        run(memoize(store=Refusing(), ttl=5), end, tool())
    assert end.calls == 0


def test_a_typed_object_survives_in_a_store_of_objects() -> None:
    ctx = in_store(ObjectStore())
    end = Terminal([restream(replace(FULL, parsed=Plan(3)))])
    runs = [run(memoize(), end, chat(ctx=ctx)) for _ in range(2)]

    assert [deltas[0].parsed for deltas in runs] == [Plan(3)] * 2
    assert end.calls == 1


def test_a_typed_object_makes_a_call_uncacheable_in_a_store_that_serialises() -> None:
    store, policy = JsonStore(), memoize()
    end = Terminal([restream(replace(FULL, parsed=Plan(3)))])
    calls = [chat(ctx=in_store(store)) for _ in range(2)]

    with pytest.warns(UserWarning, match="did not cache") as told:
        runs = [run(policy, end, call) for call in calls]
    assert [deltas[0].parsed for deltas in runs] == [Plan(3)] * 2
    assert [call.meta["cache_stored"] for call in calls] == [False] * 2
    assert (end.calls, len(told)) == (2, 1)


def test_a_tools_result_that_json_cannot_hold_is_given_and_not_stored() -> None:
    call = tool(ctx=in_store(JsonStore()))

    with pytest.warns(UserWarning, match="did not cache"):
        assert run(memoize(), Terminal([(1, 2)]), call) == [(1, 2)]
    assert call.meta["cache_stored"] is False


def test_an_entry_that_cannot_be_read_is_no_answer() -> None:
    store, policy = Forgetful(), memoize()
    end = Terminal([restream(FULL)])

    with pytest.warns(UserWarning, match="something else"):
        runs = [run(policy, end, chat(ctx=in_store(store))) for _ in range(2)]
    assert [deltas[0].text for deltas in runs] == ["text"] * 2
    assert end.calls == 2


def test_a_call_without_a_key_runs_and_says_so_once() -> None:
    policy, end = memoize(store=JsonStore()), Terminal([restream(FULL)])
    calls = [chat(cache_hint=object()) for _ in range(2)]

    with pytest.warns(UserWarning, match="cannot make a key") as told:
        run_each(policy, end, calls)
    assert (end.calls, len(told), calls[0].meta["cache_stored"]) == (2, 1, False)


OTHER: dict[str, Any] = {
    "messages": [Message("user", "hi", blocks=(ThinkingBlock("x"), TextBlock("hi")))],
    "model": "n",
    "tools": [ToolSchema("look", "", {"type": "object"})],
    "response_format": {"type": "json_object"},
    "temperature": 0.0,
    "max_tokens": 1,
    "cache_hint": "1h",
}


@pytest.mark.parametrize("name", [field.name for field in fields(chat().request)])
def test_every_field_of_a_request_is_part_of_its_key(name: str) -> None:
    ctx, end = in_store(JsonStore()), Terminal([restream(FULL)])
    call = chat("hi", ctx=ctx)
    run(memoize(), end, call)
    run(memoize(), end, replace_request(call, name))

    assert end.calls == 2


def replace_request(call: Any, name: str) -> Any:
    return replace(call, request=replace(call.request, **{name: OTHER[name]}), meta={})


def test_a_tool_whose_schema_changed_is_asked_anew() -> None:
    ctx, end = in_store(JsonStore()), Terminal([1])
    for parameters in ({"type": "object"}, {"type": "object", "required": ["a"]}):
        run(memoize(), end, tool(FakeTool("look", parameters=parameters), ctx=ctx))

    assert end.calls == 2


def test_no_tools_and_an_empty_list_of_tools_are_two_requests() -> None:
    ctx, end = in_store(JsonStore()), Terminal([restream(FULL)])
    run(memoize(), end, chat(ctx=ctx, tools=None))
    run(memoize(), end, chat(ctx=ctx, tools=[]))

    assert end.calls == 2


def test_a_waiting_call_is_stopped_with_its_own_run() -> None:
    async def stopped() -> int:
        policy, store, token = memoize(), JsonStore(), CancellationToken()
        never, end = asyncio.Event(), Terminal([1])
        slow = chat(ctx=in_store(store))
        first = asyncio.create_task(items(policy, partial(_until, never), slow))
        second = asyncio.create_task(items(policy, end, chat(ctx=in_store(store, cancel=token))))
        await asyncio.sleep(0)
        token.cancel("the user left")
        with pytest.raises(Cancelled, match="the user left"):
            await second
        never.set()
        await first
        return end.calls

    assert asyncio.run(stopped()) == 0


async def _until(event: asyncio.Event, _: Call) -> AsyncIterator[Any]:
    await event.wait()
    yield restream(FULL)


def test_a_tool_that_does_not_say_what_it_does_is_not_cached() -> None:
    class Foreign:
        name = "foreign"

    ctx, end = in_store(JsonStore()), Terminal([1])
    run_each(memoize(), end, [tool(Foreign(), ctx=ctx), tool(Foreign(), ctx=ctx)])

    assert end.calls == 2


def test_a_tools_result_is_given_as_it_is_even_when_it_is_a_chats() -> None:
    ctx = in_store(ObjectStore())

    assert run(memoize(), Terminal([FULL]), tool(ctx=ctx)) == [FULL]


def test_a_result_that_an_earlier_version_kept_as_it_was_is_read() -> None:
    assert decode("chat", FULL) is FULL


@pytest.mark.parametrize(
    "kept", [None, "text", {"content": "x"}, {**encode("chat", FULL), "new_field": 1}], ids=repr
)
def test_what_no_result_can_be_made_of_is_unreadable(kept: Any) -> None:
    assert decode("chat", kept) is UNREADABLE


def test_a_request_that_is_marked_as_a_side_effect_is_not_cached() -> None:
    ctx, end = in_store(JsonStore()), Terminal([1])
    for _ in range(2):
        call = tool(ctx=ctx)
        call.request = replace(call.request, side_effecting=True)
        run(memoize(), end, call)

    assert end.calls == 2
