"""Cancellation at every point where an operation waits."""

from __future__ import annotations

import asyncio
import types
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from typing import Any

__all__ = ["cancel_at_every_await"]

_MOST_AWAITS = 300


async def cancel_at_every_await(
    operation: Callable[[], Coroutine[Any, Any, Any]],
) -> AsyncIterator[int]:
    """Run *operation* again and again, cancelled at its 1st, 2nd, ... nth suspension.

    Gives n after each run, so that the loop's body can look at what is left; the last run went
    through. Any error of *operation* but its cancellation leaves.

    Raises:
        RuntimeError: The operation is still waiting after 300 suspensions.

    """
    for nth in range(1, _MOST_AWAITS):
        cut = _Cut(nth)
        with suppress(asyncio.CancelledError):
            await asyncio.create_task(_as_coroutine(cut.through(operation())))
        yield nth
        if not cut.reached:
            return
    raise RuntimeError(f"the operation waits at more than {_MOST_AWAITS} places")


class _Cut:
    def __init__(self, nth: int) -> None:
        self.left = nth

    @property
    def reached(self) -> bool:
        return self.left <= 0

    @types.coroutine
    def through(self, work: Coroutine[Any, Any, Any]) -> Generator[Any, None, Any]:
        """Drive *work* as a task would, and cancel that task at the chosen suspension."""
        thrown: BaseException | None = None
        while True:
            try:
                awaited = work.send(None) if thrown is None else work.throw(thrown)
            except StopIteration as done:
                return done.value
            self.left -= 1
            if self.left == 0:
                # Asked for during the task's own step, it strikes what is awaited next.
                _current().cancel()
            thrown = None
            try:
                yield awaited
            except BaseException as exc:  # noqa: BLE001  # handed on to *work*, whose it is
                thrown = exc


async def _as_coroutine(work: Awaitable[Any]) -> Any:
    return await work


def _current() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("a cut runs in a task")
    return task
