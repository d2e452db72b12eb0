"""What every stack of wrappers keeps to, whatever the sink does."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import product

import pytest

from agentkit.core.contracts.observation import Observation, ObserverPort
from agentkit.core.testing import RecordingObserver
from agentkit.integrations.observers import (
    CollectingObserver,
    Hooks,
    PolicyObserver,
    QueueObserver,
    RollupObserver,
)

from .sinks import ALWAYS, Failing, FailingClose, Slow, Stuck, run

Wrap = Callable[[ObserverPort], ObserverPort]


def hooks(inner: ObserverPort) -> ObserverPort:
    return Hooks(inner).on("*", fail)


def fail(obs: Observation) -> None:
    raise ValueError(obs.kind)


async def fail_later(updates: list[Observation]) -> str:
    await asyncio.sleep(0)
    raise ValueError(len(updates))


WRAPPERS: dict[str, Wrap] = {
    "hooks": hooks,
    "everything": PolicyObserver.everything,
    "summaries": PolicyObserver.summaries,
    "result_only": PolicyObserver.result_only,
    "rollup": lambda inner: RollupObserver(inner, every=3),
    "failing rollup": lambda inner: RollupObserver(inner, every=3, summarize=fail_later),
}
STACKS = list(product(WRAPPERS, repeat=2))

each_stack = pytest.mark.parametrize("stack", STACKS, ids=[" over ".join(pair) for pair in STACKS])


def stacked(stack: tuple[str, str], sink: ObserverPort) -> ObserverPort:
    outer, inner = stack
    return WRAPPERS[outer](WRAPPERS[inner](sink))


def script(task: int) -> list[Observation]:
    kinds = ("step", "interrupt", "progress", "error", "summary", "step", "result")
    return [Observation(kind, n, render=f"{task}.{n}", run_id="r") for n, kind in enumerate(kinds)]


async def fifty_tasks_emit(observer: ObserverPort) -> None:
    async def one(task: int) -> None:
        for obs in script(task):
            await observer.emit(obs)
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as tasks:
        for task in range(50):
            tasks.create_task(one(task))


def always(items: list[Observation]) -> list[str]:
    return [obs.render for obs in items if obs.kind in ALWAYS]


EXPECTED = sorted(render for task in range(50) for render in always(script(task)))


@each_stack
@pytest.mark.parametrize("sink_type", [RecordingObserver, Slow, Failing])
def test_what_must_arrive_arrives_once(
    stack: tuple[str, str], sink_type: type[RecordingObserver]
) -> None:
    sink = sink_type()
    run(fifty_tasks_emit(stacked(stack, sink)))

    assert sorted(always(sink.items)) == EXPECTED


@each_stack
def test_what_must_arrive_arrives_through_a_queue_of_one(stack: tuple[str, str]) -> None:
    async def emit_and_take() -> list[Observation]:
        queue = QueueObserver(maxsize=1)
        observer = stacked(stack, queue)
        await fifty_tasks_emit(observer)
        with suppress(Exception):  # a failing summariser's
            await observer.close()
        return [obs async for obs in queue.stream()]

    assert sorted(always(run(emit_and_take()))) == EXPECTED


@each_stack
def test_what_must_arrive_keeps_its_order(stack: tuple[str, str]) -> None:
    async def emit_all() -> None:
        async with asyncio.TaskGroup() as tasks:
            for obs in sent:
                tasks.create_task(observer.emit(obs))

    sent = [obs for task in range(50) for obs in script(task)]
    sink = Slow()
    observer = stacked(stack, sink)
    run(emit_all())

    assert always(sink.items) == always(sent)


@each_stack
def test_what_must_arrive_waits_for_nothing(stack: tuple[str, str]) -> None:
    sink = Stuck()
    emitting = stacked(stack, sink).emit(Observation("interrupt"))
    emitting.send(None)  # as far as it gets without waiting
    emitting.close()

    assert [obs.kind for obs in sink.items] == ["interrupt"]


@each_stack
def test_closing_reaches_the_sink(stack: tuple[str, str]) -> None:
    sink = RecordingObserver()
    run(stacked(stack, sink).close())

    assert sink.closed


@each_stack
def test_a_failing_close_surfaces(stack: tuple[str, str]) -> None:
    with pytest.raises(OSError, match="tail is lost"):
        run(stacked(stack, FailingClose()).close())


@pytest.mark.parametrize(
    "observer",
    [CollectingObserver(), QueueObserver(), *[w(RecordingObserver()) for w in WRAPPERS.values()]],
    ids=["collecting", "queue", *WRAPPERS],
)
def test_each_is_an_observer_port(observer: object) -> None:
    assert isinstance(observer, ObserverPort)
