"""The keys under which memoize finds a call again."""

import json
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from inspect import ismethod
from typing import Any, Final

from agentkit.core.contracts._checks import shown
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.store_rules import check_key
from agentkit.core.contracts.types import ChatRequest, LLMResult
from agentkit.core.policies._calls import CHAT
from agentkit.core.policies._output_coerce import ADAPTER
from agentkit.core.serialization.canonical import stable_hash

__all__ = ["default_key", "space_of", "store_key"]

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


def store_key(call: Call, key: Callable[[Call], str], *, space: str) -> str:
    """Give where *call* stands in the store: in its tenant, and in the *space* of its *key*.

    An answer that `output_coerce()` has made an object of, further in, stands under the type that
    the caller declared: another caller may have declared another.

    Raises:
        TypeError: *key* gives no text, or raised it.
        StoreValueError: What it gives is no key of a store, as it is too long.

    """
    made: Any = key(call)
    if not isinstance(made, str):
        raise TypeError(f"the key of a call is a str; got {shown(made)}")
    parts = [call.ctx.scope.key(), *([f"memo:{call.kind}:{space}"] if space else []), made]
    adapter = call.meta.get(ADAPTER)
    if adapter is not None:
        declared = (*_names(adapter), adapter.json_schema())
        parts.append(stable_hash(declared, length=_LENGTH))
    return check_key(":".join(parts))


def space_of(key: Callable[[Call], str], namespace: str) -> str:
    """Give what keeps the keys that *key* makes apart; nothing for the default one.

    That is *namespace*, or else the name of *key*, with all that it has captured: it is the same in
    every process that runs this code.

    Raises:
        ValueError: What *key* has captured cannot be seen, and there is no *namespace*.

    """
    if namespace:
        return json.dumps(namespace)
    if key is default_key:
        return ""
    names, captured = _identity(key)
    if not captured:
        return json.dumps(names)
    try:
        return json.dumps(f"{names}:{stable_hash(captured, length=_LENGTH)}")
    except (TypeError, ValueError) as exc:
        raise ValueError(
            f"the key {names} has captured what cannot be told from another: give "
            f"memoize(namespace=…) as well ({exc})"
        ) from None


def _identity(key: Any) -> tuple[str, list[Any]]:
    """Give the name of the function *key*, and what else decides the keys it makes."""
    if isinstance(key, partial):
        name, captured = _identity(key.func)
        return name, [*captured, key.args, key.keywords]
    if ismethod(key):
        name, captured = _identity(key.__func__)
        return name, [*captured, key.__self__]
    code = getattr(key, "__code__", None)
    if code is None:  # an object that can be called
        return ".".join(_names(key)), [key]
    name = f"{key.__module__}.{key.__qualname__}"
    cells = [cell.cell_contents for cell in key.__closure__ or ()]
    captured = [part for part in (cells, key.__defaults__, key.__kwdefaults__) if part]
    # Only a line tells two lambdas of one place apart.
    return (f"{name}:{code.co_firstlineno}" if "<" in name else name), captured


def _names(value: Any) -> tuple[str, ...]:
    """Give the names of the type of *value*, and of the one that an adapter makes."""
    kinds: list[type] = [type(value)]
    made = getattr(value, "python_type", None)
    if isinstance(made, type):
        kinds.append(made)
    return tuple(f"{kind.__module__}.{kind.__qualname__}" for kind in kinds)
