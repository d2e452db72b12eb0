"""A piece of text in a vector index."""

from dataclasses import dataclass, field
from typing import Any

from agentkit.core.contracts._checks import (
    check_texts,
    freeze_mappings,
    no_data,
)

__all__ = ["Chunk"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of text that a vector index finds again, with what is known about it.

    Raises:
        TypeError: `id` or `text` is no text, or `metadata` no dict.

    """

    id: str
    text: str
    metadata: dict[str, Any] = field(default_factory=no_data)

    def __post_init__(self) -> None:
        check_texts(self, "id", "text")
        freeze_mappings(self, "metadata")

    def __hash__(self) -> int:
        return hash((self.id, self.text))
