"""What type checkers say of the public calls of agents."""

from typing import Any, assert_type

from agentkit.agents import Agent, AgentResult, FunctionTool, ToolRegistry, tool
from agentkit.agents.output import adapt
from agentkit.agents.results import AgentStopReason, Suspended
from agentkit.core.contracts.protocols import SchemaAdapter
from agentkit.core.contracts.types import StreamEvent
from agentkit.core.runtime import RunContext


@tool(side_effecting=False)
def population(city: str) -> int:
    """Give how many people live in *city*, a name in English."""
    return len(city)


async def a_run(agent: Agent, ctx: RunContext) -> None:
    result = await agent.run("task", ctx)
    assert_type(result, AgentResult)
    assert_type(result.parsed, Any)
    assert_type(result.stop_reason, AgentStopReason)
    assert_type(result.suspended, Suspended | None)
    assert_type(await agent.resume("run", ctx), AgentResult)
    assert_type([event async for event in agent.stream("task", ctx)], list[StreamEvent])


def tools() -> None:
    assert_type(population, FunctionTool)
    assert_type(ToolRegistry.from_tools([population]).names(), list[str])


def output() -> None:
    assert_type(adapt({"type": "object"}), SchemaAdapter)
