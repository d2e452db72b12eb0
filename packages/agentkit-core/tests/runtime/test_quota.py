"""Rates per tenant: in one process and over a store."""

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.errors import (
    MeterExceeded,
    MoneyPrecisionError,
    StoreUnavailable,
    UnsupportedOption,
)
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import (
    ChatRequest,
    Message,
    ModelUsage,
    Price,
    Scope,
    ToolRequest,
    Usage,
)
from agentkit.core.runtime import Quota
from agentkit.core.testing import JsonStore, make_test_ctx

from .books import tenants_of

PRICE = Price(*[Decimal(1)] * 5)
KEY = Scope(1, 2).key()


class _Clock:
    def __init__(self) -> None:
        self.time = 6000.0

    def __call__(self) -> float:
        return self.time


class _NoExpiry(JsonStore):
    """A store that refuses every ttl, before anything is written."""

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        if ttl is not None:
            raise NotImplementedError("no ttl")
        return await super().increment(key, by)


class _Gone(JsonStore):
    """A store that is lost after so many counts."""

    def __init__(self, counts: int) -> None:
        super().__init__()
        self.counts = counts

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        if self.counts == 0:
            raise StoreUnavailable("gone")
        self.counts -= 1
        return await super().increment(key, by, ttl=ttl)


Make = Callable[..., Quota]


def _in_process(clock: _Clock, **options: Any) -> Quota:
    return Quota(clock=clock, **options)


def _over_a_store(clock: _Clock, **options: Any) -> Quota:
    return Quota(clock=clock, store=JsonStore(), **options)


def _over_a_store_without_expiry(clock: _Clock, **options: Any) -> Quota:
    return Quota(clock=clock, store=_NoExpiry(), **options)


everywhere = pytest.mark.parametrize(
    "make",
    [_in_process, _over_a_store, _over_a_store_without_expiry],
    ids=["in process", "over a store", "over a store without expiry"],
)


def _chat(text: str = "", *, org: int = 1, max_tokens: int | None = None) -> Call:
    request = ChatRequest([Message("user", text)], "m", max_tokens=max_tokens)
    prices: Callable[[str], Price | None] = lambda _: PRICE if max_tokens else None  # noqa: E731
    return Call("chat", request, make_test_ctx(scope=Scope(org, 2), prices=prices))


async def _make_calls(quota: Quota, *usages: Usage, **call: Any) -> None:
    for usage in usages:
        await (await quota.reserve(_chat(**call))).settle(usage)


@everywhere
def test_one_request_more_than_the_limit_is_refused(make: Make) -> None:
    quota = make(_Clock(), max_rpm=2)

    with pytest.raises(MeterExceeded, match=f"{KEY}: 2 req ≥ 2 rpm"):
        asyncio.run(_make_calls(quota, *[Usage()] * 3))


@everywhere
def test_requests_in_flight_count(make: Make) -> None:
    async def run(quota: Quota) -> None:
        await asyncio.gather(*(quota.reserve(_chat()) for _ in range(3)))

    with pytest.raises(MeterExceeded, match="rpm"):
        asyncio.run(run(make(_Clock(), max_rpm=2)))


@everywhere
def test_two_windows_later_everything_is_free_again(make: Make) -> None:
    clock = _Clock()
    quota = make(clock, max_rpm=2)
    asyncio.run(_make_calls(quota, Usage(), Usage()))

    clock.time += 120
    asyncio.run(_make_calls(quota, Usage(), Usage()))


@everywhere
def test_each_tenant_has_a_window_of_its_own(make: Make) -> None:
    async def run(quota: Quota) -> None:
        await _make_calls(quota, Usage(), org=1)
        await _make_calls(quota, Usage(), org=3)

    asyncio.run(run(make(_Clock(), max_rpm=1)))


@everywhere
def test_a_released_call_is_not_counted(make: Make) -> None:
    async def run(quota: Quota) -> None:
        held = await quota.reserve(_chat("x" * 40))
        await held.release()
        await held.settle(Usage(9, 9))
        await quota.reserve(_chat("x" * 40))

    asyncio.run(run(make(_Clock(), max_rpm=1, max_tpm=10)))


@everywhere
def test_a_refused_call_is_not_counted(make: Make) -> None:
    async def run(quota: Quota) -> None:
        with pytest.raises(MeterExceeded, match=r"0 \+ 25 tokens > 10 tpm"):
            await quota.reserve(_chat("x" * 100))
        await quota.reserve(_chat())

    asyncio.run(run(make(_Clock(), max_rpm=1, max_tpm=10)))


