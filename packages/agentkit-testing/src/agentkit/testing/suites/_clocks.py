"""The suite of ClockPort."""

import asyncio
import math
from typing import ClassVar

import pytest

from agentkit.core.contracts.ports import ClockPort
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._suite import Suite

__all__ = ["ClockSuite"]

MOMENT = 0.02
ALMOST = 0.015
"""A moment, as far as two clocks agree on it."""


class ClockClauses(Suite):
    """A clock tells the time, goes on, and lets one sleep."""

    @clause("CLOCK-PORT-01", since="1.0")
    async def an_adapter_has_the_verbs_of_its_port(self, clock: ClockPort) -> None:
        assert [verb for verb in ("now", "sleep") if not callable(getattr(clock, verb, None))] == []

    @clause("CLOCK-NOW-01", since="1.0")
    async def the_time_is_a_finite_number_of_seconds(self, clock: ClockPort) -> None:
        assert type(clock.now()) is float
        assert math.isfinite(clock.now())

    @clause("CLOCK-NOW-02", since="1.0")
    async def the_time_never_goes_back(self, clock: ClockPort) -> None:
        times = [clock.now() for _ in range(200)]

        assert times == sorted(times)

    @clause("CLOCK-SLEEP-01", since="1.0")
    async def who_sleeps_wakes_later(self, clock: ClockPort) -> None:
        before = clock.now()
        await clock.sleep(MOMENT)

        assert clock.now() - before >= ALMOST

    @clause("CLOCK-SLEEP-02", since="1.0")
    async def zero_and_less_is_a_turn(self, clock: ClockPort) -> None:
        turns: list[str] = []
        for seconds in (0, 0.0, -1.0):
            before = clock.now()
            asyncio.get_running_loop().call_soon(turns.append, "another's")
            await clock.sleep(seconds)
            assert clock.now() >= before

        assert turns == ["another's"] * 3

    @clause("CLOCK-SLEEP-03", since="1.0")
    async def others_run_while_one_sleeps(self, clock: ClockPort) -> None:
        turns: list[str] = []
        asyncio.get_running_loop().call_soon(turns.append, "another's")
        await clock.sleep(MOMENT)

        assert turns == ["another's"]

    @clause("CLOCK-SLEEP-04", since="1.0")
    async def a_sleeper_may_be_cancelled(self, clock: ClockPort) -> None:
        sleeping = asyncio.ensure_future(clock.sleep(3600.0))
        await asyncio.sleep(0)
        sleeping.cancel()

        with pytest.raises(asyncio.CancelledError):
            await sleeping


class ClockSuite(ClockClauses):
    """What a clock promises; subclass it and define the `adapter` fixture."""

    port: ClassVar[str] = "ClockPort"
    version: ClassVar[str] = "1.0"
