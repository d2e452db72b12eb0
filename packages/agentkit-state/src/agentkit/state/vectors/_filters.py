"""Which chunks a filter keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentkit.core.contracts.store_rules import encode_value
from agentkit.core.contracts.types import Chunk
from agentkit.core.contracts.vector_rules import check_metadata

__all__ = ["matching"]


def matching(where: dict[str, Any] | None) -> Callable[[Chunk], bool] | None:
    """Give what tells whether a chunk's metadata has every item of *where*; None if all have."""
    if where is None:
        return None
    items = check_metadata("where", where).items()
    wanted = [(key, value, encode_value(value)) for key, value in items]

    def keep(chunk: Chunk) -> bool:
        metadata = chunk.metadata
        return all(
            key in metadata and _equal(metadata[key], value, text) for key, value, text in wanted
        )

    return keep


def _equal(value: Any, wanted: Any, wanted_text: str) -> bool:
    """Whether both are the same JSON: `1` is neither `True` nor `1.0`."""
    if value != wanted:  # what differs here differs as JSON: most values never need their text
        return False
    return isinstance(value, str) or encode_value(value) == wanted_text
