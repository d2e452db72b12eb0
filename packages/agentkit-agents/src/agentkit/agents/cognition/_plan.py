"""What sets one cognition's loop apart from another's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agentkit.agents.termination import TerminationCondition
from agentkit.agents.tools import ToolRegistry

__all__ = ["LoopPlan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopPlan:
    """The fixed settings of a loop.

    `registry` None means that tool calls are neither offered nor run. `wrap_output` frames a tool's
    result before the model sees it.
    """

    cognition: str
    registry: ToolRegistry | None = None
    max_iterations: int | None = None
    termination: TerminationCondition | None = None
    wrap_output: Callable[..., str] | None = None
    checkpointer: Any = None
    approval_deadline_s: float | None = None
