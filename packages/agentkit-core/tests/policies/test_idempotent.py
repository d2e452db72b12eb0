"""A side effect happens once, or somebody is told."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from agentkit.core.contracts.errors import (
    Cancelled,
    EgressDenied,
    OutcomeUnknown,
    StoreUnavailable,
    ToolArgumentError,
)
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import Scope
from agentkit.core.policies import idempotent, retry, tracing
from agentkit.core.testing import FakeClock, FakeTool, JsonStore, RecordingTracer, make_test_ctx

from .drive import Terminal, chat, items, run, run_each, tool


def pay(store: Any, *, again: bool = False, **asked: Any) -> Call:
    double = FakeTool("pay", side_effecting=True, idempotent=again)
    ctx = make_test_ctx(store=store, clock=FakeClock())
    return tool(double, ctx=ctx, **{"call_id": "c1", **asked})


class Failing(JsonStore):
    """A store that is down from write number *down_from* on."""

    def __init__(self, down_from: int) -> None:
        super().__init__()
        self.left = down_from

    async def compare_and_set(self, key: str, expected: Any, value: Any, **ttl: Any) -> bool:
        self.left -= 1
        if self.left < 0:
            raise StoreUnavailable("no route")
        return await super().compare_and_set(key, expected, value, **ttl)


@pytest.mark.parametrize("value", [None, 0, {"paid": [1]}, "ok"])
def test_the_same_call_again_gets_the_same_outcome(value: Any) -> None:
    store, end = JsonStore(), Terminal([value])
    again = pay(store, amount=1)

    assert run(idempotent(), end, pay(store, amount=1)) == [value]
    assert run(idempotent(), end, again) == [value]
    assert (end.calls, again.meta["cache_hit"]) == (1, True)


@pytest.mark.parametrize(
    "other", [{"call_id": "c2"}, {"arguments": {"amount": 2}}, {"name": "pay_twice"}], ids=repr
)
def test_another_call_is_another_side_effect(other: dict[str, Any]) -> None:
    store, end = JsonStore(), Terminal([1])
    second = pay(store, amount=1)
    second.request = replace(second.request, **other)
    run(idempotent(), end, pay(store, amount=1))
    run(idempotent(), end, second)

    assert end.calls == 2


@pytest.mark.parametrize("other", [{"correlation_id": "r2"}, {"scope": Scope(2)}])
def test_another_run_or_tenant_is_another_side_effect(other: Any) -> None:
    store, end = JsonStore(), Terminal([1])
    run(idempotent(), end, pay(store))
    elsewhere = pay(store)
    elsewhere.ctx = make_test_ctx(store=store, **other)
    run(idempotent(), end, elsewhere)

    assert end.calls == 2


def test_a_child_run_has_side_effects_of_its_own() -> None:
    store, end = JsonStore(), Terminal([1])
    parent = pay(store)
    for _ in range(2):
        child = pay(store)
        child.ctx = parent.ctx.child()
        run(idempotent(), end, child)

    assert end.calls == 2


@pytest.mark.parametrize(("other", "made"), [("first", 1), ("second", 2)])
def test_of_two_runs_under_one_id_each_has_side_effects_of_its_own(other: str, made: int) -> None:
    store, end = JsonStore(), Terminal([1])
    for own in ("first", other):
        call = pay(store)
        call.meta["run"] = own
        run(idempotent(), end, call)

    assert end.calls == made


def test_a_concurrent_duplicate_waits_and_never_runs() -> None:
    store, end, policy = JsonStore(), Terminal([1]), idempotent()

    async def many() -> Any:
        return await asyncio.gather(*(items(policy, end, pay(store)) for _ in range(5)))

    assert asyncio.run(many()) == [[1]] * 5
    assert end.calls == 1


def test_a_duplicate_in_another_process_is_told() -> None:
    store = JsonStore()

    async def meanwhile(_: Call) -> Any:
        with pytest.raises(OutcomeUnknown, match="begun before"):
            await items(idempotent(), Terminal([2]), pay(store))
        yield 1

    assert run(idempotent(), meanwhile, pay(store)) == [1]


@pytest.mark.parametrize("stop", [asyncio.CancelledError(), Cancelled("enough")], ids=repr)
def test_what_was_cut_is_unknown_afterwards(stop: BaseException) -> None:
    store, end = JsonStore(), Terminal([stop], [1])
    with pytest.raises(type(stop)):
        run(idempotent(), end, pay(store))

    with pytest.raises(OutcomeUnknown, match="never recorded") as caught:
        run(idempotent(), end, pay(store))
    assert end.calls == 1
    assert ":idem:" in caught.value.key


def test_what_failed_does_not_run_again() -> None:
    store, end = JsonStore(), Terminal([RuntimeError("half done")], [1])
    with pytest.raises(RuntimeError, match="half done"):
        run(idempotent(), end, pay(store))

    with pytest.raises(OutcomeUnknown, match="RuntimeError: half done"):
        run(idempotent(), end, pay(store))
    assert end.calls == 1


def test_what_failed_runs_again_where_the_tool_says_that_it_may() -> None:
    store, end = JsonStore(), Terminal([RuntimeError("half done")], [1])
    with pytest.raises(RuntimeError, match="half done"):
        run(idempotent(), end, pay(store, again=True))

    assert run(idempotent(), end, pay(store, again=True)) == [1]


@pytest.mark.parametrize("refusal", [ToolArgumentError("no"), EgressDenied("no")], ids=repr)
def test_a_refusal_in_a_chain_that_cannot_tell_counts_as_begun(refusal: Exception) -> None:
    store, end = JsonStore(), Terminal([refusal], [1])
    with pytest.raises(type(refusal), match="no"):
        run(idempotent(), end, pay(store))

    with pytest.raises(OutcomeUnknown, match=f"{type(refusal).__name__}: no"):
        run(idempotent(), end, pay(store))


def test_an_outcome_that_the_store_refuses_is_done_without_a_value() -> None:
    store, end = JsonStore(), Terminal([(1, 2)])
    call = pay(store)

    with pytest.warns(UserWarning, match="did not keep"):
        assert run(idempotent(), end, call) == [(1, 2)]
    assert run(idempotent(), end, pay(store)) == [None]
    assert (end.calls, call.meta["cache_stored"]) == (1, False)


def test_nothing_runs_when_the_intent_cannot_be_written() -> None:
    end = Terminal([1])

    with pytest.raises(StoreUnavailable, match="no route"):
        run(idempotent(), end, pay(Failing(0)))
    assert end.calls == 0


def test_an_outcome_that_cannot_be_written_is_given_and_unknown_later() -> None:
    store, end = Failing(1), Terminal([1])
    with pytest.warns(UserWarning, match="cannot be reached"):
        assert run(idempotent(), end, pay(store)) == [1]
    store.left = 99

    with pytest.raises(OutcomeUnknown, match="never recorded"):
        run(idempotent(), end, pay(store))


def test_a_failure_leaves_even_when_it_cannot_be_written() -> None:
    with pytest.raises(RuntimeError, match="half done"):
        run(idempotent(), Terminal([RuntimeError("half done")]), pay(Failing(1)))


def test_a_record_that_is_foreign_is_unknown() -> None:
    class Foreign(JsonStore):
        async def get(self, key: str) -> Any:
            return "somebody else's"

        async def compare_and_set(self, *_: Any, **__: Any) -> bool:
            return False

    with pytest.raises(OutcomeUnknown, match="begun before"):
        run(idempotent(), Terminal([1]), pay(Foreign()))


def test_a_record_that_keeps_changing_is_told_in_the_end() -> None:
    class Restless(JsonStore):
        async def compare_and_set(self, *_: Any, **__: Any) -> bool:
            return False

    with pytest.raises(OutcomeUnknown, match="keep beginning"):
        run(idempotent(), Terminal([1]), pay(Restless()))


def test_attempts_inside_are_one_side_effect() -> None:
    store, end = JsonStore(), Terminal([TimeoutError()], [1])

    assert run([idempotent(), retry()], end, pay(store, again=True)) == [1]
    assert run([idempotent(), retry()], end, pay(store, again=True)) == [1]
    assert end.calls == 2


def test_a_tool_that_only_reads_is_left_alone() -> None:
    end = Terminal([1])
    for _ in range(2):
        run(idempotent(store=JsonStore()), end, tool(FakeTool("look")))

    assert end.calls == 2


def test_a_chat_is_left_alone() -> None:
    assert run(idempotent(store=JsonStore()), Terminal([1]), chat()) == [1]


def test_without_a_store_it_says_so_once_and_calls_run() -> None:
    policy, end = idempotent(), Terminal([1])

    with pytest.warns(UserWarning, match="no store") as told:
        run_each(policy, end, [pay(None), pay(None)])
    assert (end.calls, len(told)) == (2, 1)


def test_a_run_that_cannot_be_told_from_another_is_refused_before_its_call_runs() -> None:
    end, call = Terminal([1]), pay(JsonStore())
    call.meta["run"] = object()

    with pytest.raises(ToolArgumentError, match="cannot be told from another"):
        run(idempotent(), end, call)
    assert end.calls == 0


def test_a_forgotten_call_runs_again() -> None:
    clock = FakeClock()
    store, end = JsonStore(clock=clock), Terminal([1])
    run(idempotent(ttl=60), end, pay(store))
    clock.advance(61)
    run(idempotent(ttl=60), end, pay(store))

    assert end.calls == 2


def test_a_replayed_outcome_is_noted_on_the_span() -> None:
    store, trace = JsonStore(), RecordingTracer()
    run(idempotent(), Terminal([1]), pay(store))
    again = pay(store)
    again.ctx = make_test_ctx(store=store, trace=trace)
    run([tracing(), idempotent()], Terminal([1]), again)

    assert "cache.hit" in [name for name, _ in trace.spans[0].events]
