"""The seam to the wall clock."""

from typing import Protocol, runtime_checkable

__all__ = ["ClockPort"]


@runtime_checkable
class ClockPort(Protocol):
    """The wall clock, as a port, so that no test waits for it."""

    def now(self) -> float:
        """Give the time in unix seconds."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return once *seconds* have passed; zero or less returns at the next turn of the loop."""
        ...
