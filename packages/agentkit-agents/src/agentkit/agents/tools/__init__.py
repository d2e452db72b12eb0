"""Tools: functions that a model may call, with schemas, checked arguments and checked results."""

from agentkit.agents.tools._decorator import tool
from agentkit.agents.tools._function_tool import FunctionTool
from agentkit.agents.tools._protocol import Tool
from agentkit.agents.tools._registry import ToolRegistry
from agentkit.agents.tools._render import render_result
from agentkit.core.contracts.errors import (
    ToolArgumentError,
    ToolDefinitionError,
    ToolShapeError,
)

__all__ = [
    "FunctionTool",
    "Tool",
    "ToolArgumentError",
    "ToolDefinitionError",
    "ToolRegistry",
    "ToolShapeError",
    "render_result",
    "tool",
]
