"""Typed output: one adapter per way to declare what a model should answer."""

from agentkit.agents.output._adapt import adapt
from agentkit.agents.output._fences import strip_fence
from agentkit.agents.output._json_schema import JsonSchemaAdapter
from agentkit.agents.output._pydantic import PydanticAdapter
from agentkit.agents.output._record import RecordAdapter
from agentkit.core.contracts.errors import OutputCoercionError
from agentkit.core.contracts.protocols import SchemaAdapter

__all__ = [
    "JsonSchemaAdapter",
    "OutputCoercionError",
    "PydanticAdapter",
    "RecordAdapter",
    "SchemaAdapter",
    "adapt",
    "strip_fence",
]
