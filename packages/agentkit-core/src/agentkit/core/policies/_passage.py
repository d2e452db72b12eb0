"""A call's passage through a circuit breaker, resolved on every exit."""

from collections.abc import Callable

from agentkit.core.contracts.errors import CircuitOpen, ErrorClass
from agentkit.core.execution import CircuitBreaker
from agentkit.core.execution.cancellation import sole_cancellation

__all__ = ["Passage"]


class Passage:
    """One attempt at passing a breaker; without one everything passes.

    Whoever was allowed in must say how it ended: a half-open breaker lets nobody else in before.
    """

    __slots__ = ("_breaker",)

    def __init__(self, breaker: CircuitBreaker | None) -> None:
        self._breaker = breaker

    def is_open(self) -> bool:
        """Tell whether a call may go in now; it then has to end in one of the two below."""
        return self._breaker is None or self._breaker.allow()

    def refusal(self) -> CircuitOpen:
        """Give the error for a call that may not go in, caused by what opened the breaker."""
        error = CircuitOpen(f"circuit open: {'' if self._breaker is None else self._breaker.name}")
        error.__cause__ = None if self._breaker is None else self._breaker.last_error
        return error

    def succeeded(self) -> None:
        """Say that the call ended well."""
        if self._breaker is not None:
            self._breaker.record_success()

    def failed(
        self, exc: BaseException, classify_fn: Callable[[BaseException], ErrorClass]
    ) -> ErrorClass | None:
        """Say that the call ended with *exc* and give its class; None for what is no failure.

        An abort is no failure, nor is another breaker's refusal; a permanent failure says nothing
        about the health of the other side. None of them counts.
        """
        verdict: ErrorClass | None = None
        try:
            if isinstance(exc, Exception) and sole_cancellation(exc) is None:
                verdict = classify_fn(exc)
        finally:
            self._tell(exc, counts=verdict in {ErrorClass.TRANSIENT, ErrorClass.UNKNOWN})
        return verdict

    def _tell(self, exc: BaseException, *, counts: bool) -> None:
        if self._breaker is None:
            return
        if counts and not isinstance(exc, CircuitOpen):
            self._breaker.record_failure(exc)
        else:
            self._breaker.release_probe()
