"""Values and keys that adapters have got wrong, and how to compare what comes back."""

import enum
import json
import math
from typing import Any

__all__ = [
    "BAD_KEYS",
    "BAD_TTLS",
    "DEEP",
    "FALSY",
    "LONGEST_KEY",
    "MAX",
    "NOT_JSON",
    "NOT_WHOLE",
    "NUMBERS",
    "ODD_NAMES",
    "TEXTS",
    "is_plain",
    "same",
    "unchanged",
]

MAX = 2**63 - 1
"""The highest total of a counter; the lowest is one further below zero."""

FALSY: list[Any] = [None, 0, "", [], {}, False]

TEXTS = [
    "\x00",
    "a\x00b",
    "\ud800",
    "\udfff\ud800",
    "\U0001f600",
    "\u2028\r\n\t",
    "e\u0301",
    "\u00e9",
    "null",
    '"quoted"',
    "1",
    " ",
    "\\u0000",
]

NUMBERS: list[Any] = [
    2**53 + 1,
    2**63,
    -(2**63) - 1,
    10**30,
    10**400,
    0.1,
    1.0,
    -0.0,
    5e-324,
    1.7976931348623157e308,
    1e16,
    True,
]

DEEP = 150
"""How many lists inside one another every store holds."""

ODD_NAMES = [
    "%", "_", "*", "?", "[a]", "a", "A", "\\", "\\\\", ":", "::", "/", "//", "a/", "a/b", "a:b",
    "a\\b", ".", "..", "../a", "a b", " a", "a ", "\ta", "a\n", "\u00e9", "e\u0301", "\u212b",
    "\u00c5", "\uff41", "'", '"', "`", "$", "{a}", "#", "~", "-", "\x7f", "\U0001f600", "CON",
    "a.json", "a%20b", "log:a",
]  # fmt: skip
"""Endings of keys that must stay apart: patterns, separators, case, normal forms, stray blanks."""

LONGEST_KEY = 1024
"""The most UTF-8 bytes a key has."""

BAD_KEYS: list[Any] = ["", "a\x00b", "a\ud800", "\u00e9" * 513, "x" * 1025, None, 7, b"a"]

BAD_TTLS: list[Any] = [0, -1, True, 1.5, "1", 2**31]

NOT_WHOLE: list[Any] = [1.5, 1.0, True, "1", None]


class _Colour(enum.StrEnum):
    RED = "red"


class _Level(enum.IntEnum):
    LOW = 1


NOT_JSON: list[Any] = [
    (1, 2), {1}, b"a", object(), math.nan, math.inf, {1: 2}, {None: 1}, _Colour.RED, _Level.LOW,
    [(1,)], {"a": {"b": math.nan}}, 1j, [b""],
]  # fmt: skip


def same(left: object, right: object) -> bool:
    """Whether both are the same JSON: `True` is not `1`, `1` not `1.0`; order of keys is free."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def is_plain(value: Any) -> bool:
    """Whether *value* is made of dict and list themselves, so that a caller may change it."""
    kind: Any = value.__class__
    if kind is dict:
        return all(map(is_plain, value.values()))
    if kind is list:
        return all(map(is_plain, value))
    return not isinstance(value, dict | list)


def unchanged(left: object, right: object) -> bool:
    """Whether *left* is *right* as far as type and representation tell, JSON or not."""
    return type(left) is type(right) and repr(left) == repr(right)
