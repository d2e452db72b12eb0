"""Reason and act: the model calls tools until it answers."""

from collections.abc import Sequence
from typing import Any

from agentkit.agents._checks import check_amount, check_count, check_kind, check_text
from agentkit.agents.cognition._looping import Looping
from agentkit.agents.cognition._plan import LoopPlan
from agentkit.agents.termination import TerminationCondition
from agentkit.agents.tools import ToolRegistry
from agentkit.core.contracts.ports import ToolPort
from agentkit.core.runtime import Checkpointer

__all__ = ["ReActCognition"]


class ReActCognition(Looping):
    """The tool loop: at most *max_iterations* calls of the model, its tool calls run in between.

    *guardrail* is anything with `wrap_tool_output(text, *, source)`, which frames what tools give.
    *checkpointer* goes before the run's own. *approval_deadline_s* is how long a gated call waits
    for a decision.

    Raises:
        ValueError: Two tools have one name, or a limit is too small.
        TypeError: A tool is none, *guardrail* cannot frame, or another setting is of another type.

    """

    def __init__(
        self,
        tools: Sequence[ToolPort] | ToolRegistry,
        max_iterations: int = 8,
        *,
        termination: TerminationCondition | None = None,
        guardrail: Any = None,
        checkpointer: Any = None,
        approval_deadline_s: float | None = None,
        name: str = "react",
    ) -> None:
        check_text("name", name)
        check_count("max_iterations", max_iterations, least=1)
        check_amount("approval_deadline_s", approval_deadline_s, optional=True)
        check_kind(
            "termination",
            termination,
            TerminationCondition | None,
            wanted="a TerminationCondition or None",
        )
        if guardrail is not None and not callable(getattr(guardrail, "wrap_tool_output", None)):
            raise TypeError(f"a guardrail has wrap_tool_output(text, *, source); got {guardrail!r}")
        self.registry: ToolRegistry = (
            tools if isinstance(tools, ToolRegistry) else ToolRegistry.from_tools(tools)
        )
        plan = LoopPlan(
            cognition=name,
            registry=self.registry,
            max_iterations=max_iterations,
            termination=termination,
            wrap_output=None if guardrail is None else guardrail.wrap_tool_output,
            checkpointer=Checkpointer.over(checkpointer),
            approval_deadline_s=approval_deadline_s,
        )
        super().__init__(plan)
