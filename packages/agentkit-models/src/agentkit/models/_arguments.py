"""The arguments of a tool call, as models write them."""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, NoReturn, TypeGuard, cast

from agentkit.core.contracts.types import RAW_ARGUMENTS
from agentkit.core.serialization import deep_freeze

__all__ = ["parse_arguments"]


def parse_arguments(raw: Any, *, cut: bool) -> dict[str, Any]:
    """Give the arguments of a tool call from what a provider sent for them.

    Nothing at all is a call without arguments, unless the answer was *cut* before they came. What
    is no JSON object stays, as text, under `RAW_ARGUMENTS`: such a call is never run.
    """
    if isinstance(raw, Mapping):
        decoded = dict(cast("Mapping[str, Any]", raw))  # a key that is no text has no JSON
        return decoded if _is_json(decoded) else {RAW_ARGUMENTS: _text_of(decoded)}
    text = "" if raw is None else raw if isinstance(raw, str) else _text_of(raw)
    if not text.strip() and not cut:
        return {}
    try:
        value = deep_freeze(_STRICT.decode(text))
    except (ValueError, RecursionError):
        return {RAW_ARGUMENTS: text}
    return value if _is_object(value) else {RAW_ARGUMENTS: text}


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_json(value: object) -> bool:
    """Say whether decoded *value* can be written again: `1e999` is read as what JSON has not."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _text_of(value: object) -> str:
    try:
        return json.dumps(value, default=str)
    except (TypeError, ValueError, RecursionError):
        return "arguments that are no JSON"


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(f"{digits} is no finite number")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
