"""Agents: tasks worked on by models that call tools, durable and with typed output."""

from agentkit.agents._agent import Agent
from agentkit.agents.cognition import ReActCognition, SingleCallCognition
from agentkit.agents.context import RequestBuilder, WorkingContext
from agentkit.agents.gates import Decision
from agentkit.agents.prompts import Prompt
from agentkit.agents.results import AgentResult, Suspended, ToolOutcome
from agentkit.agents.tools import FunctionTool, ToolRegistry, tool

__all__ = [
    "Agent",
    "AgentResult",
    "Decision",
    "FunctionTool",
    "Prompt",
    "ReActCognition",
    "RequestBuilder",
    "SingleCallCognition",
    "Suspended",
    "ToolOutcome",
    "ToolRegistry",
    "WorkingContext",
    "tool",
]
