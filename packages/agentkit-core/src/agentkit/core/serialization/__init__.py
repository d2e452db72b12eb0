"""Frozen payloads and the text forms of values; imports nothing else of agentkit."""

from agentkit.core.serialization._immutable import FrozenDict, FrozenList, deep_freeze
from agentkit.core.serialization._plain import plain_copy
from agentkit.core.serialization.canonical import canonical_json, stable_hash
from agentkit.core.serialization.values import from_json, to_json

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
