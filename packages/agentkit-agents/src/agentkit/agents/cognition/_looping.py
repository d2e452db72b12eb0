"""What the cognitions over the loop have in common."""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from agentkit.agents.cognition._loop import AgentLoop
from agentkit.agents.cognition._plan import LoopPlan
from agentkit.agents.context import WorkingContext
from agentkit.agents.gates import DecisionLike
from agentkit.core.contracts.types import StreamEvent

if TYPE_CHECKING:
    from agentkit.agents._agent import Agent

__all__ = ["Looping"]


class Looping:
    """A cognition that runs the loop by a *plan*, and can be resumed."""

    def __init__(self, plan: LoopPlan) -> None:
        self.name: str = plan.cognition
        self._plan = plan

    def drive(  # noqa: PLR0917 - the specification's shape
        self, agent: "Agent", task: str, ctx: Any, context: WorkingContext | None
    ) -> AsyncIterator[StreamEvent]:
        """Give the events of a new run; see `Cognition`."""
        return AgentLoop(agent, ctx, self._plan).run(task, context)

    def resume(
        self, agent: "Agent", ctx: Any, decisions: Mapping[str, DecisionLike] | None
    ) -> AsyncIterator[StreamEvent]:
        """Give the events from where the run stopped; see `Resumable`."""
        return AgentLoop(agent, ctx, self._plan).resume(decisions)
