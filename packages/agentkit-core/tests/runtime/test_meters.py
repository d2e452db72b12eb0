"""Several meters on one call: all admit it, or none counts it."""

import asyncio
from typing import Any

import pytest

from agentkit.core.contracts.errors import MeterExceeded
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import ChatRequest, Message, ModelUsage, Usage
from agentkit.core.runtime import (
    ActorBudget,
    Budget,
    Charge,
    Meter,
    Quota,
    ReservingMeter,
    reserve,
)
from agentkit.core.runtime._meters import all_tokens
from agentkit.core.testing import make_test_ctx

from .books import ledger_of, tenants_of


class _Plain:
    """A meter of the two-step kind."""

    def __init__(self, verdict: Charge | None = None, *, fails: str = "") -> None:
        self.verdict = verdict
        self.fails = fails
        self.asked: list[Any] = []
        self.charged: list[Usage] = []

    async def guard(self, call: Any) -> Charge | None:
        self.asked.append(call)
        await asyncio.sleep(0)
        return self.verdict

    async def charge(self, call: Any, usage: Usage) -> Charge | None:
        self.asked.append(call)
        self.charged.append(usage)
        if self.fails:
            raise MeterExceeded(self.fails)
        return None


def _call() -> Call:
    return Call("chat", ChatRequest([Message("user", "hi")], "m"), make_test_ctx())


def test_the_shipped_meters_are_meters() -> None:
    assert isinstance(Budget(), Meter)
    assert isinstance(Quota(), Meter)


def test_the_shipped_limits_hold_what_they_admit() -> None:
    assert isinstance(Budget(), ReservingMeter)
    assert isinstance(Quota(), ReservingMeter)
    assert isinstance(ActorBudget(), ReservingMeter)


def test_a_plain_meter_is_guarded_and_charged_once() -> None:
    async def run(meter: _Plain) -> None:
        held = await reserve([meter], _call())
        await held.settle(Usage(1, 2))
        await held.settle(Usage(1, 2))

    meter = _Plain()
    asyncio.run(run(meter))
    assert meter.charged == [Usage(1, 2)]


def test_a_plain_meter_is_told_the_call() -> None:
    async def run(meter: _Plain, call: Call) -> None:
        await (await reserve([meter], call)).settle(Usage(1, 2))

    meter, call = _Plain(), _call()
    asyncio.run(run(meter, call))
    assert meter.asked == [call, call]


def test_a_released_plain_meter_is_not_charged() -> None:
    async def run(meter: _Plain) -> None:
        held = await reserve([meter], _call())
        await held.release()
        await held.settle(Usage(1, 2))

    meter = _Plain()
    asyncio.run(run(meter))
    assert meter.charged == []


def test_a_plain_meters_bad_verdict_refuses_the_call() -> None:
    with pytest.raises(MeterExceeded, match="enough"):
        asyncio.run(reserve([_Plain(Charge(ok=False, reason="enough"))], _call()))


def test_a_refusal_releases_what_the_earlier_meters_hold() -> None:
    budget, quota = Budget(), Quota(max_rpm=9)

    with pytest.raises(MeterExceeded, match="calls 1 > 0"):
        asyncio.run(reserve([budget, quota, Budget(max_calls=0)], _call()))
    assert ledger_of(budget).in_flight == 0
    assert tenants_of(quota) == []


def test_every_meter_is_charged_and_then_the_first_error_leaves() -> None:
    async def run(*meters: _Plain) -> None:
        await (await reserve(meters, _call())).settle(Usage(1, 2))

    meters = _Plain(fails="first"), _Plain(), _Plain(fails="last")
    with pytest.raises(MeterExceeded, match="first"):
        asyncio.run(run(*meters))
    assert [meter.charged for meter in meters] == [[Usage(1, 2)]] * 3


def test_a_cancellation_while_a_meter_is_asked_leaves_nothing_held() -> None:
    async def run(budget: Budget) -> bool:
        task = asyncio.create_task(reserve([budget, _Plain()], _call()))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    budget = Budget()
    assert asyncio.run(run(budget))
    assert ledger_of(budget).in_flight == 0


class _Stubborn(_Plain):
    """A meter whose reservation cannot be released."""

    async def reserve(self, call: Any) -> "_Stubborn":
        return self

    async def settle(self, usage: Usage, model_usage: ModelUsage | None = None) -> None:
        self.charged.append(usage)

    async def release(self) -> None:
        raise OSError("store is gone")


def test_a_release_that_fails_does_not_keep_the_others_from_it() -> None:
    async def run(budget: Budget) -> None:
        await (await reserve([_Stubborn(), budget], _call())).release()

    budget = Budget()
    with pytest.raises(OSError, match="store is gone"):
        asyncio.run(run(budget))
    assert ledger_of(budget).in_flight == 0


def test_no_meters_admit_everything() -> None:
    async def run() -> None:
        held = await reserve([], _call())
        await held.settle(Usage())
        await held.release()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("usage", "model_usage", "expected"),
    [(Usage(1, 2, 0.0, 3, 4), None, 10), (Usage(1, 2), ModelUsage(8, 7, output_tokens=2), 10)],
    ids=["usage", "model usage"],
)
def test_cached_tokens_are_tokens(
    usage: Usage, model_usage: ModelUsage | None, expected: int
) -> None:
    assert all_tokens(usage, model_usage) == expected
