"""JSON as providers send it: read strictly, and never trusted to have a shape."""

import json
from math import isfinite
from typing import Any, TypeGuard

__all__ = ["as_dict", "as_list", "as_text", "count", "is_dict", "is_list", "load"]


def load(text: str | bytes) -> Any:
    """Give the value of the JSON *text*.

    Raises:
        ValueError: It is no JSON, or nests deeper than Python can follow.

    """
    try:
        if isinstance(text, str) and text.startswith("{"):  # nearly all: spared what `loads` adds
            value, end = _DECODER.raw_decode(text)
            if end == len(text):
                return value
        return json.loads(text)
    except RecursionError:
        raise ValueError("JSON nests too deeply") from None


def is_dict(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether *value* is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether *value* is a list."""
    return isinstance(value, list)


def as_dict(value: Any) -> dict[str, Any]:
    """Give *value* if it is an object, else an empty one."""
    return value if is_dict(value) else {}


def as_list(value: Any) -> list[Any]:
    """Give *value* if it is a list, else an empty one."""
    return value if is_list(value) else []


def as_text(value: Any) -> str:
    """Give *value* if it is text, else none."""
    return value if isinstance(value, str) else ""


def count(value: Any) -> int:
    """Give *value* if it is a count, else 0."""
    if isinstance(value, float) and isfinite(value):
        value = int(value)
    return value if type(value) is int and value > 0 else 0


_DECODER = json.JSONDecoder()
