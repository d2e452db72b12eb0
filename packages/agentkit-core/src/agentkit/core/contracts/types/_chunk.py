"""A piece of text in a vector index."""

from dataclasses import dataclass, field
from typing import Any

from agentkit.core.serialization import FrozenDict, deep_freeze

__all__ = ["Chunk"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of text that a vector index finds again, with what is known about it."""

    id: str
    text: str
    metadata: dict[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", deep_freeze(self.metadata))

    def __hash__(self) -> int:
        return hash((self.id, self.text))
