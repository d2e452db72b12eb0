"""How a run ends, as a result and as a record of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agentkit.agents.cognition._state import LoopState
from agentkit.agents.results import AgentResult, stop_reason_for
from agentkit.core.contracts.errors import CheckpointerError
from agentkit.core.contracts.ports import CheckpointStatus

if TYPE_CHECKING:
    from agentkit.agents._agent import Agent

__all__ = ["Ending", "recorded", "restored", "result_of"]

_BAD = frozenset({"failed", "invalid_output", "expired"})


@dataclass(slots=True)
class Ending:
    """Why a run ends and what came of it."""

    reason: str | None
    partial: bool = field(default=False, kw_only=True)
    parsed: Any = field(default=None, kw_only=True)
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any], kw_only=True)

    @property
    def status(self) -> CheckpointStatus:
        """The terminal status to save."""
        ended_badly = stop_reason_for(self.reason) in _BAD
        return CheckpointStatus.FAILED if ended_badly else CheckpointStatus.DONE


def result_of(state: LoopState, ending: Ending) -> AgentResult:
    """Give the result of the run in *state* that ends with *ending*."""
    worded = {} if ending.reason is None else {"stop_reason": ending.reason}
    return AgentResult(
        state.last_answer,
        state.usage,
        ending.partial,
        {**worded, **ending.facts},
        ending.parsed,
        state.prompt_version,
        stop_reason_for(ending.reason),
    )


def recorded(result: AgentResult) -> dict[str, Any]:
    """Give what is saved of a final *result*; the typed output is made again from the text."""
    return {
        "output": result.output,
        "partial": result.partial,
        "evals": dict(result.evals),
        "stop_reason": result.stop_reason,
    }


def restored(state: LoopState, agent: "Agent") -> AgentResult:
    """Give the result of a run that is over.

    Raises:
        CheckpointerError: None was saved.

    """
    saved = state.result
    if saved is None:
        raise CheckpointerError(f"the run of {state.agent!r} is over and has no saved result")
    complete = saved["stop_reason"] == "complete"
    return AgentResult(
        saved["output"],
        state.usage,
        saved["partial"],
        saved["evals"],
        agent.parse_output(saved["output"]) if complete else None,
        state.prompt_version,
        saved["stop_reason"],
    )
