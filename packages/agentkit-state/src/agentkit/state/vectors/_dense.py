"""Chunks found by a model's vectors, compared one by one: exact, and meant for thousands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import nsmallest
from math import hypot, isfinite
from operator import mul

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.types import Chunk

__all__ = ["DenseIndex"]


class DenseIndex:
    """The chunks of one scope, with vectors of one length."""

    def __init__(self) -> None:
        self._chunks: dict[str, tuple[Chunk, list[float]]] = {}
        self._dimensions: int | None = None

    def put(self, embedded: list[tuple[Chunk, Sequence[float]]]) -> None:
        """Add chunks with their vectors, replacing those with the same id; all of them or none."""
        dimensions = self._dimensions
        units: list[list[float]] = []
        for _, vector in embedded:
            units.append(_unit(vector, dimensions))
            dimensions = len(vector)
        self._dimensions = dimensions
        for (chunk, _), unit in zip(embedded, units, strict=True):
            self._chunks[chunk.id] = chunk, unit

    def best(
        self, query: Sequence[float], k: int, keep: Callable[[Chunk], bool] | None
    ) -> list[tuple[float, Chunk]]:
        """Give the *k* chunks most like *query* among those to *keep*, or among all."""
        unit = _unit(query, self._dimensions)
        found = nsmallest(k, self._scored(unit, keep))
        return [(-negated, self._chunks[chunk_id][0]) for negated, chunk_id in found]

    def _scored(
        self, unit: list[float], keep: Callable[[Chunk], bool] | None
    ) -> Iterator[tuple[float, str]]:
        for chunk_id, (chunk, other) in self._chunks.items():
            if keep is None or keep(chunk):
                score = sum(map(mul, unit, other))
                if score > 0:
                    yield -min(score, 1.0), chunk_id


def _unit(vector: Sequence[float], dimensions: int | None) -> list[float]:
    """Give *vector* scaled to length one; zeros stay zeros and are like nothing."""
    if dimensions is not None and len(vector) != dimensions:
        raise StoreValueError(
            f"a vector has {len(vector)} dimensions where the index has {dimensions}; "
            "one model must embed all of its chunks and queries"
        )
    length = hypot(*vector)
    if not isfinite(length):
        raise StoreValueError("a vector must be finite numbers of a finite length")
    return [part / length for part in vector] if length else list(vector)
