"""A queue that loses what it may, and says how much."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from agentkit.core.contracts.observation import Observation
from agentkit.integrations.observers import QueueObserver

from .sinks import ALWAYS, run


async def emit(queue: QueueObserver, *kinds: str) -> None:
    for kind in kinds:
        await queue.emit(Observation(kind))


async def rest(queue: QueueObserver) -> list[str]:
    await queue.close()
    return [obs.kind async for obs in queue.stream()]


def after(queue: QueueObserver, *kinds: str) -> list[str]:
    async def emit_and_take() -> list[str]:
        await emit(queue, *kinds)
        return await rest(queue)

    return run(emit_and_take())


def test_what_goes_in_comes_out_in_order() -> None:
    kinds = ["step", "result", "progress", "error", "interrupt", "step"]

    assert after(QueueObserver(), *kinds) == kinds


def test_the_oldest_that_may_be_lost_is_evicted() -> None:
    queue = QueueObserver(maxsize=2)

    assert after(queue, "a", "result", "b", "c", "d") == ["result", "c", "d"]
    assert queue.dropped == 2


@pytest.mark.parametrize("kind", ALWAYS)
def test_what_must_arrive_is_never_evicted_and_evicts_nothing(kind: str) -> None:
    queue = QueueObserver(maxsize=1)

    assert after(queue, "a", *[kind] * 300) == ["a", *[kind] * 300]
    assert queue.dropped == 0


def test_order_holds_across_eviction() -> None:
    kinds = ["a", "error", "b", "interrupt", "c", "result", "d"]

    assert after(QueueObserver(maxsize=2), *kinds) == ["error", "interrupt", "c", "result", "d"]


def test_what_was_taken_is_not_counted_as_dropped() -> None:
    async def emit_and_take() -> list[str]:
        stream = queue.stream()
        taken: list[str] = []
        for kinds in (["a", "b", "c"], ["d", "e", "result"]):
            await emit(queue, *kinds)
            taken.append((await anext(stream)).kind)
        return [*taken, *await rest(queue)]

    queue = QueueObserver(maxsize=2)

    assert run(emit_and_take()) == ["b", "d", "e", "result"]
    assert queue.dropped == 2


def test_pending_counts_what_waits() -> None:
    queue = QueueObserver(maxsize=1)
    run(emit(queue, "a", "b", "result"))

    assert queue.pending == 2


def test_a_waiting_view_is_woken() -> None:
    async def view_and_emit() -> list[str]:
        taken: list[str] = []
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(view(taken))
            for kind in ("a", "result"):
                await asyncio.sleep(0)
                await emit(queue, kind)
            await asyncio.sleep(0)
            await queue.close()
        return taken

    async def view(taken: list[str]) -> None:
        taken.extend([obs.kind async for obs in queue.stream()])

    queue = QueueObserver()

    assert run(view_and_emit()) == ["a", "result"]


def test_a_cancelled_view_loses_nothing() -> None:
    async def cancel_and_take() -> list[str]:
        waiting = asyncio.ensure_future(first(queue.stream()))
        await asyncio.sleep(0)
        waiting.cancel()
        await emit(queue, "a", "result")
        await asyncio.wait([waiting])
        return await rest(queue)

    async def first(stream: AsyncIterator[Observation]) -> Observation:
        return await anext(stream)

    queue = QueueObserver()

    assert run(cancel_and_take()) == ["a", "result"]


def test_two_views_share_what_comes() -> None:
    async def share() -> list[str]:
        views = [asyncio.ensure_future(collect()) for _ in range(2)]
        await asyncio.sleep(0)
        await emit(queue, *"abcd")
        await queue.close()
        return sorted(kind for kinds in await asyncio.gather(*views) for kind in kinds)

    async def collect() -> list[str]:
        return [obs.kind async for obs in queue.stream()]

    queue = QueueObserver()

    assert run(share()) == ["a", "b", "c", "d"]


def test_what_comes_after_closing_is_kept_for_another_look() -> None:
    queue = QueueObserver()
    after(queue, "step")

    assert after(queue, "result") == ["result"]


def test_a_queue_outlives_a_loop() -> None:
    queue = QueueObserver()
    run(emit(queue, "a"))

    assert after(queue, "result") == ["a", "result"]


def test_emitting_never_waits() -> None:
    emitting = QueueObserver(maxsize=1).emit(Observation("step"))

    with pytest.raises(StopIteration):
        emitting.send(None)


def test_a_queue_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1; got 0"):
        QueueObserver(maxsize=0)
