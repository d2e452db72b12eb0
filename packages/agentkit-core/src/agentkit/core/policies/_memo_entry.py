"""What memoize puts into a store: a chat's result as JSON, a tool's as it is."""

from typing import Any, Final, cast

from agentkit.core.contracts.types import LLMResult
from agentkit.core.policies._calls import CHAT
from agentkit.core.serialization._plain import plain_copy
from agentkit.core.serialization.values import from_json, to_json

__all__ = ["UNREADABLE", "decode", "encode"]

_MARK: Final = "__agentkit_memo__"
_VERSION: Final = 1

UNREADABLE: Final = object()
"""What `decode` gives for an entry that no result can be made of."""


class _Typed:
    """A result whose `parsed` JSON cannot carry.

    A store of objects keeps it as it is; one that serialises refuses it, which is what is wanted: a
    copy without `parsed` would make a hit something else than a miss.
    """

    __slots__ = ("result",)

    def __init__(self, result: LLMResult) -> None:
        self.result = result


def encode(kind: str, result: Any) -> Any:
    """Give what to store for the *result* of a call of *kind*."""
    if kind != CHAT or not isinstance(result, LLMResult):
        return result
    try:
        plain_copy(result.parsed)
    except (TypeError, ValueError):
        return _Typed(result)
    return {_MARK: _VERSION, **to_json(result)}


def decode(kind: str, kept: Any) -> Any:
    """Give the result that *kept* stands for, or `UNREADABLE`."""
    if kind != CHAT:
        return UNREADABLE if isinstance(kept, _Typed) else kept
    if isinstance(kept, _Typed):
        return kept.result
    if isinstance(kept, LLMResult):
        return kept
    # Under our key a store holds the JSON that `encode` made, or something foreign.
    entry = dict(cast("dict[str, Any]", kept)) if isinstance(kept, dict) else {}
    if entry.pop(_MARK, None) != _VERSION:
        return UNREADABLE
    try:
        return from_json(LLMResult, entry)
    except ValueError:
        return UNREADABLE
