"""What an observer adds to each observation: `python benchmarks/observers.py [ROUNDS]`.

An observation is ready-made, since the run makes it whoever listens; the floor is an awaited call
of an observer that does nothing. Figures differ from machine to machine; the ratios are what stays.
"""

import asyncio
import sys
import time
from collections.abc import Callable

from measuring import Row, Sample, compare, seconds_of_await, table

from agentkit.core.contracts.observation import Observation, ObserverPort
from agentkit.core.telemetry import NoopObserver
from agentkit.integrations.observers import (
    CollectingObserver,
    Hooks,
    PolicyObserver,
    QueueObserver,
    RollupObserver,
)

__all__ = ["observers"]

MANY = 100_000
RUNS = 4
UPDATES = [
    Observation("progress", n, float(n), "reader", f"read page {n}", f"run {n % RUNS}")
    for n in range(1, 1001)
] * (MANY // 1000)


def main(rounds: int) -> None:
    """Print the table."""
    print(f"medians of {rounds} interleaved rounds, Python {sys.version.split()[0]}\n")
    print(table(asyncio.run(compare(observers(), rounds))))


def observers() -> list[Row]:
    """Each observer, made anew for each measurement, with 100,000 updates of four runs."""
    rows: dict[str, tuple[Callable[[], ObserverPort], float | None]] = {
        "RollupObserver": (lambda: RollupObserver(NoopObserver()), 3),
        "QueueObserver": (QueueObserver, 3),
        "PolicyObserver": (lambda: PolicyObserver.summaries(NoopObserver()), None),
        "Hooks": (lambda: Hooks(NoopObserver()), None),
        "CollectingObserver": (CollectingObserver, None),
    }
    return [
        Row(
            what=f"emit of one of {MANY:,} to {name}",
            ours=_emitting(make),
            floor=_emitting(Nothing),
            against="a bare async call",
            at_most=at_most,
        )
        for name, (make, at_most) in rows.items()
    ]


class Nothing:
    """An observer that does nothing."""

    async def emit(self, obs: Observation) -> None:
        """Return."""

    async def close(self) -> None:
        """Return."""


def _emitting(make: Callable[[], ObserverPort]) -> Sample:
    async def emit_all() -> None:
        emit = make().emit
        for obs in UPDATES:
            await emit(obs)

    return seconds_of_await(emit_all, times=1, parts=MANY, clock=time.process_time)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
