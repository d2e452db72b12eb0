"""What a codec is, and those of the values that JSON writes as one text or number."""

from __future__ import annotations

import base64
import binascii
import types
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from enum import Enum
from math import isfinite
from typing import Any, Protocol

from agentkit.core.serialization._kinds import kind_of
from agentkit.core.serialization._plain import Misfit, copy_part

__all__ = ["ANY", "NONE", "SCALARS", "Codec", "Simple", "enum", "literal", "refusal", "refusing"]


class Codec(Protocol):
    """Turns the values of one type to JSON and back, raising `Misfit` for any other."""

    def encode(self, value: Any, /) -> Any:
        """Give the JSON of *value*."""
        ...

    def decode(self, data: Any, /) -> Any:
        """Give the value of the JSON *data*."""
        ...

    @property
    def takes(self) -> tuple[type, ...]:
        """The types whose instances it encodes; empty for any."""
        ...

    @property
    def reads(self) -> frozenset[type]:
        """The JSON types it decodes; empty for any."""
        ...


@dataclass(frozen=True, slots=True)
class Simple:
    """A codec made of two functions."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]
    takes: tuple[type, ...]
    reads: frozenset[type]


def refusal(expected: str, got: object) -> Misfit:
    """Give the misfit of a value of the wrong type."""
    return Misfit(TypeError, f"expected {expected}; got {type(got).__qualname__}")


def refusing(hint: Any) -> Codec:
    """Give the codec of a *hint* that has no JSON form: it refuses every value."""

    def refuse(value: Any) -> Any:
        raise Misfit(TypeError, f"{type(value).__qualname__} has no JSON form ({hint!r})")

    return Simple(refuse, refuse, (object,), frozenset())


def _scalar(kind: type) -> Codec:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise refusal(kind.__name__, value)
        return value

    return Simple(check, check, (kind,), frozenset({kind}))


def _encode_str(value: Any) -> str:
    if type(value) is str:
        return value
    if isinstance(value, str):  # a StrEnum where any text may stand
        return str.__str__(value)
    raise refusal("str", value)


def _decode_str(data: Any) -> str:
    if type(data) is str:
        return data
    raise refusal("str", data)


def _number(value: Any) -> Any:
    if type(value) is int or (type(value) is float and isfinite(value)):
        return value  # an int stays one: it would not come back equal in canonical JSON
    raise refusal("a finite float", value)


def _encode_bytes(value: Any) -> str:
    if not isinstance(value, bytes):
        raise refusal("bytes", value)
    return base64.b64encode(value).decode("ascii")


def _decode_bytes(data: Any) -> bytes:
    try:
        return base64.b64decode(_decode_str(data), validate=True)
    except (binascii.Error, ValueError):
        raise Misfit(ValueError, "expected base64") from None


def _encode_decimal(value: Any) -> str:
    if not isinstance(value, Decimal):
        raise refusal("Decimal", value)
    return str(value)


def _decode_decimal(data: Any) -> Decimal:
    try:
        return Decimal(_decode_str(data))
    except InvalidOperation:
        raise Misfit(ValueError, f"expected a decimal number; got {data!r}") from None


def _encode_datetime(value: Any) -> str:
    if not isinstance(value, datetime):
        raise refusal("datetime", value)
    return value.isoformat()


def _decode_datetime(data: Any) -> datetime:
    try:
        return datetime.fromisoformat(_decode_str(data))
    except ValueError:
        raise Misfit(ValueError, f"expected an ISO date and time; got {data!r}") from None


def _none(value: Any) -> None:
    if value is not None:
        raise refusal("None", value)


_TEXT = frozenset({str})
ANY: Codec = Simple(copy_part, copy_part, (), frozenset())
NONE: Codec = Simple(_none, _none, (types.NoneType,), frozenset({types.NoneType}))
SCALARS: dict[Any, Codec] = {
    types.NoneType: NONE,
    None: NONE,
    bool: _scalar(bool),
    int: _scalar(int),
    float: Simple(_number, _number, (float, int), frozenset({float, int})),
    str: Simple(_encode_str, _decode_str, (str,), _TEXT),
    bytes: Simple(_encode_bytes, _decode_bytes, (bytes,), _TEXT),
    Decimal: Simple(_encode_decimal, _decode_decimal, (Decimal,), _TEXT),
    datetime: Simple(_encode_datetime, _decode_datetime, (datetime,), _TEXT),
}


def literal(allowed: tuple[Any, ...]) -> Codec:
    """Give the codec of the values *allowed*, which stand for themselves."""

    def check(value: Any) -> Any:
        for one in allowed:
            if value == one and type(value) is type(one):
                return value
        raise Misfit(ValueError, f"expected one of {allowed!r}; got {value!r}")

    kinds: frozenset[type[Any]] = frozenset(kind_of(one) for one in allowed)
    return Simple(check, check, tuple(kinds), kinds)


def enum(kind: type[Enum]) -> Codec:
    """Give the codec of the members of *kind*, written as their values."""

    def encode(value: Any) -> Any:
        if not isinstance(value, kind):
            raise refusal(kind.__qualname__, value)
        return value.value

    def decode(data: Any) -> Enum:
        try:
            member = kind(data)
        except ValueError:
            raise Misfit(ValueError, f"{data!r} is no {kind.__qualname__}") from None
        if type(member.value) is not type(data):
            raise refusal(kind.__qualname__, data)
        return member

    reads: frozenset[type[Any]] = frozenset(kind_of(member.value) for member in kind)
    return Simple(encode, decode, (kind,), reads)
