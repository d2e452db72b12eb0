"""cancel_at_every_await strikes each suspension once, and nothing else."""

import asyncio
from typing import Any

import pytest

from agentkit.testing.faults import cancel_at_every_await


class Walk:
    """An operation of three waits that notes how far it came."""

    def __init__(self) -> None:
        self.reached: list[int] = []

    async def __call__(self) -> None:
        steps = 0
        try:
            for _ in range(3):
                await asyncio.sleep(0)
                steps += 1
        finally:
            self.reached.append(steps)


async def each(operation: Any) -> list[int]:
    return [nth async for nth in cancel_at_every_await(operation)]


def test_each_wait_is_struck_once_and_the_last_run_goes_through() -> None:
    walk = Walk()

    assert asyncio.run(each(walk)) == [1, 2, 3, 4]
    assert walk.reached == [0, 1, 2, 3]


def test_an_operation_that_never_waits_runs_once() -> None:
    async def at_once() -> None:
        pass

    assert asyncio.run(each(at_once)) == [1]


def test_an_error_leaves() -> None:
    async def fails() -> None:
        await asyncio.sleep(0)
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        asyncio.run(each(fails))


def test_an_operation_that_shrugs_off_its_cancellation_is_run_to_its_end() -> None:
    ended: list[bool] = []

    async def stubborn() -> None:
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
        ended.append(True)

    asyncio.run(each(stubborn))
    assert ended[0] is True


def test_an_operation_without_end_is_told() -> None:
    async def endless() -> None:
        while True:
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                return

    with pytest.raises(RuntimeError, match="more than 300 places"):
        asyncio.run(each(endless))
