"""The two units of work: a chat with a model and the run of a tool."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agentkit.core.contracts.types._messages import Message, ToolSchema
from agentkit.core.serialization import deep_freeze

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
    """

    messages: list[Message]
    model: str
    tools: list[ToolSchema] | None = None
    response_format: dict[str, Any] | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    cache_hint: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", deep_freeze(list(self.messages)))
        if self.tools is not None:
            object.__setattr__(self, "tools", deep_freeze(list(self.tools)))
        object.__setattr__(self, "response_format", deep_freeze(self.response_format))

    def __hash__(self) -> int:
        return hash((self.model, self.temperature, self.max_tokens, len(self.messages)))


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """What is asked of a tool, with the tool itself and how its call is to be treated.

    `side_effecting` and `url_arg` route it through idempotency and egress. `call_id` is the model's
    id for the call.
    """

    name: str
    arguments: dict[str, Any]
    tool: Any
    side_effecting: bool = False
    url_arg: str | None = None
    call_id: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", deep_freeze(self.arguments))

    def __hash__(self) -> int:
        return hash((self.name, self.side_effecting, self.url_arg))
