"""What the model is told of a tool call that did not give a result."""

from typing import Final

from agentkit.agents.cognition._secrets import without_secrets
from agentkit.agents.gates import Decision
from agentkit.agents.results import ToolOutcome
from agentkit.agents.tools import ToolRegistry
from agentkit.core.contracts.errors import (
    AgentkitError,
    Blocked,
    BudgetExhausted,
    Cancelled,
    CheckpointerError,
    EgressDenied,
    MeterExceeded,
    OutcomeUnknown,
    RunUnfinished,
    ToolArgumentError,
)
from agentkit.core.contracts.types import ToolCall

__all__ = ["STOPS_THE_RUN", "decided", "failed", "malformed", "not_run", "unknown_tool"]

_LONGEST: Final = 500

STOPS_THE_RUN: Final = (
    Cancelled,
    MeterExceeded,
    BudgetExhausted,
    CheckpointerError,
    RunUnfinished,
    OutcomeUnknown,
)
"""Errors that no model can do anything about: they leave the loop."""


def unknown_tool(call: ToolCall, registry: ToolRegistry) -> ToolOutcome:
    """Say that there is no such tool, and which there are."""
    return _error(f"unknown tool {call.name!r}. Available tools: {registry.names()}")


def malformed(call: ToolCall) -> ToolOutcome:
    """Say that the arguments are no JSON object."""
    return _error(
        f"the arguments of {call.name!r} are not a JSON object: {_cut(call.raw_arguments or '')!r}"
    )


def failed(exc: BaseException) -> ToolOutcome:
    """Say what a tool raised: of our own errors their text, of others their type as well."""
    exc = _meant_by(exc)
    text = without_secrets(_cut(_text_of(exc)))
    if isinstance(exc, ToolArgumentError):
        return _error(text)
    if isinstance(exc, Blocked | EgressDenied):
        return _error(f"refused: {text}")
    if isinstance(exc, AgentkitError) and text:
        return _error(text)
    return _error(f"{type(exc).__name__}: {text}" if text else type(exc).__name__)


def decided(decision: Decision) -> ToolOutcome:
    """Say that a person did not let the call run."""
    note = f": {decision.note}" if decision.note else ""
    if decision.kind == "expired":
        return ToolOutcome(kind="expired", text=f"EXPIRED: nobody decided in time{note}")
    actor = decision.actor or "the user"
    return ToolOutcome(kind="denied", text=f"DENIED: {actor} did not approve this call{note}")


def not_run(reason: str) -> ToolOutcome:
    """Say that the run ended before the call."""
    return ToolOutcome(kind="not_run", text=f"NOT RUN: the run ended first ({reason})")


def _error(text: str) -> ToolOutcome:
    return ToolOutcome(kind="error", text=f"ERROR: {text}")


def _meant_by(exc: BaseException) -> BaseException:
    """Give the StopIteration that Python, or a thread's end, has wrapped; else *exc* itself."""
    cause = exc.__cause__
    is_wrapped = type(exc) is RuntimeError and isinstance(cause, StopIteration | StopAsyncIteration)
    return cause if is_wrapped and cause is not None else exc


def _text_of(exc: BaseException) -> str:
    try:
        return str(exc)
    except Exception:  # noqa: BLE001 - an error that cannot tell itself is told by its type
        return ""


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} [truncated]"
