"""What a person decides about a gated call."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeGuard

from agentkit.agents._json import is_json
from agentkit.core.serialization import deep_freeze

__all__ = ["Decision", "DecisionKind", "DecisionLike", "as_decision"]

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


DecisionLike = str | Decision | Mapping[str, Any]
"""`"approve"`, `"deny"`, other arguments as an object or as its JSON text, or a `Decision`."""


def as_decision(given: DecisionLike) -> Decision:
    """Give the decision that *given* stands for.

    `"approve"`, `"deny"` and `"reject"` are words for it; a mapping holds the arguments to run with
    instead, and so does any other text, as a JSON object.

    Raises:
        ValueError: It is neither, or the arguments are no JSON object.

    """
    if isinstance(given, Decision):
        return given if given.kind != "modify" else replace(given, value=_arguments(given.value))
    if given == "approve":
        return Decision("approve")
    if given in ("deny", "reject"):
        return Decision("deny")
    return Decision("modify", _arguments(given if isinstance(given, Mapping) else _decoded(given)))


def _decoded(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise _refusal(text) from None


def _arguments(value: Any) -> dict[str, Any]:
    if not _is_mapping(value) or not is_json(dict(value)):
        raise _refusal(value)
    return dict(value)


def _is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _refusal(given: object) -> ValueError:
    return ValueError(
        f"a decision is 'approve', 'deny', a Decision, or a JSON object of arguments; got {given!r}"
    )
