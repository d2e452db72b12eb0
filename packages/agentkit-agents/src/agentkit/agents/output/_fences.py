"""Markdown fences around an answer: models add them whether asked or not."""

import json
import re
from typing import Any, Final

from agentkit.agents._json import finite, refuse_constant
from agentkit.agents._shapes import as_object
from agentkit.core.contracts.errors import OutputCoercionError

__all__ = ["decode_object", "strip_fence"]

_FENCED: Final = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\r?\n(.*?)```", re.DOTALL)


def strip_fence(text: str) -> str:
    """Give what the first fenced block of *text* holds, or *text* itself when it has none.

    Text that already begins like a JSON value is left alone: a fence in it is part of a string.
    """
    stripped = text.strip().removeprefix("\ufeff")
    if stripped.startswith(("{", "[", '"')):
        return stripped
    fenced = _FENCED.search(stripped)
    return fenced.group(1).strip() if fenced else stripped


def decode_object(raw: Any, *, name: str) -> dict[str, Any]:
    """Give *raw*, a JSON text or an object already decoded, as a dict.

    Raises:
        OutputCoercionError: It is neither; *name* says whose output it should have been.

    """
    if not isinstance(raw, str):
        return _as_object(raw, shown=_shown(raw), name=name)
    try:
        text = strip_fence(raw)
        decoded = json.loads(text, parse_constant=refuse_constant, parse_float=finite)
    except (ValueError, RecursionError) as exc:
        fault = f"not valid JSON: {exc}"
        raise OutputCoercionError(f"{name}: {fault}", raw=raw, errors=[fault]) from None
    return _as_object(decoded, shown=raw, name=name)


def _as_object(value: Any, *, shown: str, name: str) -> dict[str, Any]:
    found = as_object(value)
    if found is not None:
        return found
    fault = f"expected a JSON object, got {type(value).__name__}"
    raise OutputCoercionError(f"{name}: {fault}", raw=shown, errors=[fault])


def _shown(value: Any) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
