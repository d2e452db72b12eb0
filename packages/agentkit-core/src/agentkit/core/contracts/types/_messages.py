"""A transcript in the core contract: turns, and the tool calls in them."""

from dataclasses import dataclass, field
from typing import Any

from agentkit.core.contracts.content import ContentBlock, blocks_text
from agentkit.core.serialization import FrozenDict, deep_freeze

__all__ = ["RAW_ARGUMENTS", "Message", "ToolCall", "ToolSchema", "text_beside"]

RAW_ARGUMENTS = "_raw"
"""The one key of a tool call's arguments that were no JSON object; its value is what came."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool invocation that the model asked for."""

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", deep_freeze(self.arguments))

    def __hash__(self) -> int:
        return hash((self.id, self.name))

    @property
    def raw_arguments(self) -> str | None:
        """What came for the arguments where that is no JSON object, else None.

        Such a call is never run: the model is told what is wrong with it.
        """
        raw = self.arguments.get(RAW_ARGUMENTS) if len(self.arguments) == 1 else None
        return raw if isinstance(raw, str) else None


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """The advertisement of a tool: its name, what it does, and a JSON Schema of its arguments."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", deep_freeze(self.parameters))

    def __hash__(self) -> int:
        return hash((self.name, self.description))


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a transcript.

    `role` is `system`, `user`, `assistant` or `tool`. `blocks` hold what text cannot: media,
    reasoning, a provider's opaque parts; `content` is their text, and is filled in when left empty.

    Raises:
        ValueError: `content` is given beside blocks that say something else.

    """

    role: str
    content: str = ""
    name: str | None = None
    tool_call_id: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    blocks: tuple[ContentBlock, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tool_calls", tuple(self.tool_calls))
        object.__setattr__(self, "blocks", tuple(self.blocks))
        object.__setattr__(self, "content", text_beside(self.content, self.blocks))


def text_beside(content: str, blocks: tuple[ContentBlock, ...]) -> str:
    """Give the text of a value that has both *content* and *blocks*.

    Raises:
        ValueError: They disagree.

    """
    if not blocks:
        return content
    text = blocks_text(blocks)
    if content and content != text:
        raise ValueError(f"content is the text of blocks: {text!r}; got {content!r}")
    return text
