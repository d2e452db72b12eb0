"""The real clock."""

import asyncio
import time

__all__ = ["SystemClock"]


class SystemClock:
    """The wall clock of this machine."""

    __slots__ = ()

    def now(self) -> float:
        """Give the time in unix seconds."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Return once *seconds* have passed; zero or less returns at the next turn of the loop."""
        await asyncio.sleep(max(0.0, seconds))
