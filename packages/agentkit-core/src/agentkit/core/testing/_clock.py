"""A clock that a test moves."""

import asyncio

from agentkit.core.runtime._checks import check_between

__all__ = ["FakeClock"]


class FakeClock:
    """A `ClockPort` in which sleeping takes no time: it moves the clock. `sleeps` keeps each."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = check_between("start", start)
        self.sleeps: list[float] = []

    def now(self) -> float:
        """Give the time in seconds."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Move the clock by *seconds* and let other tasks run."""
        self.sleeps.append(seconds)
        self.advance(max(0.0, seconds))
        await asyncio.sleep(0)

    def advance(self, seconds: float) -> None:
        """Move the clock by *seconds*.

        Raises:
            TypeError: *seconds* is no number.
            ValueError: *seconds* is negative, or NaN.

        """
        if not check_between("seconds", seconds) >= 0:
            raise ValueError(f"a clock goes forward only; got {seconds!r}")
        self._now += seconds
