"""Hashed term vectors: a text as counts of its words, comparable without any model.

Word *w* counts in the slot that the first eight bytes of its BLAKE2b digest name, so vectors made
by different processes, or kept in a database, compare.
"""

from __future__ import annotations

import re
from collections import Counter
from hashlib import blake2b
from math import sqrt

__all__ = ["DIMENSIONS", "cosine", "term_counts", "term_vector", "tokens"]

DIMENSIONS = 256

_WORD = re.compile(r"[a-z0-9]+")


def tokens(text: str) -> list[str]:
    """Give the words of *text*: runs of ASCII letters and digits, lower-cased, in order."""
    return _WORD.findall(text.lower())


def term_counts(text: str, *, dimensions: int = DIMENSIONS) -> dict[int, int]:
    """Give the counts of the words of *text* by slot: `term_vector` without zeros and division."""
    counts: dict[int, int] = {}
    for word, count in Counter(tokens(text)).items():
        slot = _slot(word, dimensions)
        counts[slot] = counts.get(slot, 0) + count
    return counts


def term_vector(text: str, *, dimensions: int = DIMENSIONS) -> list[float]:
    """Give the counts of the words of *text*, hashed into *dimensions* slots, of length one.

    Without a word in it, *text* gives zeros.
    """
    counts = term_counts(text, dimensions=dimensions)
    length = sqrt(sum(count * count for count in counts.values()))
    vector = [0.0] * dimensions
    for slot, count in counts.items():
        vector[slot] = count / length
    return vector


def cosine(left: list[float], right: list[float]) -> float:
    """Give the cosine of two vectors of length one; 0 when either is zeros."""
    return sum(a * b for a, b in zip(left, right, strict=True))


def _slot(word: str, dimensions: int) -> int:
    digest = blake2b(word.encode("ascii"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % dimensions
