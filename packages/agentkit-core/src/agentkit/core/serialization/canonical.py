"""One text per value: canonical JSON, and a hash of the content."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import lru_cache, partial
from json import JSONEncoder
from json.encoder import encode_basestring_ascii as _quote
from math import isfinite
from operator import attrgetter
from types import NoneType
from typing import Any

from agentkit.core.serialization._immutable import FrozenDict, FrozenList
from agentkit.core.serialization._kinds import is_a, kind_of

__all__ = ["canonical_json", "stable_hash"]

_encode_json = JSONEncoder(
    ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode

_MAX_LENGTH = 64


def canonical_json(value: Any) -> str:
    """Give the one JSON text of *value*: ASCII, keys sorted, no spaces.

    Lone surrogates and NUL are escaped, so the text goes into any text column. A tuple is written
    as a list, and a key that is a number, a bool or None as text, as `json` does: what must not
    mistake one for the other goes through `store_rules.encode_value`, which refuses them. Raises
    `TypeError` for any other thing that JSON does not have, `ValueError` for NaN, the infinities
    and a value that contains itself or nests too deeply.
    """
    try:
        return _encode_json(value)
    except RecursionError:
        raise ValueError("the value nests too deeply for JSON") from None


def stable_hash(obj: Any, *, length: int = 16) -> str:
    """Give the first *length* hex digits of a SHA-256 over the content of *obj*.

    The same in every process, and different for values that differ in type alone: a tuple and a
    list, ``1`` and ``"1"`` as keys, a set and a list, a date and its text. A mapping counts as a
    dict, the frozen containers as the plain ones; a dataclass or a model with ``model_dump`` is
    its qualified name and its fields (of a dataclass those that are compared). Raises `TypeError`
    for an object whose content cannot be seen and a *length* that is no whole number, `ValueError`
    for NaN and the infinities, for nesting that cannot be followed and for a *length* out of 1 to
    64.
    """
    if isinstance(length, bool) or not is_a(length, int):
        raise TypeError(f"length is a whole number; got {length!r}")
    if not 1 <= length <= _MAX_LENGTH:
        raise ValueError(f"length must be from 1 to {_MAX_LENGTH}; got {length!r}")
    try:
        text = _tag(obj)
    except RecursionError:
        raise ValueError("cannot hash a value that contains itself or nests too deeply") from None
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:length]


# The text that is hashed. Each kind of value opens with a character of its own (a quote, a digit
# or sign, a bracket, a letter), and text is quoted, so no two values share one.


def _tag(value: Any) -> str:
    return _TAGGERS[kind_of(value)](value)


def _tags(values: Iterable[Any]) -> str:
    return ",".join([_TAGGERS[kind_of(value)](value) for value in values])


def _tag_float(value: float) -> str:
    if not isfinite(value):
        raise ValueError(f"cannot hash the float {value!r}: it is not equal to itself or no number")
    return float.__repr__(value)


def _tag_list(value: list[Any]) -> str:
    return f"[{_tags(value)}]"


def _tag_tuple(value: tuple[Any, ...]) -> str:
    return f"({_tags(value)})"


def _tag_set(value: Iterable[Any]) -> str:
    return f"<{','.join(sorted(map(_tag, value)))}>"


def _tag_mapping(value: Mapping[Any, Any]) -> str:
    # Written out, as in `_tags`: of most values the parts are so small that a call costs as much.
    items = [
        f"{_TAGGERS[kind_of(key)](key)}:{_TAGGERS[kind_of(item)](item)}"
        for key, item in value.items()
    ]
    return f"{{{','.join(sorted(items))}}}"


def _tag_decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise ValueError(f"cannot hash {value!r}: it is not equal to itself or no number")
    return f'decimal"{value}"'


def _tag_text(name: str, text: Callable[[Any], str], value: Any) -> str:
    return f"{name}{_quote(text(value))}"


def _tag_timedelta(value: timedelta) -> str:
    return f"timedelta({value.days},{value.seconds},{value.microseconds})"


def _iso(value: date | datetime | time) -> str:
    return value.isoformat()


class _Taggers(dict[type, Callable[[Any], str]]):
    def __missing__(self, kind: type) -> Callable[[Any], str]:
        return _tagger(kind)


_TAGGERS = _Taggers(
    {
        NoneType: repr,
        bool: repr,
        str: _quote,
        int: int.__repr__,
        float: _tag_float,
        list: _tag_list,
        FrozenList: _tag_list,
        tuple: _tag_tuple,
        dict: _tag_mapping,
        FrozenDict: _tag_mapping,
        set: _tag_set,
        frozenset: _tag_set,
        bytes: partial(_tag_text, "bytes", bytes.hex),
        bytearray: partial(_tag_text, "bytes", bytearray.hex),
        datetime: partial(_tag_text, "datetime", _iso),
        date: partial(_tag_text, "date", _iso),
        time: partial(_tag_text, "time", _iso),
        timedelta: _tag_timedelta,
        Decimal: _tag_decimal,
    }
)

# Bases whose subclasses count as the base, in the order they are asked.
_BASES: tuple[type, ...] = (
    str, int, float, tuple, list, set, frozenset, bytes, bytearray,
    datetime, date, time, timedelta, Decimal,
)  # fmt: skip


@lru_cache(maxsize=1024)
def _tagger(kind: type[Any]) -> Callable[[Any], str]:
    """Give what tags an instance of *kind*, which is none of the types above."""
    name = f"@{_quote(f'{kind.__module__}.{kind.__qualname__}')}"
    if issubclass(kind, Enum):
        return lambda value: f"{name}.{_tag(value.value)}"
    if dataclasses.is_dataclass(kind):
        return _fields_tagger(name, [f.name for f in dataclasses.fields(kind) if f.compare])
    for tag, base in (("path", _loaded("pathlib", "PurePath")), ("uuid", _loaded("uuid", "UUID"))):
        if issubclass(kind, base):
            return partial(_tag_text, tag, str)
    if issubclass(kind, Mapping):
        return _tag_mapping
    if callable(getattr(kind, "model_dump", None)):
        return _model_tagger(name, kind)
    return _base_tagger(kind)


def _loaded(module: str, name: str) -> tuple[type, ...]:
    """Give the class *name* of a *module* that is costly to import: unloaded, it has no objects."""
    return (getattr(sys.modules[module], name),) if module in sys.modules else ()


def _base_tagger(kind: type[Any]) -> Callable[[Any], str]:
    for base in _BASES:
        if issubclass(kind, base):
            return _TAGGERS[base]
    raise TypeError(
        f"cannot hash an instance of {kind.__qualname__}: its content cannot be seen; "
        f"make it a dataclass, or hash the values it stands for"
    )


def _fields_tagger(name: str, fields: list[str]) -> Callable[[Any], str]:
    if len(fields) < 2:  # noqa: PLR2004 - attrgetter gives a tuple from two names on
        return lambda value: f"{name}({_tags([getattr(value, f) for f in fields])})"
    get = attrgetter(*fields)
    return lambda value: f"{name}({_tags(get(value))})"


def _model_tagger(name: str, kind: type[Any]) -> Callable[[Any], str]:
    """A pydantic model shows its fields, nested models included; others what they dump."""
    fields: Any = getattr(kind, "model_fields", None)
    if fields is None:
        return lambda value: f"{name}{_tag(value.model_dump())}"
    names: list[str] = list(fields)

    def shown(value: Any) -> dict[str, Any]:
        extra: dict[str, Any] = getattr(value, "model_extra", None) or {}
        return {name: getattr(value, name) for name in names} | extra

    return lambda value: f"{name}{_tag_mapping(shown(value))}"
