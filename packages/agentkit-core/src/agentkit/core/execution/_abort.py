"""Ending tasks that are still running, for a bounded time."""

import asyncio
import logging
from asyncio import Task
from collections.abc import Iterable
from typing import Any

__all__ = ["SIBLING_CLEANUP_GRACE_S", "end_tasks"]

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


def _abandon(task: Task[Any]) -> None:
    _abandoned.add(task)
    task.add_done_callback(_forget)


def _forget(task: Task[Any]) -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()  # looked at here, or the loop reports it as never retrieved
