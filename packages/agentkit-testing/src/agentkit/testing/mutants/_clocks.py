"""A correct clock, and those that go back, stand still or wake nobody."""

import asyncio
import time

from agentkit.testing.mutants._trial import Trial, breaks, tries
from agentkit.testing.suites import ClockSuite

__all__ = ["ReferenceClock"]


class ReferenceClock:
    """A `ClockPort` that keeps every clause: it tells the system's time, plus what was slept."""

    def __init__(self) -> None:
        self.slept = 0.0

    def now(self) -> float:
        """Give the time."""
        return time.time() + self.slept

    async def sleep(self, seconds: float) -> None:
        """Go on by *seconds*, and let others run."""
        self.pass_over(max(0.0, seconds))
        await self.turn(seconds)

    def pass_over(self, seconds: float) -> None:
        """Let *seconds* be over."""
        self.slept += seconds

    async def turn(self, seconds: float) -> None:
        """Let others run; who sleeps for an hour does not wake before the end of a clause."""
        await asyncio.sleep(0 if seconds < 3600 else seconds)


@tries(ReferenceClock)
class _ClockTrial(Trial, ClockSuite): ...


@breaks("CLOCK-PORT-01")
class NeverSleeps(ReferenceClock):
    """It leaves out a verb of the port."""

    sleep = None  # type: ignore[assignment]


@breaks("CLOCK-NOW-01")
class CountsInWholes(ReferenceClock):
    """It tells whole seconds."""

    def now(self) -> float:
        return int(super().now())


@breaks("CLOCK-NOW-02")
class GoesBack(ReferenceClock):
    """It goes back whenever somebody looks."""

    def now(self) -> float:
        self.slept -= 1.0
        return super().now()


@breaks("CLOCK-SLEEP-01")
class CountsInMinutes(ReferenceClock):
    """It sleeps a sixtieth of what is asked."""

    def pass_over(self, seconds: float) -> None:
        self.slept += seconds / 60


@breaks("CLOCK-SLEEP-02")
class ReturnsAtOnce(ReferenceClock):
    """It lets nobody run where there is nothing to wait for."""

    async def turn(self, seconds: float) -> None:
        if seconds > 0:
            await super().turn(seconds)


@breaks("CLOCK-SLEEP-02")
class SleepsBackwards(ReferenceClock):
    """It goes back by what is below zero."""

    async def sleep(self, seconds: float) -> None:
        self.slept += seconds
        await self.turn(seconds)


@breaks("CLOCK-SLEEP-03", "CLOCK-SLEEP-02")
class BlocksTheLoop(ReferenceClock):
    """It sleeps with everybody."""

    async def turn(self, seconds: float) -> None: ...


@breaks("CLOCK-SLEEP-04")
class WakesWhenCancelled(ReferenceClock):
    """It takes being cancelled for the end of the night."""

    async def turn(self, seconds: float) -> None:
        try:
            await super().turn(seconds)
        except asyncio.CancelledError:
            return
