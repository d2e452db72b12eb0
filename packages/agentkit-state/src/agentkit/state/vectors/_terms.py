"""Chunks found by their words: hashed term vectors, kept sparse, with a list of chunks per word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import nsmallest
from math import sqrt

from agentkit.core.contracts.types import Chunk
from agentkit.core.serialization.features import term_counts, tokens

__all__ = ["TermIndex", "Terms"]


@dataclass(frozen=True, slots=True)
class Terms:
    """A text as its words and as counts by slot; the *square* of the counts' length is whole.

    With whole numbers up to the last division, equal texts score exactly 1 and equal scores are
    equal floats, whatever the order of the words.
    """

    words: frozenset[str]
    counts: dict[int, int]
    square: int

    @classmethod
    def of(cls, text: str) -> Terms:
        """Give the terms of *text*."""
        counts = term_counts(text)
        return cls(frozenset(tokens(text)), counts, sum(n * n for n in counts.values()))


class TermIndex:
    """The chunks of one scope; only those that share a word with a query are looked at."""

    def __init__(self) -> None:
        self._chunks: dict[str, tuple[Chunk, Terms]] = {}
        self._by_word: dict[str, set[str]] = {}

    def put(self, chunks: Iterable[Chunk]) -> None:
        """Add *chunks*, replacing those with the same id."""
        for chunk in chunks:
            self._remove(chunk.id)
            terms = Terms.of(chunk.text)
            self._chunks[chunk.id] = chunk, terms
            for word in terms.words:
                self._by_word.setdefault(word, set()).add(chunk.id)

    def best(
        self, query: Terms, k: int, keep: Callable[[Chunk], bool]
    ) -> list[tuple[float, Chunk]]:
        """Give the *k* chunks most like *query* among those to *keep*."""
        found = nsmallest(k, self._scored(query, keep))
        return [(-negated, self._chunks[chunk_id][0]) for negated, chunk_id in found]

    def _scored(self, query: Terms, keep: Callable[[Chunk], bool]) -> Iterator[tuple[float, str]]:
        slots = list(query.counts.items())
        sharing: set[str] = set()
        sharing.update(*[self._by_word.get(word, ()) for word in query.words])
        for chunk_id in sharing:
            chunk, terms = self._chunks[chunk_id]
            if keep(chunk):
                counts = terms.counts
                dot = sum([n * counts[slot] for slot, n in slots if slot in counts])  # noqa: C419 - faster
                yield -dot / sqrt(query.square * terms.square), chunk_id

    def _remove(self, chunk_id: str) -> None:
        if chunk_id not in self._chunks:
            return
        _, terms = self._chunks.pop(chunk_id)
        for word in terms.words:
            chunks = self._by_word[word]
            chunks.discard(chunk_id)
            if not chunks:
                del self._by_word[word]
