"""Metrics that a test can look at."""

__all__ = ["RecordingMetrics"]


class RecordingMetrics:
    """A `MetricsPort` that keeps what it is told, call by call: name, value and tags.

    `counters` has what was added to counters, `histograms` what was recorded.
    """

    def __init__(self) -> None:
        self.counters: list[tuple[str, float, dict[str, str]]] = []
        self.histograms: list[tuple[str, float, dict[str, str]]] = []

    def add_counter(
        self, name: str, value: float = 1, *, tags: dict[str, str] | None = None
    ) -> None:
        """Keep the count."""
        self.counters.append((name, value, dict(tags or {})))

    def record_histogram(
        self, name: str, value: float, *, tags: dict[str, str] | None = None
    ) -> None:
        """Keep the value."""
        self.histograms.append((name, value, dict(tags or {})))
