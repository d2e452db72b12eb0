"""Chunks found by their words: hashed term vectors, kept sparse, with a list of chunks per slot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import nsmallest
from math import sqrt

from agentkit.core.contracts.types import Chunk
from agentkit.core.serialization.features import term_counts, tokens

__all__ = ["TermIndex"]


class TermIndex:
    """The chunks of one scope; only those that share a word with a query are scored.

    Counts stay whole numbers up to the last division, so equal texts score exactly 1, and equal
    scores are equal floats whatever the order of the words.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}  # by chunk id; everything below goes by number
        self._chunks: list[Chunk] = []
        self._squares: list[int] = []  # of the lengths of the chunks' counts
        self._by_word: dict[str, set[int]] = {}
        self._by_slot: dict[int, dict[int, int]] = {}  # with how often the chunk has the slot

    def put(self, chunks: Iterable[Chunk]) -> None:
        """Add *chunks*, replacing those with the same id."""
        for chunk in chunks:
            self._enter(self._number(chunk), chunk.text)

    def best(
        self, query: str, k: int, keep: Callable[[Chunk], bool] | None
    ) -> list[tuple[float, Chunk]]:
        """Give the *k* chunks most like *query* among those to *keep*, or among all."""
        found = nsmallest(k, self._scored(query, keep))
        return [(-negated, self._chunks[self._numbers[chunk_id]]) for negated, chunk_id in found]

    def _scored(
        self, query: str, keep: Callable[[Chunk], bool] | None
    ) -> Iterator[tuple[float, str]]:
        """Give the score of each chunk, negated, with its id: the least is the best."""
        counts = term_counts(query)
        square = _square(counts)
        dots = self._dots(counts)
        for number in self._sharing(query):
            chunk = self._chunks[number]
            if keep is None or keep(chunk):
                yield -dots[number] / sqrt(square * self._squares[number]), chunk.id

    def _dots(self, counts: dict[int, int]) -> list[int]:
        dots = [0] * len(self._chunks)
        for slot, count in counts.items():
            for number, other in self._by_slot.get(slot, {}).items():
                dots[number] += count * other
        return dots

    def _sharing(self, query: str) -> set[int]:
        """Give the chunks with a word of *query*: a slot alone may be another word's."""
        sharing: set[int] = set()
        sharing.update(*[self._by_word.get(word, ()) for word in set(tokens(query))])
        return sharing

    def _number(self, chunk: Chunk) -> int:
        """Give the number of *chunk*: a new one, or that of the chunk it replaces."""
        number = self._numbers.setdefault(chunk.id, len(self._chunks))
        if number == len(self._chunks):
            self._chunks.append(chunk)
            self._squares.append(0)
        else:
            self._remove(number)
            self._chunks[number] = chunk
        return number

    def _enter(self, number: int, text: str) -> None:
        counts = term_counts(text)
        self._squares[number] = _square(counts)
        for slot, count in counts.items():
            self._by_slot.setdefault(slot, {})[number] = count
        for word in set(tokens(text)):
            self._by_word.setdefault(word, set()).add(number)

    def _remove(self, number: int) -> None:
        text = self._chunks[number].text
        for slot in term_counts(text):
            del self._by_slot[slot][number]
        for word in set(tokens(text)):
            chunks = self._by_word[word]
            chunks.remove(number)
            if not chunks:
                del self._by_word[word]


def _square(counts: dict[int, int]) -> int:
    return sum(count * count for count in counts.values())