@everywhere
def test_tokens_count_cached_ones_too(make: Make) -> None:
    quota = make(_Clock(), max_tpm=10)
    asyncio.run(_make_calls(quota, Usage(1, 1, 0.0, 5, 3)))

    with pytest.raises(MeterExceeded, match=r"10 \+ 1 tokens > 10 tpm"):
        asyncio.run(_make_calls(quota, Usage(), text="four"))


@everywhere
def test_estimated_tokens_are_held_until_the_real_ones_are_known(make: Make) -> None:
    async def run(quota: Quota) -> None:
        first = await quota.reserve(_chat("x" * 32))
        with pytest.raises(MeterExceeded, match=r"8 \+ 8 tokens > 10 tpm"):
            await quota.reserve(_chat("x" * 32))
        await first.settle(Usage(1, 1))
        await quota.reserve(_chat("x" * 32))

    asyncio.run(run(make(_Clock(), max_tpm=10)))


@everywhere
def test_dollars_are_counted_exactly(make: Make) -> None:
    quota = make(_Clock(), max_usd=0.3)
    asyncio.run(_make_calls(quota, Usage(1, 1, 0.1), Usage(1, 1, 0.2)))

    with pytest.raises(MeterExceeded, match=rf"{KEY}: cost \$0\.3 ≥ \$0\.3"):
        asyncio.run(_make_calls(quota, Usage()))


@everywhere
def test_a_worst_case_in_dollars_is_held(make: Make) -> None:
    async def run(quota: Quota) -> None:
        await quota.reserve(_chat(max_tokens=600_000))
        await quota.reserve(_chat(max_tokens=600_000))

    with pytest.raises(MeterExceeded, match=r"cost \$1\.2\d* > \$1"):
        asyncio.run(run(make(_Clock(), max_usd=1)))


@everywhere
def test_the_exact_cost_wins(make: Make) -> None:
    async def run(quota: Quota) -> None:
        cost = ModelUsage(1, output_tokens=1, cost=Decimal("0.000000000001"))
        await (await quota.reserve(_chat())).settle(Usage(1, 1, 5.0), cost)
        await quota.reserve(_chat())

    asyncio.run(run(make(_Clock(), max_usd="0.000001")))


@everywhere
def test_a_call_that_outlives_its_window_counts_where_it_ends(make: Make) -> None:
    async def run(quota: Quota, clock: _Clock) -> None:
        held = await quota.reserve(_chat("x" * 32))
        clock.time += 60
        await held.settle(Usage(5, 5))
        with pytest.raises(MeterExceeded, match=r"10 \+ 1 tokens > 10 tpm"):
            await quota.reserve(_chat("four"))

    clock = _Clock()
    asyncio.run(run(make(clock, max_tpm=10), clock))


@everywhere
def test_a_call_that_takes_many_windows_counts_where_it_ends(make: Make) -> None:
    async def run(quota: Quota, clock: _Clock) -> None:
        held = await quota.reserve(_chat("x" * 32))
        clock.time += 600
        await held.settle(Usage(5, 4))
        await quota.reserve(_chat("four"))

    clock = _Clock()
    asyncio.run(run(make(clock, max_tpm=10), clock))


@everywhere
def test_tool_calls_pass(make: Make) -> None:
    async def run(quota: Quota) -> None:
        tool = Call("tool", ToolRequest("t", {}, None), make_test_ctx())
        held = await quota.reserve(tool)
        await held.settle(Usage(1, 1))
        await held.release()

    asyncio.run(run(make(_Clock(), max_rpm=0)))


@everywhere
def test_guard_and_charge_count_in_two_steps(make: Make) -> None:
    async def run(quota: Quota) -> list[bool]:
        first = await quota.guard(_chat())
        charged = await quota.charge(_chat(), Usage(8, 2))
        return [first.ok, charged.ok, (await quota.guard(_chat("four"))).ok]

    assert asyncio.run(run(make(_Clock(), max_tpm=10, on_exceeded="stop"))) == [True, True, False]


@everywhere
def test_a_guard_that_is_told_to_raises(make: Make) -> None:
    with pytest.raises(MeterExceeded, match="0 req ≥ 0 rpm"):
        asyncio.run(make(_Clock(), max_rpm=0).guard(_chat()))


def test_the_window_slides_in_process() -> None:
    async def run(quota: Quota, clock: _Clock) -> None:
        await _make_calls(quota, Usage())
        clock.time += 30
        await _make_calls(quota, Usage())
        clock.time += 30
        await _make_calls(quota, Usage())

    clock = _Clock()
    asyncio.run(run(Quota(max_rpm=2, clock=clock), clock))


