"""Chunks found by a model's vectors, compared one by one: exact, and meant for thousands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import nsmallest
from math import dist, hypot, isfinite, nan

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.types import Chunk

__all__ = ["DenseIndex"]

_NOTHING = 1e-12  # as much cosine as rounding leaves between vectors that have nothing in common


class DenseIndex:
    """The chunks of one scope, with vectors of one length."""

    def __init__(self) -> None:
        self._chunks: dict[str, tuple[Chunk, tuple[float, ...]]] = {}
        self._dimensions: int | None = None

    def put(self, embedded: list[tuple[Chunk, Sequence[float]]]) -> None:
        """Add chunks with their vectors, replacing those with the same id; all of them or none."""
        dimensions = self._dimensions
        units: list[tuple[float, ...]] = []
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
        self, unit: tuple[float, ...], keep: Callable[[Chunk], bool] | None
    ) -> Iterator[tuple[float, str]]:
        """Give the score of each chunk, negated, with its id: the least is the best."""
        for chunk_id, (chunk, other) in self._chunks.items():
            if keep is None or keep(chunk):
                # The cosine, by way of the one function on two vectors that is not a Python loop.
                score = 1 - dist(unit, other) ** 2 / 2
                if score > _NOTHING:
                    yield -score, chunk_id


def _unit(vector: Sequence[float], dimensions: int | None) -> tuple[float, ...]:
    """Give *vector* scaled to length one; zeros become NaN: like nothing, not even each other."""
    if dimensions is not None and len(vector) != dimensions:
        raise StoreValueError(
            f"a vector has {len(vector)} dimensions where the index has {dimensions}; "
            "one model must embed all of its chunks and queries"
        )
    length = hypot(*vector)
    if not isfinite(length):
        raise StoreValueError("a vector must be finite numbers of a finite length")
    return tuple([part / length if length else nan for part in vector])
