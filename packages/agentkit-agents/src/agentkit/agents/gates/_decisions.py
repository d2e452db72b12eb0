"""What a person decides about a gated call."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from agentkit.agents._json import is_json
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
        ValueError: The text is neither, or the arguments of a `modify` are no JSON object.

    """
    if isinstance(given, Decision):
        if given.kind == "modify" and not _are_arguments(given.value):
            raise _refusal(given)
        return given
    if given == "approve":
        return Decision("approve")
    if given in ("deny", "reject"):
        return Decision("deny")
    return Decision("modify", _arguments_in(given))


def _arguments_in(text: str) -> Any:
    try:
        arguments = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise _refusal(text) from None
    if not _are_arguments(arguments):
        raise _refusal(text)
    return arguments


def _are_arguments(value: object) -> bool:
    return is_json(value) and isinstance(value, Mapping)


def _refusal(given: object) -> ValueError:
    return ValueError(
        f"a decision is 'approve', 'deny', a Decision, or a JSON object of arguments; got {given!r}"
    )
