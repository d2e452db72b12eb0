"""One run per key: whoever asks for what is being produced waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from contextvars import ContextVar
from typing import Any, TypeVar

__all__ = ["SingleFlight"]

T = TypeVar("T")


class SingleFlight:
    """Lets concurrent callers in one event loop share one producer per key.

    The producer runs in a task of its own, in the context of the caller that started it. Cancelling
    a caller disturbs no other; when the last one is gone, the producer is cancelled. A producer
    that fails fails the caller that brought it, and the next waiter runs its own. Every caller gets
    the same object: who hands it out copies it.
    """

    def __init__(self) -> None:
        self._flights: dict[tuple[asyncio.AbstractEventLoop, Hashable], _Flight] = {}

    async def run(self, key: Hashable, fn: Callable[[], Awaitable[T]]) -> T:
        """Give what the producer for *key* returns, running *fn* when none is under way.

        Raises:
            RuntimeError: A producer waits for itself: it asks for the key it produces, directly or
                through the producer of another key.

        """
        place = (asyncio.get_running_loop(), key)
        while True:
            flight = self._flights.get(place)
            mine = flight is None
            if flight is None:
                flight = self._start(place, fn)
            task = await flight.landing(key)
            if mine or _succeeded(task):
                result: T = task.result()
                return result

    def _start(
        self, place: tuple[asyncio.AbstractEventLoop, Hashable], fn: Callable[[], Awaitable[Any]]
    ) -> _Flight:
        flight = _Flight(leave=lambda: self._leave(place, flight))
        self._flights[place] = flight
        flight.take_off(fn)
        return flight

    def _leave(self, place: tuple[asyncio.AbstractEventLoop, Hashable], flight: _Flight) -> None:
        if self._flights.get(place) is flight:
            del self._flights[place]


# The flight whose producer is running here; it counts for nothing once that has landed.
_current: ContextVar[_Flight | None] = ContextVar("agentkit_single_flight", default=None)


class _Flight:
    """One producer under way, and who waits for it."""

    task: asyncio.Task[Any]

    def __init__(self, *, leave: Callable[[], None]) -> None:
        self._leave = leave
        self._waiters = 0
        self.is_under_way = True
        self.waits_for: list[_Flight] = []

    def take_off(self, fn: Callable[[], Awaitable[Any]]) -> None:
        self.task = asyncio.get_running_loop().create_task(self._fly(fn))
        self.task.add_done_callback(self._land)

    async def _fly(self, fn: Callable[[], Awaitable[Any]]) -> Any:
        _current.set(self)
        try:
            return await fn()
        finally:
            self.is_under_way = False
            self._leave()  # at once: who asks from now on must not get what is over

    def _land(self, task: asyncio.Task[Any]) -> None:
        self._leave()  # for a task that was cancelled before it began
        _succeeded(task)  # looks at the error, or the loop would report one that nobody waits for

    async def landing(self, key: Hashable) -> asyncio.Task[Any]:
        """Wait until the producer has ended, and give its task."""
        passenger = _current.get()
        if passenger is None or not passenger.is_under_way:
            return await self._wait()
        if self._depends_on(passenger):
            raise RuntimeError(
                f"the producer for {key!r} waits for itself: it asks for its own key, directly or "
                "through the producer of another"
            )
        passenger.waits_for.append(self)
        try:
            return await self._wait()
        finally:
            passenger.waits_for.remove(self)

    def _depends_on(self, other: _Flight) -> bool:
        seen: set[_Flight] = set()
        ahead: list[_Flight] = [self]
        while ahead:
            flight = ahead.pop()
            if flight is other:
                return True
            if flight not in seen:
                seen.add(flight)
                ahead.extend(flight.waits_for)
        return False

    async def _wait(self) -> asyncio.Task[Any]:
        self._waiters += 1
        try:
            await asyncio.wait((self.task,))
        finally:
            self._waiters -= 1
            if not self._waiters and not self.task.done():
                await self._abandon()
        return self.task

    async def _abandon(self) -> None:
        """Cancel the producer, and give it the time to clean up that its caller would have."""
        self._leave()
        self.task.cancel()
        await asyncio.wait((self.task,))


def _succeeded(task: asyncio.Task[Any]) -> bool:
    return not task.cancelled() and task.exception() is None
