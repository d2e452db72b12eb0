"""Correct metrics, and those that lose counts or raise."""

import asyncio
import math
import threading
from collections import defaultdict
from typing import Any

from agentkit.testing.mutants._trial import Trial, breaks, tries
from agentkit.testing.suites import MetricsSuite

__all__ = ["ReferenceMetrics"]

Key = tuple[str, tuple[tuple[str, str], ...]]


class ReferenceMetrics:
    """A `MetricsPort` that keeps every clause."""

    def __init__(self) -> None:
        self.counters: dict[Any, float] = defaultdict(float)
        self.histograms: dict[Any, float] = defaultdict(float)
        self.lock = threading.Lock()

    def add_counter(
        self, name: str, value: float = 1, *, tags: dict[str, str] | None = None
    ) -> None:
        """Add to a counter."""
        self.add(self.counters, self.key(name, tags), value)

    def record_histogram(
        self, name: str, value: float, *, tags: dict[str, str] | None = None
    ) -> None:
        """Record a value."""
        self.add(self.histograms, self.key(name, tags), value)

    def key(self, name: str, tags: dict[str, str] | None) -> Any:
        """Give what tells one series from another."""
        return name, tuple(sorted((tags or {}).items()))

    def add(self, into: dict[Any, float], key: Any, value: float) -> None:
        """Add *value* to what is there."""
        with self.lock:
            into[key] += value


@tries(ReferenceMetrics)
class _MetricsTrial(Trial, MetricsSuite):
    def prepare(self) -> None:
        self.metrics = self.kind()

    def make(self) -> Any:
        return self.metrics

    async def counted(self) -> list[tuple[str, float, dict[str, str]]]:
        return [(name, total, dict(tags)) for (name, tags), total in self.metrics.counters.items()]

    async def recorded(self) -> list[tuple[str, float, dict[str, str]]]:
        found = self.metrics.histograms.items()
        return [(name, total, dict(tags)) for (name, tags), total in found]


@breaks("METRICS-PORT-01")
class HasNoHistograms(ReferenceMetrics):
    """It leaves out a verb of the port."""

    record_histogram = None  # type: ignore[assignment]


@breaks("METRICS-TAKE-01")
class WantsFiniteNumbers(ReferenceMetrics):
    """It refuses what it cannot add up."""

    def add(self, into: dict[Any, float], key: Any, value: float) -> None:
        if not math.isfinite(value) or value < 0:
            raise ValueError(f"no amount: {value}")
        super().add(into, key, value)


@breaks("METRICS-TAKE-02")
class WantsPlainNames(ReferenceMetrics):
    """It refuses a name that its backend would."""

    def key(self, name: str, tags: dict[str, str] | None) -> Any:
        if not name.isidentifier():
            raise ValueError(f"no name: {name!r}")
        return super().key(name, tags)


@breaks("METRICS-TAKE-03")
class KnowsANameOnce(ReferenceMetrics):
    """It refuses a histogram that bears a counter's name."""

    def record_histogram(
        self, name: str, value: float, *, tags: dict[str, str] | None = None
    ) -> None:
        if any(key[0] == name for key in self.counters):
            raise ValueError(f"{name} is a counter")
        super().record_histogram(name, value, tags=tags)


@breaks("METRICS-TAKE-04")
class RecordsLater(ReferenceMetrics):
    """It gives a task to wait for."""

    def add_counter(self, name: str, value: float = 1, *, tags: Any = None) -> Any:
        super().add_counter(name, value, tags=tags)
        return asyncio.get_running_loop().create_future()


@breaks("METRICS-COUNT-01")
class CountsInWholeNumbers(ReferenceMetrics):
    """It cuts what is added to a whole number."""

    def add(self, into: dict[Any, float], key: Any, value: float) -> None:
        super().add(into, key, int(value) if math.isfinite(value) else value)


@breaks("METRICS-COUNT-01")
class CountsTheLast(ReferenceMetrics):
    """It keeps the last value."""

    def add(self, into: dict[Any, float], key: Any, value: float) -> None:
        into[key] = value


@breaks("METRICS-COUNT-02")
class DropsTags(ReferenceMetrics):
    """It counts by name."""

    def key(self, name: str, tags: dict[str, str] | None) -> Any:
        return super().key(name, {})


@breaks("METRICS-COUNT-03")
class ReadsThenAdds(ReferenceMetrics):
    """It reads, thinks, and writes."""

    def add(self, into: dict[Any, float], key: Any, value: float) -> None:
        now = into[key]
        threading.Event().wait(0.001)
        into[key] = now + value


@breaks("METRICS-COUNT-04")
class KeepsTheCallersTags(ReferenceMetrics):
    """It reads tags when somebody asks for them."""

    def key(self, name: str, tags: dict[str, str] | None) -> Any:
        return name, _Live({} if tags is None else tags)


@breaks("METRICS-HISTOGRAM-01")
class TakesHistogramsForCounters(ReferenceMetrics):
    """It counts how many values there were."""

    def record_histogram(
        self, name: str, value: float, *, tags: dict[str, str] | None = None
    ) -> None:
        super().record_histogram(name, 1, tags=tags)


class _Live:
    def __init__(self, tags: dict[str, str]) -> None:
        self.tags = tags

    def __iter__(self) -> Any:
        return iter(self.tags.items())
