"""What a vector index takes and refuses, and how chunks and filters become columns."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, TypeAlias

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.store_rules import check_key, encode_value
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.core.serialization.features import tokens

__all__ = ["check_chunk", "check_k", "facts_of", "scope_key", "words_of"]

_Json: TypeAlias = "bool | float | str | list[_Json] | dict[str, _Json] | None"

_LONGEST_ENTRY = 200  # an index has no room for entries of any length
_LONGEST_SCOPE = 1000


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


def facts_of(what: str, metadata: dict[str, Any] | None) -> list[str]:
    """Give a text for each item of *metadata*: two are equal when the items are, as JSON.

    Raises:
        StoreValueError: *metadata*, called *what* there, is no JSON object that jsonb holds.

    """
    if metadata is None:
        return []
    _check_object(what, metadata)
    return sorted(_short(encode_value([key, value])) for key, value in metadata.items())


def words_of(text: str) -> list[str]:
    """Give the words of *text*, each once."""
    return sorted({_short(word) for word in tokens(text)})


def scope_key(scope: Scope) -> str:
    """Give a text of bounded length that no other scope has."""
    return _short(scope.key(), longest=_LONGEST_SCOPE)


def _short(text: str, longest: int = _LONGEST_ENTRY) -> str:
    """Give *text*, or what stands for it where it is long; nothing short begins like that."""
    if len(text) <= longest and not text.startswith("#"):
        return text
    return "#" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=24).hexdigest()


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
