"""What every vector index takes and refuses, and which chunks a filter keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.store_rules import check_key, encode_value
from agentkit.core.contracts.types import Chunk

__all__ = ["check_chunk", "check_k", "matching"]

_Json: TypeAlias = "bool | float | str | list[_Json] | dict[str, _Json] | None"


def check_chunk(chunk: Chunk) -> Chunk:
    """Give *chunk* back, or raise `StoreValueError` for what some index could not hold."""
    check_key(chunk.id)
    _check_object(f"the metadata of chunk {chunk.id!r}", chunk.metadata)
    return chunk


def check_k(k: Any) -> int:
    """Give *k* back: a whole number from 0, or raise `StoreValueError`."""
    if not isinstance(k, int) or isinstance(k, bool):
        raise StoreValueError(f"k must be an integer; got {type(k).__qualname__}")
    if k < 0:
        raise StoreValueError(f"k must not be negative; got {k}")
    return k


def matching(where: dict[str, Any] | None) -> Callable[[Chunk], bool] | None:
    """Give what tells whether a chunk's metadata has every item of *where*; None if all have."""
    if where is None:
        return None
    _check_object("where", where)
    wanted = [(key, value, encode_value(value)) for key, value in where.items()]

    def keep(chunk: Chunk) -> bool:
        metadata = chunk.metadata
        return all(
            key in metadata and _equal(metadata[key], value, text) for key, value, text in wanted
        )

    return keep


def _equal(value: Any, wanted: Any, wanted_text: str) -> bool:
    """Whether both are the same JSON: `1` is neither `True` nor `1.0`."""
    if value != wanted:  # what differs here differs as JSON: most values never need their text
        return False
    return isinstance(value, str) or encode_value(value) == wanted_text


def _check_object(what: str, value: Any) -> None:
    texts = _texts(value)  # made here, while *value* has no type that narrowing half knows
    if not isinstance(value, dict):
        raise StoreValueError(f"{what} must be a dict; got {type(value).__qualname__}")
    try:
        encode_value(value)
    except StoreValueError as problem:
        raise StoreValueError(f"{what}: {problem}") from None
    for text in texts:
        if "\0" in text or _has_surrogate(text):
            raise StoreValueError(
                f"{what} must hold no NUL and no lone surrogate, which a jsonb column refuses; "
                f"got {text[:60]!a}"
            )


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
