"""Frozen payloads and the text forms of values; imports nothing else of agentkit."""

from agentkit.core.serialization._immutable import FrozenDict, FrozenList, deep_freeze

__all__ = ["FrozenDict", "FrozenList", "deep_freeze"]
