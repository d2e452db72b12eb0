"""What a run comes to."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from agentkit.core.contracts.types import ToolCall, Usage
from agentkit.core.serialization import FrozenDict, deep_freeze

__all__ = [
    "AgentResult",
    "AgentStopReason",
    "OutcomeKind",
    "Suspended",
    "ToolOutcome",
    "stop_reason_for",
]

AgentStopReason = Literal[
    "complete",
    "suspended",
    "expired",
    "budget_exhausted",
    "max_iterations",
    "invalid_output",
    "terminated",
    "failed",
]
"""Why a run ended: the closed set. Only `complete` is a whole answer."""

OutcomeKind = Literal["ok", "error", "denied", "expired", "not_run"]
"""How a tool call ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """How one tool call ended, as the model is told it in *text*."""

    kind: OutcomeKind
    text: str

    @property
    def is_error(self) -> bool:
        """Whether the call did not do what was asked."""
        return self.kind != "ok"


@dataclass(frozen=True, slots=True)
class AgentResult:
    """A run's answer and why it ended.

    `parsed` is the typed object when an output is declared. `partial` says that `output` is not the
    whole answer. `evals` holds facts about the run: `stop_reason` as it was worded, `error`,
    `finish_reason` in the provider's word where that is not the usual one, `not_run` with the names
    of the tools that the last answer called in vain, and `suspended` with what a suspended run
    waits for.

    An answer that ran into the most tokens it could have is `terminated` and partial, with `length`
    as the wording; one that was withheld is too, with `content_filter` or `refusal`; and so is one
    whose word is not known to be an end, with `incomplete`. None of its tool calls is run. A typed
    output that was cut is asked for again like any that does not fit, and ends as `invalid_output`.
    """

    output: str
    usage: Usage = field(default_factory=Usage)
    partial: bool = False
    evals: dict[str, Any] = field(default_factory=FrozenDict[str, Any])
    parsed: Any = None
    prompt_version: str = ""
    stop_reason: AgentStopReason = "complete"

    def __post_init__(self) -> None:
        object.__setattr__(self, "evals", deep_freeze(self.evals))

    def __hash__(self) -> int:
        return hash((self.output, self.usage, self.partial, self.prompt_version, self.stop_reason))

    @property
    def is_suspended(self) -> bool:
        """Whether the run waits for decisions."""
        return self.stop_reason == "suspended"

    @property
    def is_resumable(self) -> bool:
        """Whether `Agent.resume` can go on from here."""
        return self.stop_reason in {"suspended", "budget_exhausted"}

    @property
    def suspended(self) -> "Suspended | None":
        """What a suspended run waits for."""
        found = self.evals.get("suspended")
        return found if isinstance(found, Suspended) else None


@dataclass(frozen=True, slots=True)
class Suspended:
    """What a run waits for: decisions on *pending* calls, until *deadline_at* in unix seconds."""

    run_id: str
    pending: tuple[ToolCall, ...] = ()
    reason: str = "awaiting_approval"
    elicitations: tuple[Any, ...] = ()
    deadline_at: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pending", tuple(self.pending))
        object.__setattr__(self, "elicitations", tuple(self.elicitations))


_BY_REASON: Final[dict[str | None, AgentStopReason]] = {
    None: "complete",
    "complete": "complete",
    "plan_complete": "complete",
    "satisfied": "complete",
    "success": "complete",
    "suspended": "suspended",
    "awaiting_approval": "suspended",
    "awaiting_input": "suspended",
    "awaiting_decision": "suspended",
    "expired": "expired",
    "budget_exhausted": "budget_exhausted",
    "max_iterations": "max_iterations",
    "max_turns": "max_iterations",
    "max_rounds": "max_iterations",
    "max_messages": "max_iterations",
    "invalid_output": "invalid_output",
    "failed": "failed",
}


def stop_reason_for(reason: str | None) -> AgentStopReason:
    """Give the closed set's word for a free-form reason; an unknown one is `terminated`."""
    return _BY_REASON.get(reason, "terminated")
