"""Ending tasks that are still running, and work that is not to end half-way; for a bounded time."""

import asyncio
import logging
from asyncio import CancelledError, Task
from collections.abc import Coroutine, Iterable
from typing import Any

__all__ = ["SIBLING_CLEANUP_GRACE_S", "end_tasks", "to_the_end"]

SIBLING_CLEANUP_GRACE_S = 5.0
"""How long an abort waits for cancelled siblings to run their `finally` blocks."""

_LOG = logging.getLogger(__name__)
# A loop itself only holds tasks weakly: without this, one that is let go could vanish half-way.
_abandoned: set[Task[Any]] = set()


async def end_tasks(tasks: Iterable[Task[Any]], *, grace_s: float) -> None:
    """Cancel *tasks* and wait until they are over, at most *grace_s* seconds.

    One that is still running then is abandoned, with a warning in the log. A cancellation from
    outside ends the wait at once.
    """
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    try:
        if running:
            await asyncio.wait(running, timeout=grace_s)
    finally:
        left = [task for task in running if not task.done()]
        for task in left:
            _abandon(task)
        if left:
            _LOG.warning("abandoning %d cancelled tasks that do not end", len(left))


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Do *work* whole, also where the caller is cancelled meanwhile: half of it would be wrong.

    A cancellation waits for it, at most `SIBLING_CLEANUP_GRACE_S` seconds and until the next one;
    what is not over by then goes on alone.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except CancelledError:
        if not task.done():
            _abandon(task)
            await asyncio.wait([task], timeout=SIBLING_CLEANUP_GRACE_S)
        raise


def _abandon(task: Task[Any]) -> None:
    _abandoned.add(task)
    task.add_done_callback(_forget)


def _forget(task: Task[Any]) -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()  # looked at here, or the loop reports it as never retrieved
