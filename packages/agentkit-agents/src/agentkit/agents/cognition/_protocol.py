"""What an agent and its cognition ask of each other."""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from agentkit.agents.context import WorkingContext
from agentkit.agents.gates import DecisionLike
from agentkit.core.contracts.types import StreamEvent

if TYPE_CHECKING:
    from agentkit.agents._agent import Agent

__all__ = ["Cognition", "Resumable"]


@runtime_checkable
class Cognition(Protocol):
    """Turns a task into the events of a run: exactly one `final`, last, with an `AgentResult`."""

    @property
    def name(self) -> str:
        """What it is called in spans."""
        ...

    def drive(  # noqa: PLR0917 - the specification's shape
        self, agent: "Agent", task: str, ctx: Any, context: WorkingContext | None
    ) -> AsyncIterator[StreamEvent]:
        """Give the events of a new run.

        Raises:
            RunUnfinished: The run's slot holds one that is not over.

        """
        ...


@runtime_checkable
class Resumable(Protocol):
    """A cognition that saves its state and goes on from it."""

    def resume(
        self, agent: "Agent", ctx: Any, decisions: Mapping[str, DecisionLike] | None
    ) -> AsyncIterator[StreamEvent]:
        """Give the events from where the run stopped, crashed or waiting for *decisions*.

        Raises:
            CheckpointerError: No checkpointer is wired, or what it saved cannot be read.
            ValueError: There is nothing to resume, or a decision is for no waiting call.

        """
        ...
