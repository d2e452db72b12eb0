"""Many updates as few: how many, of whom, and what is lost."""

import asyncio
import copy
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.observation import Observation, TraceContext
from agentkit.core.testing import RecordingObserver
from agentkit.integrations.observers import RollupObserver

from .sinks import ALWAYS, Failing, FailingClose, Slow, Stuck, run, seen


async def emit_steps(observer: RollupObserver, count: int, run_id: str = "r") -> None:
    for n in range(1, count + 1):
        await observer.emit(Observation("step", n, render=f"{run_id}{n}", run_id=run_id))


def fail(updates: list[Observation]) -> str:
    raise LookupError(f"no words for {len(updates)}")


def test_every_so_many_updates_make_one_summary() -> None:
    sink = RecordingObserver()
    run(emit_steps(RollupObserver(sink), 17))

    assert seen(sink) == [f"summary 8 updates; latest: r{n}" for n in (8, 16)]


def test_a_summary_says_how_many_and_is_otherwise_the_latest() -> None:
    sink = RecordingObserver()
    trace = TraceContext("a" * 32, "b" * 16)
    last = Observation("step", 2, 9.0, "writer", "two", "r", {"x": 1}, "parent", trace)
    run(emit_steps(rollup := RollupObserver(sink, every=2), 1))
    run(rollup.emit(last))

    assert sink.items == [
        Observation("summary", 2, 9.0, "writer", "2 updates; latest: two", "r", {"rolled": 2},
                    "parent", trace)
    ]  # fmt: skip


def test_a_summary_has_every_field_of_an_observation_as_it_would_be_made_anew() -> None:
    sink = RecordingObserver()
    last = Observation("step", 7, 9.5, "writer", "two", "r", ["x"], "p", TraceContext("a", "b"))
    run(RollupObserver(sink, every=1).emit(last))
    [summary] = sink.items
    expected = replace(last, kind="summary", render=summary.render, payload={"rolled": 1})

    assert [getattr(summary, f.name) for f in fields(summary)] == [
        getattr(expected, f.name) for f in fields(expected)
    ]


def test_a_summary_is_an_observation_like_any_other() -> None:
    sink = RecordingObserver()
    run(emit_steps(RollupObserver(sink, every=1), 1))
    [summary] = sink.items

    assert type(summary) is Observation
    assert copy.copy(summary) == summary
    with pytest.raises(FrozenInstanceError, match="render"):
        summary.render = "another"  # type: ignore[misc]


def test_one_update_is_rolled_up_alone_if_asked() -> None:
    sink = RecordingObserver()
    run(emit_steps(RollupObserver(sink, every=1), 3))

    assert [obs.payload for obs in sink.items] == [{"rolled": 1}] * 3


def test_what_is_left_is_handed_on_at_the_end() -> None:
    sink = RecordingObserver()
    rollup = RollupObserver(sink)
    run(emit_steps(rollup, 3))
    run(rollup.close())

    assert seen(sink) == ["summary 3 updates; latest: r3"]
    assert sink.closed


def test_closing_again_adds_nothing() -> None:
    sink = RecordingObserver()
    rollup = RollupObserver(sink)
    run(emit_steps(rollup, 1))
    run(rollup.close())
    run(rollup.close())

    assert len(sink.items) == 1


@pytest.mark.parametrize("kind", ALWAYS)
def test_what_must_arrive_is_neither_held_nor_counted(kind: str) -> None:
    sink = RecordingObserver()
    rollup = RollupObserver(sink, every=2)
    run(emit_steps(rollup, 1))
    run(rollup.emit(Observation(kind, render="now", run_id="r")))
    run(rollup.close())

    assert seen(sink) == [f"{kind} now", "summary 1 updates; latest: r1"]


def test_two_runs_are_never_summed_up_together() -> None:
    sink = RecordingObserver()
    rollup = RollupObserver(sink, every=2)
    for run_id in ("a", "b", "b", "a"):
        run(emit_steps(rollup, 1, run_id))

    assert [(obs.run_id, obs.payload) for obs in sink.items] == [
        ("b", {"rolled": 2}),
        ("a", {"rolled": 2}),
    ]


def test_of_too_many_runs_the_first_is_handed_on_early() -> None:
    sink = RecordingObserver()
    rollup = RollupObserver(sink)
    for n in range(1025):
        run(rollup.emit(Observation("step", run_id=str(n))))

    assert [obs.run_id for obs in sink.items] == ["0"]


