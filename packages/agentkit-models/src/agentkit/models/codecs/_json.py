"""JSON as providers send it: read strictly, and never trusted to have a shape."""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, NoReturn

from agentkit.core.contracts.types import RAW_ARGUMENTS

__all__ = ["as_dict", "as_list", "as_text", "count", "load", "parse_arguments"]


def load(text: str | bytes) -> Any:
    """Give the value of the JSON *text*.

    Raises:
        ValueError: It is no JSON, or nests deeper than Python can follow.

    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("JSON nests too deeply") from None


def parse_arguments(raw: Any, *, cut: bool) -> dict[str, Any]:
    """Give the arguments of a tool call from what a provider sent for them.

    Nothing at all is a call without arguments, unless the answer was *cut* before they came. What
    is no JSON object stays, as text, under `RAW_ARGUMENTS`: such a call is never run.
    """
    if isinstance(raw, Mapping):
        return dict(raw)
    text = "" if raw is None else raw if isinstance(raw, str) else json.dumps(raw)
    if not text.strip() and not cut:
        return {}
    try:
        value = _STRICT.decode(text)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {RAW_ARGUMENTS: text}


def as_dict(value: Any) -> dict[str, Any]:
    """Give *value* if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Give *value* if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Give *value* if it is text, else none."""
    return value if isinstance(value, str) else ""


def count(value: Any) -> int:
    """Give *value* if it is a count, else 0."""
    if isinstance(value, float) and isfinite(value):
        value = int(value)
    return value if type(value) is int and value > 0 else 0


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant)
