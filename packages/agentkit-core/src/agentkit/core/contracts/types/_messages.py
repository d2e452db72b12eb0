"""A transcript in the core contract: turns, and the tool calls in them."""

from dataclasses import dataclass, field
from typing import Any

from agentkit.core.contracts._checks import (
    as_tuple,
    check_texts,
    freeze_mappings,
    no_data,
    refuse,
)
from agentkit.core.contracts.content import ContentBlock, blocks_text
from agentkit.core.serialization import FrozenDict
from agentkit.core.serialization._kinds import is_a

__all__ = ["RAW_ARGUMENTS", "Message", "ToolCall", "ToolSchema", "text_beside"]

RAW_ARGUMENTS = "_raw"
"""The one key of a tool call's arguments that were no JSON object; its value is what came."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool invocation that the model asked for.

    Raises:
        TypeError: `id` or `name` is no text, or `arguments` no dict.

    """

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=no_data)

    def __post_init__(self) -> None:
        if type(self.id) is not str or type(self.name) is not str:
            check_texts(self, "id", "name")
        if type(self.arguments) is not FrozenDict:
            freeze_mappings(self, "arguments")

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
    """The advertisement of a tool: its name, what it does, and a JSON Schema of its arguments.

    Raises:
        TypeError: `name` or `description` is no text, or `parameters` no dict.

    """

    name: str
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=no_data)

    def __post_init__(self) -> None:
        check_texts(self, "name", "description")
        freeze_mappings(self, "parameters")

    def __hash__(self) -> int:
        return hash((self.name, self.description))


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a transcript.

    `role` is `system`, `user`, `assistant` or `tool`. `blocks` hold what text cannot: media,
    reasoning, a provider's opaque parts; `content` is their text, and is filled in when left empty.

    Raises:
        TypeError: A field is of another type; media are no `content` but blocks.
        ValueError: `content` is given beside blocks that say something else.

    """

    role: str
    content: str = ""
    name: str | None = None
    tool_call_id: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    blocks: tuple[ContentBlock, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        if type(self.role) is not str or type(self.content) is not str:
            check_texts(self, "role")
            _check_content(self)
        if self.name is not None or self.tool_call_id is not None:
            check_texts(self, "name", "tool_call_id", optional=True)
        if self.tool_calls != ():
            as_tuple(self, "tool_calls", ToolCall, wanted="a ToolCall")
        if self.blocks != ():
            as_tuple(self, "blocks", ContentBlock, wanted="a content block")
            object.__setattr__(self, "content", text_beside(self.content, self.blocks))


def _check_content(message: Message) -> None:
    if not is_a(message.content, str):
        refuse(message, "content", "text (what text cannot hold goes into blocks=)")


def text_beside(content: str, blocks: tuple[ContentBlock, ...]) -> str:
    """Give the text of a value that has both *content* and *blocks*.

    Raises:
        ValueError: They disagree.

    """
    if not blocks:
        return content
    text = blocks_text(blocks)
    if content and content != text:  # neither is quoted: one may be what the other must not tell
        raise ValueError("content is the text of blocks; got another: leave it out")
    return text