@pytest.mark.parametrize("is_async", [False, True])
def test_the_text_is_the_summarisers(*, is_async: bool) -> None:
    async def later(updates: list[Observation]) -> str:
        await asyncio.sleep(0)
        return now(updates)

    def now(updates: list[Observation]) -> str:
        return "+".join(obs.render for obs in updates)

    sink = RecordingObserver()
    summarize: Any = later if is_async else now
    run(emit_steps(RollupObserver(sink, every=2, summarize=summarize, kind="progress"), 2))

    assert seen(sink) == ["progress r1+r2"]


def test_updates_of_a_failed_summary_are_counted() -> None:
    rollup = RollupObserver(sink := RecordingObserver(), every=2, summarize=fail)
    run(emit_steps(rollup, 4))

    assert (rollup.dropped, rollup.failures, sink.items) == (4, 2, [])


def test_a_summary_that_is_no_text_is_a_failure() -> None:
    summarize: Any = len
    rollup = RollupObserver(sink := RecordingObserver(), every=2, summarize=summarize)
    run(emit_steps(rollup, 2))

    assert (rollup.dropped, rollup.failures, sink.items) == (2, 1, [])


def test_updates_a_sink_refused_are_counted() -> None:
    rollup = RollupObserver(Failing(), every=2)
    run(emit_steps(rollup, 3))

    assert (rollup.dropped, rollup.failures) == (2, 1)


def test_no_update_is_handed_on_twice_while_the_sink_is_slow() -> None:
    async def emit_at_once() -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(10):
                tasks.create_task(emit_steps(rollup, 5))

    rollup = RollupObserver(sink := Slow(), every=4)
    run(emit_at_once())
    run(rollup.close())

    assert sum(obs.payload["rolled"] for obs in sink.items) == 50


def test_a_flush_that_fails_surfaces_and_the_sink_is_closed() -> None:
    sink = Failing()
    rollup = RollupObserver(sink)
    run(emit_steps(rollup, 3))
    with pytest.raises(OSError, match="sink is full"):
        run(rollup.close())

    assert (rollup.dropped, sink.closed) == (3, True)


def test_several_failures_of_closing_leave_together() -> None:
    rollup = RollupObserver(FailingClose(), summarize=fail)
    for run_id in ("a", "b"):
        run(emit_steps(rollup, 1, run_id))
    with pytest.raises(ExceptionGroup, match="several places") as failed:
        run(rollup.close())

    assert [type(exc) for exc in failed.value.exceptions] == [LookupError, LookupError, OSError]


def test_a_cancelled_flush_still_closes_the_sink() -> None:
    async def cancel_closing() -> None:
        closing = asyncio.ensure_future(rollup.close())
        await asyncio.sleep(0)
        closing.cancel()
        await closing

    rollup = RollupObserver(sink := Stuck())
    run(emit_steps(rollup, 1))
    with pytest.raises(asyncio.CancelledError):
        run(cancel_closing())

    assert (sink.closed, rollup.dropped) == (True, 1)


@pytest.mark.parametrize("count", [1, 2], ids=["while closing", "while emitting"])
def test_a_cancelled_run_is_not_contained(count: int) -> None:
    def cancel(updates: list[Observation]) -> str:
        raise Cancelled(f"{len(updates)}")

    async def emit_and_close() -> None:
        await emit_steps(rollup, count)
        await rollup.close()

    rollup = RollupObserver(RecordingObserver(), every=2, summarize=cancel)
    with pytest.raises(Cancelled, match=str(count)):
        run(emit_and_close())


def test_a_sink_cancelled_in_closing_is_not_contained() -> None:
    class Cancelling(RecordingObserver):
        async def close(self) -> None:
            raise Cancelled("enough")

    with pytest.raises(Cancelled, match="enough"):
        run(RollupObserver(Cancelling()).close())


@pytest.mark.parametrize("arguments", [{"every": 0}, {"every": -1}, {"kind": "result"}], ids=repr)
def test_a_rollup_that_cannot_work_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"every|kind"):
        RollupObserver(RecordingObserver(), **arguments)


def test_a_kind_that_is_no_text_is_refused() -> None:
    kind: Any = 7
    with pytest.raises(TypeError, match="kind is text; got 7"):
        RollupObserver(RecordingObserver(), kind=kind)
