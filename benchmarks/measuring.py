"""Ratios out of one interleaved run: every contestant takes its turn in every round."""

import gc
import statistics
import time
import tracemalloc
from asyncio import Event, Task, gather, sleep
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Row", "bytes_held", "compare", "seconds_of", "seconds_of_await", "table"]

Sample = Callable[[], Awaitable[float]]
"""Gives one measurement: seconds or bytes, the less the better."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """What is measured against what; of both, *base* is taken off first where there is one."""

    what: str
    ours: Sample
    floor: Sample
    against: str
    base: Sample | None = None
    at_most: float | None = None
    unit: str = "us"


@dataclass
class _Seen:
    ours: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)


async def compare(rows: list[Row], rounds: int) -> list[str]:
    """Give a line for each row, its figures the medians of *rounds* rounds over all rows."""
    seen = [_Seen() for _ in rows]
    gc.collect()
    gc.disable()  # what a round leaves is collected between rounds, in nobody's time
    for _ in range(rounds):
        for row, kept in zip(rows, seen, strict=True):
            base = await row.base() if row.base else 0.0
            floor = await row.floor() - base
            ours = await row.ours() - base
            kept.ours.append(ours)
            kept.floor.append(floor)
            kept.ratios.append(ours / floor)
        gc.collect()
    gc.enable()
    return [_line(row, kept) for row, kept in zip(rows, seen, strict=True)]


def table(lines: list[str]) -> str:
    """Give *lines* under a head."""
    head = f"{'':58} {'ours':>12} {'floor':>12} {'ratio':>7}  {'at most':>7}"
    return "\n".join([head, *lines])


def _line(row: Row, kept: _Seen) -> str:
    scale = {"us": 1e6, "ms": 1e3, "B": 1.0}[row.unit]
    ours, floor = (statistics.median(part) * scale for part in (kept.ours, kept.floor))
    ratio = statistics.median(kept.ratios)
    limit = "" if row.at_most is None else f"{row.at_most:g}"
    late = "  over" if row.at_most is not None and ratio > row.at_most else ""
    what = f"{row.what} / {row.against}"
    figures = f"{ours:9.2f} {row.unit:2} {floor:9.2f} {row.unit:2} {ratio:7.2f}  {limit:>7}"
    return f"{what:58} {figures}{late}"


def seconds_of(
    work: Callable[[], object], *, times: int, clock: Callable[[], float] = time.perf_counter
) -> Sample:
    """Give what measures one call of *work*, over *times* calls.

    What never waits is measured by `time.process_time`: a busy machine does not count.
    """

    async def sample() -> float:
        start = clock()
        for _ in range(times):
            work()
        return (clock() - start) / times

    return sample


def seconds_of_await(
    work: Callable[[], Awaitable[object]],
    *,
    times: int,
    parts: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> Sample:
    """Give what measures one of the *parts* of an awaited *work*, as `seconds_of` does."""

    async def sample() -> float:
        start = clock()
        for _ in range(times):
            await work()
        return (clock() - start) / times / parts

    return sample


def bytes_held(work: Callable[[Event], Coroutine[Any, Any, object]], *, tasks: int) -> Sample:
    """Give what measures the memory of one *work* under way, of *tasks* that wait for an event."""

    async def sample() -> float:
        gate = Event()
        gc.collect()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        running = [Task(work(gate)) for _ in range(tasks)]
        for _ in range(8):  # until each has come to where it waits
            await sleep(0)
        now, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        gate.set()
        await gather(*running)
        return (now - before) / tasks

    return sample
