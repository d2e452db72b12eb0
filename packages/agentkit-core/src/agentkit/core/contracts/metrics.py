"""The seam to counters and histograms."""

from typing import Protocol, runtime_checkable

__all__ = ["MetricsPort"]


@runtime_checkable
class MetricsPort(Protocol):
    """Counters and histograms. Both methods return at once and never raise."""

    def add_counter(
        self, name: str, value: float = 1, *, tags: dict[str, str] | None = None
    ) -> None:
        """Add *value* to the counter *name*."""
        ...

    def record_histogram(
        self, name: str, value: float, *, tags: dict[str, str] | None = None
    ) -> None:
        """Record one *value* of *name*, in the unit that its name implies."""
        ...
