"""The two units of work: a chat with a model and the run of a tool."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agentkit.core.contracts._checks import (
    check_counts,
    check_flags,
    check_number,
    check_texts,
    freeze_items,
    freeze_mappings,
)
from agentkit.core.contracts.types._messages import Message, ToolSchema

__all__ = ["ChatRequest", "Operation", "ToolRequest"]


class Operation(StrEnum):
    """Which of the two kinds of work a call is: what a middleware matches on."""

    TOOL_CALL = "tool_call"
    MODEL_CALL = "model_call"


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked of a model.

    `tools` None advertises nothing, and `[]` is an empty list: providers treat the two differently.
    `temperature` None is not sent. `cache_hint` is whatever the provider wants; it is neither read
    nor frozen.

    Raises:
        TypeError: A field is of another type.
        ValueError: `temperature` or `max_tokens` is negative, or not finite.

    """

    messages: list[Message]
    model: str
    tools: list[ToolSchema] | None = None
    response_format: dict[str, Any] | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    cache_hint: Any = None

    def __post_init__(self) -> None:
        freeze_items(self, "messages", Message, wanted="a Message")
        if type(self.model) is not str:
            check_texts(self, "model")
        if self.tools is not None:
            freeze_items(self, "tools", ToolSchema, wanted="a ToolSchema")
        if self.response_format is not None:
            freeze_mappings(self, "response_format", optional=True)
        if self.temperature is not None:
            check_number(self, "temperature")
        if self.max_tokens is not None:
            check_counts(self, "max_tokens")

    def __hash__(self) -> int:
        return hash((self.model, self.temperature, self.max_tokens, len(self.messages)))


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """What is asked of a tool, with the tool itself and how its call is to be treated.

    `side_effecting` and `url_arg` route it through idempotency and egress. `call_id` is the model's
    id for the call.

    Raises:
        TypeError: A field is of another type.

    """

    name: str
    arguments: dict[str, Any]
    tool: Any
    side_effecting: bool = False
    url_arg: str | None = None
    call_id: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        check_texts(self, "name", "call_id")
        check_texts(self, "url_arg", optional=True)
        check_flags(self, "side_effecting")
        freeze_mappings(self, "arguments")

    def __hash__(self) -> int:
        return hash((self.name, self.side_effecting, self.url_arg))
