"""Tasks that do not end when they are cancelled: kept until they do, and no report of theirs."""

import asyncio
import gc
import logging
import weakref
from asyncio import CancelledError, Event, Task
from typing import Any

import pytest

from agentkit.core.execution._abort import end_tasks


class _Stubborn:
    """Ignores its first cancellation; then a test lets it go, to end with *outcome*."""

    def __init__(self, outcome: BaseException | None = None) -> None:
        self.outcome = outcome
        self.go = Event()

    async def run(self) -> None:
        try:
            await Event().wait()
        except CancelledError:
            await self.go.wait()
        if self.outcome is not None:
            raise self.outcome


async def _abandoned(stubborn: _Stubborn) -> weakref.ref[Task[None]]:
    task = asyncio.create_task(stubborn.run())
    await asyncio.sleep(0)
    await end_tasks([task], grace_s=0)
    return weakref.ref(task)


def _collected(task: weakref.ref[Task[None]]) -> bool:
    gc.collect()
    return task() is None


async def _reports_of(stubborn: _Stubborn) -> list[dict[str, Any]]:
    reports: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: reports.append(told))
    task = await _abandoned(stubborn)
    stubborn.go.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert _collected(task)
    return reports


def test_an_abandoned_task_cannot_vanish_half_way() -> None:
    async def steps() -> None:
        stubborn = _Stubborn()
        task = await _abandoned(stubborn)
        del stubborn

        assert not _collected(task)

    asyncio.run(steps())


@pytest.mark.parametrize(
    "outcome", [None, OSError("late"), CancelledError()], ids=["well", "badly", "cancelled"]
)
def test_an_abandoned_task_that_ends_is_forgotten_without_a_report(
    outcome: BaseException | None,
) -> None:
    assert asyncio.run(_reports_of(_Stubborn(outcome))) == []


def test_the_log_tells_how_many_were_abandoned(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        asyncio.run(_reports_of(_Stubborn()))

    assert caplog.messages == ["abandoning 1 cancelled tasks that do not end"]
