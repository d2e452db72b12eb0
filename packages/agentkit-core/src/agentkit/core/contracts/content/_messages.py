"""The canonical message, and what its blocks say as text and as JSON."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agentkit.core.contracts._checks import (
    check_texts,
    freeze_items,
    freeze_mappings,
    no_data,
    no_items,
)
from agentkit.core.contracts.content._blocks import (
    ContentBlock,
    TextBlock,
    ToolResultBlock,
    UnknownBlock,
)
from agentkit.core.contracts.errors import BlockValidationError
from agentkit.core.serialization import from_json, to_json

__all__ = [
    "ChatMessage",
    "Role",
    "blocks_text",
    "content_block_from_dict",
    "content_block_to_dict",
    "content_blocks_to_str",
]


class Role(StrEnum):
    """Who speaks in a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a transcript in the model-neutral contract: a role and its blocks.

    Raises:
        TypeError: A field is of another type; text is no `content` but a `TextBlock` in it.

    """

    role: str
    content: list[ContentBlock] = field(default_factory=no_items)
    name: str | None = None
    metadata: dict[str, Any] = field(default_factory=no_data)

    def __post_init__(self) -> None:
        check_texts(self, "role")
        check_texts(self, "name", optional=True)
        freeze_items(self, "content", ContentBlock, wanted="a content block")
        freeze_mappings(self, "metadata")

    def __hash__(self) -> int:
        return hash((self.role, tuple(self.content), self.name))


def blocks_text(blocks: Iterable[ContentBlock]) -> str:
    """Give the text in *blocks*, tool results included, joined with nothing between."""
    return "".join(
        block.text if isinstance(block, TextBlock) else blocks_text(block.content)
        for block in blocks
        if isinstance(block, TextBlock | ToolResultBlock)
    )


def content_blocks_to_str(blocks: Iterable[ContentBlock]) -> str:
    """Give *blocks* as text for a reader, with placeholders for what is no text."""
    return "".join(block.to_text_repr() for block in blocks)


def content_block_to_dict(block: ContentBlock) -> dict[str, Any]:
    """Give *block* as JSON: its fields and its `type`; bytes become base64."""
    if isinstance(block, UnknownBlock) and not block.provider:
        return dict(block.raw)
    data: dict[str, Any] = to_json(block)
    return data


def content_block_from_dict(data: Mapping[str, Any]) -> ContentBlock:
    """Give the block that *data* describes; an unrecognised `type` gives an `UnknownBlock`.

    Raises:
        BlockValidationError: The type is known and *data* is not valid for it.

    """
    try:
        block: ContentBlock = from_json(ContentBlock, dict(data))
    except (TypeError, ValueError) as exc:
        raise BlockValidationError(f"not a valid {data.get('type')!r} block: {exc}") from None
    return block
