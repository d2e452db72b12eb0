"""A clock that a test moves."""

import asyncio

__all__ = ["FakeClock"]


class FakeClock:
    """A `ClockPort` in which sleeping takes no time: it moves the clock. `sleeps` keeps each."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
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
            ValueError: *seconds* is negative.

        """
        if seconds < 0:
            raise ValueError(f"a clock goes forward only; got {seconds!r}")
        self._now += seconds
