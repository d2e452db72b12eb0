"""What every vector index takes and refuses, so that all of them answer alike.

Each check returns what it was given, or raises `StoreValueError` before any backend is touched.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.store_rules import check_key, encode_value
from agentkit.core.contracts.types import Chunk

__all__ = ["check_chunk", "check_k", "check_metadata"]

_Json: TypeAlias = "bool | float | str | list[_Json] | dict[str, _Json] | None"
_SHOWN = 60


def check_chunk(chunk: Chunk) -> Chunk:
    """Give *chunk* back: its id is a key, its metadata what some index could hold."""
    check_key(chunk.id)
    check_metadata(f"the metadata of chunk {chunk.id!r}", chunk.metadata)
    return chunk


def check_k(k: Any) -> int:
    """Give *k* back: a whole number from 0."""
    if not isinstance(k, int) or isinstance(k, bool):
        raise StoreValueError(f"k must be an integer; got {type(k).__qualname__}")
    if k < 0:
        raise StoreValueError(f"k must not be negative; got {k}")
    return k


def check_metadata(what: str, value: Any) -> dict[str, Any]:
    """Give *value* back: a JSON object that a jsonb column holds; a message calls it *what*."""
    texts = _texts(value)  # made here, while *value* has no type that narrowing half knows
    given: Any = value
    if not isinstance(value, dict):
        raise StoreValueError(f"{what} must be a dict; got {type(given).__qualname__}")
    try:
        encode_value(given)
    except StoreValueError as problem:
        raise StoreValueError(f"{what}: {problem}") from None
    for text in texts:
        if "\0" in text or _has_surrogate(text):
            raise StoreValueError(
                f"{what} must hold no NUL and no lone surrogate, which a jsonb column refuses; "
                f"got {text[:_SHOWN]!a}"
            )
    checked: dict[str, Any] = given
    return checked


def _texts(value: _Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)
