"""Dataclasses to plain JSON and back, driven by their fields and type hints.

Decoding makes the classes that the hints name and nothing else: no class is looked up by a name
in the data. A union of dataclasses is told apart by the class attribute ``type`` of each, written
into the JSON; the member whose ``type`` is ``"unknown"`` takes, as its ``raw``, every object whose
type no other member has.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar, overload

from agentkit.core.serialization._codecs import codec_of
from agentkit.core.serialization._kinds import is_a
from agentkit.core.serialization._plain import Misfit, copy_part

__all__ = ["from_json", "to_json"]

T = TypeVar("T")


def to_json(value: Any) -> Any:
    """Give *value* as plain JSON that shares nothing with it.

    Takes dataclasses (their init fields), lists, tuples and str-keyed mappings of them, and what
    is JSON already. Bytes become base64, Decimal and datetime text, an enum its value. Raises
    `TypeError`, naming the field, for what has no JSON form, and `ValueError` for NaN, the
    infinities and for nesting that cannot be followed.
    """
    try:
        return _encode(value)
    except Misfit as misfit:
        raise misfit.error(f"{type(value).__qualname__}{misfit.where}: {misfit.what}") from None
    except RecursionError:
        raise ValueError("the value contains itself or nests too deeply") from None


@overload
def from_json(hint: type[T], data: Any) -> T: ...
@overload
def from_json(hint: Any, data: Any) -> Any: ...
def from_json(hint: Any, data: Any) -> Any:
    """Give the value of type *hint* that *data*, as `to_json` made it, describes.

    *hint* is a dataclass, a union of dataclasses, or any hint made of what their fields may be.
    Strict: an unknown or missing field, or a value of another type, is a `ValueError` that says
    where.
    """
    try:
        return codec_of(hint).decode(data)
    except Misfit as misfit:
        name = getattr(hint, "__qualname__", "value")
        raise ValueError(f"{name}{misfit.where}: {misfit.what}") from None
    except RecursionError:
        raise ValueError("the data nests too deeply") from None


def _encode(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return codec_of(type(value)).encode(value)
    if is_a(value, list | tuple):
        return [_encode(item) for item in value]
    if is_a(value, Mapping):
        return {_key(key): _encode(item) for key, item in value.items()}
    return copy_part(value)


def _key(key: object) -> str:
    if type(key) is not str:
        raise Misfit(TypeError, f"a key must be a str; got {type(key).__qualname__}")
    return key
