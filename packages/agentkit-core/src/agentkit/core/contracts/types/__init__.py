"""The value types that cross every boundary: frozen all the way down, data and nothing else."""

from typing import TYPE_CHECKING

from agentkit.core import _on_demand

if TYPE_CHECKING:
    from agentkit.core.contracts.types._chunk import Chunk
    from agentkit.core.contracts.types._messages import RAW_ARGUMENTS, Message, ToolCall, ToolSchema
    from agentkit.core.contracts.types._requests import ChatRequest, Operation, ToolRequest
    from agentkit.core.contracts.types._results import (
        Delta,
        LLMResult,
        StreamEvent,
        StreamEventType,
        assemble_deltas,
    )
    from agentkit.core.contracts.types._scope import Scope
    from agentkit.core.contracts.types._usage import ModelUsage, Price, Provenance, Usage
else:
    __getattr__, __dir__ = _on_demand.names(
        __name__,
        _chunk="Chunk",
        _messages="RAW_ARGUMENTS Message ToolCall ToolSchema",
        _requests="ChatRequest Operation ToolRequest",
        _results="Delta LLMResult StreamEvent StreamEventType assemble_deltas",
        _scope="Scope",
        _usage="ModelUsage Price Provenance Usage",
    )

__all__ = [
    "RAW_ARGUMENTS",
    "ChatRequest",
    "Chunk",
    "Delta",
    "LLMResult",
    "Message",
    "ModelUsage",
    "Operation",
    "Price",
    "Provenance",
    "Scope",
    "StreamEvent",
    "StreamEventType",
    "ToolCall",
    "ToolRequest",
    "ToolSchema",
    "Usage",
    "assemble_deltas",
]
