"""The arguments of a tool call, as models write them."""

import json
from collections.abc import Mapping
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
        return dict(cast("Mapping[str, Any]", raw))  # a key that is no text has no JSON
    text = "" if raw is None else raw if isinstance(raw, str) else json.dumps(raw, default=str)
    if not text.strip() and not cut:
        return {}
    try:
        value = deep_freeze(_STRICT.decode(text))
    except (ValueError, RecursionError):
        return {RAW_ARGUMENTS: text}
    return value if _is_object(value) else {RAW_ARGUMENTS: text}


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant)
