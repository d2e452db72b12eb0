"""The value types that cross every boundary: frozen all the way down, data and nothing else."""

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
