"""A quota's windows from the inside: what is added up, what falls out, what a store is told."""

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal, localcontext
from typing import Any

import pytest

from agentkit.core.contracts.errors import MeterExceeded
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import ChatRequest, Message, ModelUsage, Price, Scope, Usage
from agentkit.core.runtime import Quota
from agentkit.core.runtime._prices import request_bytes, worst_case
from agentkit.core.testing import JsonStore, make_test_ctx

DOLLAR = Price(*[Decimal(1_000_000)] * 5)
KEY = Scope(1, 2).key()


class Clock:
    def __init__(self, time: float = 6000.0) -> None:
        self.time = time

    def __call__(self) -> float:
        return self.time


class Told(JsonStore):
    """A store that keeps what it was told to count, and may know no expiry."""

    def __init__(self, *, expires: bool = True) -> None:
        super().__init__()
        self.expires = expires
        self.told: list[tuple[str, int]] = []
        self.lifetimes: list[int | None] = []

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        self.lifetimes.append(ttl)
        if ttl is not None and not self.expires:
            raise NotImplementedError
        self.told.append((key.removeprefix(f"quota:default:{KEY}:"), by))
        return await super().increment(key, by, ttl=ttl)


def call(text: str = "", *, org: int = 1, priced: bool = True, most: int | None = None) -> Call:
    prices: Callable[[str], Price | None] = lambda _: DOLLAR if priced else None  # noqa: E731
    request = ChatRequest([Message("user", text)], "m", max_tokens=most)
    return Call("chat", request, make_test_ctx(scope=Scope(org, 2), prices=prices))


async def use(quota: Quota, *usages: Usage, **asked: Any) -> None:
    for usage in usages:
        await (await quota.reserve(call(**asked))).settle(usage)


def run(steps: Awaitable[None]) -> None:
    async def main() -> None:
        await steps

    asyncio.run(main())


def test_the_tokens_of_many_calls_add_up() -> None:
    quota = Quota(max_tpm=10, clock=Clock())
    run(use(quota, Usage(2, 2), Usage(2, 2)))

    with pytest.raises(MeterExceeded, match=r"8 \+ 3 tokens > 10 tpm"):
        run(use(quota, Usage(), text="x" * 12))


def test_the_tokens_of_one_call_fall_out_alone() -> None:
    clock = Clock()
    quota = Quota(max_tpm=10, clock=clock)
    run(use(quota, Usage(2, 2)))
    clock.time += 30
    run(use(quota, Usage(2, 2)))
    clock.time += 31

    with pytest.raises(MeterExceeded, match=r"4 \+ 7 tokens > 10 tpm"):
        run(use(quota, Usage(), text="x" * 28))


def test_a_window_slides_between_two_sweeps_of_all_tenants() -> None:
    clock = Clock()
    quota = Quota(max_rpm=2, clock=clock)
    for wait in (30, 30, 31):
        clock.time += wait
        run(use(quota, Usage()))

    clock.time += 1
    with pytest.raises(MeterExceeded, match="2 req ≥ 2 rpm"):
        run(use(quota, Usage()))


def test_dollars_fall_out_of_the_window_as_it_is_looked_at() -> None:
    clock = Clock()
    quota = Quota(max_usd=9, clock=clock)
    clock.time += 30
    run(use(quota, Usage(1, cost_usd=0.5)))
    clock.time += 59
    before = quota.spent_in_window(KEY)
    clock.time += 2

    assert (before, quota.spent_in_window(KEY)) == (Decimal("0.5"), Decimal(0))


def test_of_two_calls_in_flight_the_first_gives_its_place_back() -> None:
    async def steps() -> None:
        quota = Quota(max_rpm=2, clock=Clock())
        first, _ = await quota.reserve(call()), await quota.reserve(call())
        await first.release()
        await quota.reserve(call())

    run(steps())


def test_a_call_that_outlived_its_window_gives_back_nothing() -> None:
    async def steps() -> None:
        clock = Clock()
        quota = Quota(max_rpm=1, clock=clock)
        held = await quota.reserve(call())
        clock.time += 61
        await use(quota, Usage(), org=3)
        await held.release()

    run(steps())


