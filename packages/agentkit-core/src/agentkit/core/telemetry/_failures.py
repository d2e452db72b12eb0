"""Counting what fails while a run is watched, since it never reaches the run."""

from contextlib import suppress
from typing import Any

__all__ = ["count_failure"]


def count_failure(metrics: Any, seam: str, exc: Exception) -> None:
    """Add one to `agentkit.{seam}.error.count` of *metrics*, a `MetricsPort` or None.

    It is tagged with the type of *exc*, as `error.type`. Metrics that fail are not counted.
    """
    if metrics is None:
        return
    with suppress(Exception):  # metrics are not ours, and watching a run never hurts it
        metrics.add_counter(f"agentkit.{seam}.error.count", tags={"error.type": type(exc).__name__})
