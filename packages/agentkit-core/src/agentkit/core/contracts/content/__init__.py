"""Canonical messages and the blocks they are made of."""

from agentkit.core.contracts.content._blocks import (
    AudioBlock,
    CodeBlock,
    ContentBlock,
    DataBlock,
    DocumentBlock,
    ErrorBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownBlock,
    VideoBlock,
)
from agentkit.core.contracts.content._messages import (
    ChatMessage,
    Role,
    blocks_text,
    content_block_from_dict,
    content_block_to_dict,
    content_blocks_to_str,
)

__all__ = [
    "AudioBlock",
    "ChatMessage",
    "CodeBlock",
    "ContentBlock",
    "DataBlock",
    "DocumentBlock",
    "ErrorBlock",
    "ImageBlock",
    "Role",
    "TextBlock",
    "ThinkingBlock",
    "ToolResultBlock",
    "ToolUseBlock",
    "UnknownBlock",
    "VideoBlock",
    "blocks_text",
    "content_block_from_dict",
    "content_block_to_dict",
    "content_blocks_to_str",
]