@pytest.mark.parametrize("store", [None, JsonStore], ids=["in process", "over a store"])
def test_a_worst_case_that_just_fits_is_admitted(store: Any) -> None:
    asked = call(most=1)
    bound = worst_case(asked.request, DOLLAR)
    assert bound == request_bytes(asked.request) + 1
    quota = Quota(max_usd=bound, clock=Clock(), store=store and store())

    asyncio.run(quota.reserve(asked))


@pytest.mark.parametrize("store", [None, JsonStore], ids=["in process", "over a store"])
def test_a_call_without_a_cost_is_charged_at_its_price(store: Any) -> None:
    quota = Quota(max_usd=1, clock=Clock(), store=store and store())
    run(use(quota, Usage(2)))

    with pytest.raises(MeterExceeded, match=r"cost \$2 ≥ \$1"):
        run(use(quota, Usage()))


@pytest.mark.parametrize("lacks", ["increment", "get"])
def test_a_store_counts_and_reads(lacks: str) -> None:
    lame: Any = type("Lame", (JsonStore,), {lacks: None})()

    with pytest.raises(TypeError, match=rf"^store has {lacks}\(\); got"):
        Quota(max_rpm=1, store=lame)


def test_a_request_is_counted_where_it_began_and_its_tokens_where_it_ends() -> None:
    async def steps() -> None:
        held = await Quota(max_rpm=5, max_tpm=50, clock=clock, store=store).reserve(call("x" * 8))
        clock.time += 60
        await held.settle(Usage(3, 4))

    clock, store = Clock(), Told()
    run(steps())
    assert store.told == [
        ("requests:100", 1),
        ("tokens:100", 2),
        ("tokens:101", 7),
        ("tokens:100", -2),
    ]


@pytest.mark.parametrize("window", [0, 1])
def test_a_charge_without_a_place_takes_none_back(window: int) -> None:
    store = Told()
    quota = Quota(max_tpm=50, clock=Clock(60.0 * window + 5), store=store)
    asyncio.run(quota.charge(call(), Usage(3, 4)))

    assert store.told == [(f"tokens:{window}", 7)]


def test_a_store_without_expiry_is_asked_for_it_once() -> None:
    store = Told(expires=False)
    run(use(Quota(max_rpm=9, clock=Clock(), store=store), Usage(), Usage()))

    assert store.lifetimes == [180, None, None]


@pytest.mark.parametrize(
    ("cost", "counted"),
    [("0.0000000000001", 1), ("1.2345678", 1_234_567_800_000), ("0.0000000000011", 2)],
)
def test_a_store_counts_trillionths_rounded_up_under_any_decimal_context(
    cost: str, counted: int
) -> None:
    store = Told()
    quota = Quota(max_usd=5, clock=Clock(), store=store)

    async def settle() -> None:
        held = await quota.reserve(call())
        await held.settle(Usage(), ModelUsage(1, cost=Decimal(cost)))

    with localcontext(prec=2):
        asyncio.run(settle())
    assert store.told == [("cost:100", counted)]


class Slow(JsonStore):
    """A store that is waited for."""

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        await asyncio.sleep(0)
        return await super().increment(key, by, ttl=ttl)

    async def counts(self) -> list[Any]:
        return [await self.get(key) async for key in self.scan("quota:")]


@pytest.mark.parametrize("turns", range(1, 12))
@pytest.mark.parametrize(
    ("usage", "counts"), [(Usage(5, 1, 2.0), [1, 6, 2 * 10**12]), (None, [0, 0, 0])]
)
def test_a_call_that_is_cancelled_as_it_is_counted_is_counted_whole(
    usage: Usage | None, counts: list[int], turns: int
) -> None:
    async def main() -> list[int]:
        store = Slow()
        quota = Quota(max_rpm=9, max_tpm=9, max_usd=900, store=store, clock=Clock())
        held = await quota.reserve(call("x" * 8, most=1))
        ending = asyncio.ensure_future(held.settle(usage) if usage else held.release())
        for _ in range(turns):
            await asyncio.sleep(0)
        ending.cancel()
        await asyncio.wait([ending])
        return await store.counts()

    assert sorted(asyncio.run(main())) == counts
