"""What a person decides about a gated call."""

import json
from dataclasses import dataclass, replace
from typing import Any, Literal

from agentkit.core.serialization import deep_freeze

__all__ = ["Decision", "DecisionKind", "as_decision"]

DecisionKind = Literal["approve", "deny", "value", "modify", "expired"]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: `modify` approves with *value* as the arguments; `value` answers a question."""

    kind: DecisionKind
    value: Any = None
    actor: str = ""
    at: float = 0.0
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", deep_freeze(self.value))

    def __hash__(self) -> int:
        return hash((self.kind, self.actor, self.at))

    @property
    def approved(self) -> bool:
        """Whether the call is to run."""
        return self.kind in {"approve", "modify"}

    def redacted(self) -> "Decision":
        """Give the decision without what was entered."""
        return self if self.value is None else replace(self, value="***")


def as_decision(given: "str | Decision") -> Decision:
    """Give the decision that *given* stands for.

    `"approve"`, `"deny"` and `"reject"` are words for it; any other text is a JSON object with the
    arguments to run with instead.

    Raises:
        ValueError: The text is neither.

    """
    if isinstance(given, Decision):
        return given
    if given == "approve":
        return Decision("approve")
    if given in ("deny", "reject"):
        return Decision("deny")
    return Decision("modify", _arguments_in(given))


def _arguments_in(text: str) -> dict[str, Any]:
    try:
        arguments = json.loads(text)
        return dict(arguments.items())
    except (TypeError, ValueError, AttributeError):
        raise ValueError(
            "a decision is 'approve', 'deny', a Decision, or a JSON object of arguments; "
            f"got {text!r}"
        ) from None