def test_a_released_call_takes_out_its_own_place_and_no_later_one() -> None:
    async def run(quota: Quota, clock: _Clock) -> None:
        first = await quota.reserve(_chat())
        clock.time += 50
        await _make_calls(quota, Usage())
        await first.release()
        clock.time += 20
        await _make_calls(quota, Usage(), Usage())

    clock = _Clock()
    with pytest.raises(MeterExceeded, match="2 req ≥ 2 rpm"):
        asyncio.run(run(Quota(max_rpm=2, clock=clock), clock))


def test_a_release_after_the_window_changes_nothing() -> None:
    async def run(quota: Quota, clock: _Clock) -> None:
        first = await quota.reserve(_chat())
        clock.time += 61
        await _make_calls(quota, Usage())
        await first.release()
        await _make_calls(quota, Usage())

    clock = _Clock()
    with pytest.raises(MeterExceeded, match="1 req ≥ 1 rpm"):
        asyncio.run(run(Quota(max_rpm=1, clock=clock), clock))


def test_the_earlier_window_is_weighted_over_a_store() -> None:
    async def run(quota: Quota, clock: _Clock) -> None:
        await _make_calls(quota, *[Usage()] * 4)
        clock.time += 90
        await _make_calls(quota, Usage(), Usage())
        with pytest.raises(MeterExceeded, match="4 req ≥ 4 rpm"):
            await _make_calls(quota, Usage())

    clock = _Clock()
    asyncio.run(run(Quota(max_rpm=4, clock=clock, store=JsonStore()), clock))


def test_two_processes_share_the_count_of_one_store() -> None:
    async def run(store: JsonStore) -> None:
        first, second = (Quota(max_rpm=1, clock=_Clock(), store=store) for _ in range(2))
        await _make_calls(first, Usage())
        await _make_calls(second, Usage())

    with pytest.raises(MeterExceeded, match="1 req ≥ 1 rpm"):
        asyncio.run(run(JsonStore()))


def test_quotas_of_other_names_do_not_share_it() -> None:
    async def run(store: JsonStore) -> None:
        await _make_calls(Quota(max_rpm=1, clock=_Clock(), store=store, name="a"), Usage())
        await _make_calls(Quota(max_rpm=1, clock=_Clock(), store=store, name="b"), Usage())

    asyncio.run(run(JsonStore()))


@pytest.mark.parametrize("counts", [0, 1])
def test_a_store_that_is_gone_refuses_the_call(counts: int) -> None:
    quota = Quota(max_rpm=5, max_tpm=100, store=_Gone(counts))

    with pytest.raises(StoreUnavailable, match="gone"):
        asyncio.run(quota.reserve(_chat("x" * 40)))


def test_what_a_tenant_spent_can_be_looked_up_without_creating_it() -> None:
    quota = Quota(clock=_Clock())
    asyncio.run(_make_calls(quota, Usage(1, 1, 0.1), Usage(1, 1, 0.2)))

    assert (quota.spent_in_window(KEY), quota.spent_in_window("other")) == (
        Decimal("0.3"),
        Decimal(0),
    )
    assert tenants_of(quota) == [KEY]


def test_over_a_store_it_cannot() -> None:
    with pytest.raises(UnsupportedOption, match="is read there"):
        Quota(store=JsonStore()).spent_in_window(KEY)


def test_tenants_that_are_gone_are_forgotten() -> None:
    async def run(quota: Quota, clock: _Clock) -> list[str]:
        await _make_calls(quota, Usage(), org=1)
        clock.time += 120
        await _make_calls(quota, Usage(), org=3)
        return tenants_of(quota)

    clock = _Clock()
    assert asyncio.run(run(Quota(max_rpm=1, clock=clock), clock)) == [Scope(3, 2).key()]


_BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"max_rpm": True}, TypeError, "max_rpm is a whole number; got True"),
    ({"max_tpm": -1}, ValueError, "max_tpm is 0 or more; got -1"),
    ({"max_usd": -1}, ValueError, "max_usd is zero or more"),
    ({"max_usd": "much"}, MoneyPrecisionError, "is a number; got 'much'"),
    ({"window": 0}, ValueError, "window is finite and greater than 0; got 0"),
    ({"window": float("inf")}, ValueError, "window is finite"),
    ({"window": "1"}, TypeError, "window is a number of seconds; got '1'"),
    ({"on_exceeded": "shrug"}, ValueError, "on_exceeded is one of raise, stop"),
]


@pytest.mark.parametrize(("options", "error", "match"), _BAD, ids=[repr(row[0]) for row in _BAD])
def test_a_quota_refuses_bad_options(
    options: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        Quota(**options)
