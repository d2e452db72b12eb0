"""Frozen payloads and the text forms of values; imports no other part of agentkit."""

from typing import TYPE_CHECKING

from agentkit.core import _on_demand

if TYPE_CHECKING:
    from agentkit.core.serialization._immutable import FrozenDict, FrozenList, deep_freeze
    from agentkit.core.serialization._plain import plain_copy
    from agentkit.core.serialization.canonical import canonical_json, stable_hash
    from agentkit.core.serialization.values import from_json, to_json
else:
    __getattr__, __dir__ = _on_demand.names(
        __name__,
        _immutable="FrozenDict FrozenList deep_freeze",
        _plain="plain_copy",
        canonical="canonical_json stable_hash",
        values="from_json to_json",
    )

__all__ = [
    "FrozenDict",
    "FrozenList",
    "canonical_json",
    "deep_freeze",
    "from_json",
    "plain_copy",
    "stable_hash",
    "to_json",
]
