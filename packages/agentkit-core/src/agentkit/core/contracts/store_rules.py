"""What every store takes and refuses, as pure functions, so that all of them answer alike.

Each check returns what it was given, or raises `StoreValueError` before any backend is touched.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.serialization import canonical_json, plain_copy

__all__ = [
    "MAX_COUNTER",
    "MAX_KEY_BYTES",
    "MAX_TTL",
    "MIN_COUNTER",
    "add_to_counter",
    "check_by",
    "check_key",
    "check_limit",
    "check_prefix",
    "check_ttl",
    "copy_value",
    "decode_value",
    "encode_value",
    "equal_values",
]

MAX_KEY_BYTES = 1024
"""How long a key may be, in UTF-8."""
MAX_TTL = 2**31 - 1
"""The longest ttl, in seconds."""
MIN_COUNTER = -(2**63)
"""The lowest total a counter may have."""
MAX_COUNTER = 2**63 - 1
"""The highest total a counter may have."""


def check_key(key: Any) -> str:
    """Give *key* back: non-empty text of at most 1,024 UTF-8 bytes, no NUL, no lone surrogate."""
    text = _check_text("key", key)
    if not text:
        raise StoreValueError("a key must not be empty")
    return text


def check_prefix(prefix: Any) -> str:
    """Give *prefix* back: what a key can begin with; empty stands for every key."""
    return _check_text("prefix", prefix)


def check_limit(limit: Any) -> int | None:
    """Give *limit* back: None for no cap, or a whole number from 0."""
    if limit is None:
        return None
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise StoreValueError(f"a limit must be None or an integer; got {_name(limit)}")
    if limit < 0:
        raise StoreValueError(f"a limit must not be negative; got {limit}. Leave it out for no cap")
    return limit


def check_ttl(ttl: Any) -> int | None:
    """Give *ttl* back: None for no expiry, or whole seconds from 1 to 2**31 - 1."""
    if ttl is None:
        return None
    if not isinstance(ttl, int) or isinstance(ttl, bool):
        raise StoreValueError(f"a ttl must be None or an integer of seconds; got {_name(ttl)}")
    if not 1 <= ttl <= MAX_TTL:
        raise StoreValueError(f"a ttl must be from 1 to {MAX_TTL} seconds; got {_shown(ttl)}")
    return ttl


def check_by(key: str, by: Any) -> int:
    """Give *by* back: the integer, within signed 64 bits, to add to the counter at *key*."""
    if not isinstance(by, int) or isinstance(by, bool):
        raise StoreValueError(
            f"increment on key {key!r} requires an integer `by`; got {_name(by)}. "
            "A counter holds whole numbers only; scale the amount, or keep it as a value"
        )
    if not MIN_COUNTER <= by <= MAX_COUNTER:
        raise StoreValueError(
            f"increment on key {key!r} requires a `by` within signed 64 bits; got {_shown(by)}"
        )
    return by


def add_to_counter(key: str, current: Any, by: int) -> int:
    """Give the new total of the counter at *key*, which holds *current* (0 when absent)."""
    if not isinstance(current, int) or isinstance(current, bool):
        raise StoreValueError(
            f"increment on key {key!r} requires a stored integer; it holds {_name(current)}. "
            "A counter and a value are sharing one key"
        )
    total = current + by
    if not MIN_COUNTER <= total <= MAX_COUNTER:
        raise StoreValueError(
            f"increment on key {key!r} would leave signed 64 bits; it holds {_shown(current)}"
        )
    return total


def copy_value(value: Any) -> Any:
    """Give a plain, mutable copy of *value*, which must be JSON all the way down.

    JSON is exactly None, bool, int (at most 4,300 digits), finite float, str (any code points),
    list, and dict with str keys, or the frozen forms of the last two.
    """
    try:
        return plain_copy(value)
    except (TypeError, ValueError) as problem:
        _refuse(problem)


def encode_value(value: Any) -> str:
    """Give the canonical JSON text of *value*, refusing what `copy_value` refuses.

    The text is ASCII, so any text column takes it, and equal values have equal texts.
    """
    try:
        return canonical_json(plain_copy(value))
    except (TypeError, ValueError) as problem:
        _refuse(problem)


def decode_value(text: str | bytes) -> Any:
    """Give the value that `encode_value` made *text* of."""
    try:
        if isinstance(text, str):
            return _decode(text)
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as problem:
        raise StoreValueError(f"this is no stored value: {problem}") from None


def equal_values(left: Any, right: Any) -> bool:
    """Whether two values are the same canonical JSON.

    The order of keys does not matter; `True` is not `1`, and `1` is not `1.0`.
    """
    return encode_value(left) == encode_value(right)


def _check_text(what: str, text: Any) -> str:
    if not isinstance(text, str):
        raise StoreValueError(f"a {what} must be a str; got {_name(text)}")
    if "\0" in text:
        raise StoreValueError(f"a {what} must not contain NUL; got {_shown(text)}")
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError:
        raise StoreValueError(f"a {what} must not contain a lone surrogate: {text!a}") from None
    if size > MAX_KEY_BYTES:
        raise StoreValueError(
            f"a {what} must be at most {MAX_KEY_BYTES} bytes of UTF-8; got {size}: {_shown(text)}"
        )
    return text


def _refuse(problem: Exception) -> NoReturn:
    raise StoreValueError(
        f"a store value must be plain JSON: {problem}. Convert it before storing it"
    ) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _name(value: Any) -> str:
    return type(value).__qualname__


def _shown(value: int | str) -> str:
    """The repr of *value*, cut where it would flood the message."""
    if isinstance(value, int):
        return repr(value) if abs(value) < 10**40 else f"an integer of {value.bit_length()} bits"
    return repr(value) if len(value) <= 60 else f"{value[:60]!r}…"  # noqa: PLR2004


_decode = json.JSONDecoder(parse_constant=_no_constant).decode  # `loads` would make one each time
