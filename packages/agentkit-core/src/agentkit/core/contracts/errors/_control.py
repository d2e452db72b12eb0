"""Errors that stop a run on purpose: an abort, a ceiling, a refusal, a missing decision."""

from typing import TYPE_CHECKING, Any

from agentkit.core.contracts.errors._base import AgentkitError
from agentkit.core.serialization import deep_freeze

if TYPE_CHECKING:
    from agentkit.core.contracts.errors._failure import Failure

__all__ = [
    "ApprovalUnavailable",
    "Blocked",
    "BudgetExhausted",
    "Cancelled",
    "CircuitOpen",
    "EgressDenied",
    "MeterExceeded",
    "MoneyPrecisionError",
    "OutcomeUnknown",
    "RunUnfinished",
    "Stuck",
]


class Cancelled(AgentkitError, RuntimeError):
    """The run's cancellation token was cancelled or its deadline passed.

    Like `asyncio.CancelledError` it passes everything: it is never retried, never turned into
    a tool result, never counted as a failure.
    """

    def __init__(self, message: str = "run cancelled") -> None:
        super().__init__(message)

    @property
    def reason(self) -> str:
        """Why the run was cancelled."""
        return str(self)


class CircuitOpen(AgentkitError, RuntimeError):
    """A circuit breaker refuses calls for now; trying again after its cooldown may help."""


class MeterExceeded(AgentkitError, RuntimeError):
    """A ceiling on cost, calls, depth, tokens or rate is reached; trying again never helps.

    A rate limit is the exception: it opens again when its window has passed.
    """

    @property
    def reason(self) -> str:
        """Which ceiling, with both numbers."""
        return str(self)


class BudgetExhausted(AgentkitError, RuntimeError):
    """An actor's envelope has nothing left on one axis; trying again never helps."""

    def __init__(self, message: str = "", *, axis: str = "") -> None:
        super().__init__(message)
        self.axis = axis


class MoneyPrecisionError(AgentkitError, ValueError):
    """An amount of money is not a finite number, or finer than a millionth of a dollar."""


class Blocked(AgentkitError):
    """A middleware refuses a call on purpose; it is a decision, not a fault."""

    def __init__(self, reason: str = "", detail: dict[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail: dict[str, Any] = deep_freeze(detail or {})


class EgressDenied(AgentkitError, PermissionError):
    """A guard refuses an address that a tool was about to reach, or was led to by a redirect.

    Before the tool ran nothing was sent; after a redirect, what came from there is withheld.
    """


class Stuck(AgentkitError):
    """An attempt failed in a way that an earlier attempt already had; `failure` is the repeat."""

    def __init__(self, failure: "Failure") -> None:
        super().__init__(failure)
        self.failure = failure

    def __str__(self) -> str:
        return self.failure.message


class OutcomeUnknown(AgentkitError):
    """A side effect was begun and its outcome never recorded: it may or may not have happened."""

    def __init__(self, message: str = "", *, key: str = "") -> None:
        super().__init__(message)
        self.key = key


class RunUnfinished(AgentkitError):
    """The run has a checkpoint that is not terminal: resume it, or start under another id."""

    def __init__(self, message: str = "", *, run_id: str = "", status: str = "") -> None:
        super().__init__(message)
        self.run_id = run_id
        self.status = status


class ApprovalUnavailable(AgentkitError):
    """A tool call needs a decision and there is neither anyone to ask nor a way to wait."""

    def __init__(self, message: str = "", *, tool_name: str = "") -> None:
        super().__init__(message)
        self.tool_name = tool_name
