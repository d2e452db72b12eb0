"""The keys under which memoize finds a call again."""

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final, cast

from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import ChatRequest, LLMResult
from agentkit.core.policies._calls import CHAT
from agentkit.core.serialization.canonical import stable_hash

__all__ = ["default_key", "store_key"]

_LENGTH: Final = 24
# Part of every key, so that no entry of another layout or meaning is ever found.
_VERSION: Final = (1, tuple(field.name for field in fields(LLMResult)))
_REQUEST_FIELDS: Final = tuple(field.name for field in fields(ChatRequest))


def default_key(call: Call) -> str:
    """Give a key made of all that decides the answer: every field of a chat, tool schemas included.

    Of a tool it is name, schema and arguments; the id of the call is not in it.

    Raises:
        TypeError: Some part's content cannot be seen, such as a foreign object as a cache hint.
        ValueError: Some part is no number.

    """
    if call.kind == CHAT:
        asked = {name: getattr(call.request, name) for name in _REQUEST_FIELDS}
        return f"memo:{stable_hash((_VERSION, asked), length=_LENGTH)}"
    request = call.request
    asked = {
        "tool": request.name,
        "arguments": request.arguments,
        "schema": getattr(request.tool, "schema", None),
    }
    return f"memo:tool:{stable_hash((_VERSION, asked), length=_LENGTH)}"


def store_key(call: Call, key: Callable[[Call], str], *, namespace: str) -> str:
    """Give where *call* stands in the store: in its tenant, and under a caller's *key* apart.

    Raises:
        TypeError: *key* gives no text, or raised it.

    """
    made: Any = key(call)
    if not isinstance(made, str):
        raise TypeError(f"the key of a call is a str; got {made!r}")
    scope = call.ctx.scope.key()
    if key is default_key and not namespace:
        return f"{scope}:{made}"
    space = json.dumps(namespace or _name_of(key))
    return f"{scope}:memo:{call.kind}:{space}:{made}"


def _name_of(key: Any) -> str:
    """Give a name for the function *key* that is the same in every process that runs this code."""
    # The class of a callable object: its names are read like those of a function.
    named = key if hasattr(key, "__qualname__") else cast("Any", type(key))
    name = f"{named.__module__}.{named.__qualname__}"
    code = getattr(named, "__code__", None)
    # Only a line tells two lambdas of one place apart.
    return f"{name}:{code.co_firstlineno}" if code is not None and "<" in name else name
