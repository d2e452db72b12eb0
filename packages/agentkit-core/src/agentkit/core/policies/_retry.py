"""Retry: call again what failed, before any output, for a reason that may pass."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from agentkit.core.contracts.errors import ErrorClass, classify
from agentkit.core.contracts.middleware import Call, Handler, Middleware
from agentkit.core.contracts.middleware._call import close
from agentkit.core.execution import CircuitBreaker
from agentkit.core.policies._attempts import Attempts, Rules
from agentkit.core.runtime._checks import (
    check_between,
    check_count,
    check_flags,
    check_function,
    check_functions,
    check_has,
)

__all__ = ["retry"]


def retry(
    *,
    breaker: CircuitBreaker | None = None,
    max_attempts: int = 3,
    classify_fn: Callable[[BaseException], ErrorClass] = classify,
    sleep: Callable[[float], Awaitable[None]] | None = None,
    deadline_s: float | None = None,
    retry_unknown: bool = False,
    allow_side_effects: bool = False,
) -> Middleware:
    """Give a middleware that re-invokes what failed for a transient reason.

    Only a failure before the first item is retried: what the caller has seen is never sent again.
    An unrecognised failure is retried with *retry_unknown* only, and a side-effecting tool only
    when it is declared `idempotent`, or with *allow_side_effects*. The wait doubles with full
    jitter, is at least the provider's `retry_after`, and never goes beyond *deadline_s* seconds
    after the first attempt: the failure leaves instead. *sleep* replaces the run's clock.
    `call.meta["attempts"]` counts. An open *breaker* refuses with `CircuitOpen`.

    Raises:
        TypeError: An argument is of another type.
        ValueError: *max_attempts* is less than 1, or *deadline_s* is negative.

    """
    check_count("max_attempts", max_attempts, at_least=1)
    if breaker is not None:
        check_has("breaker", breaker, "allow", "record_failure")
    if deadline_s is not None:
        check_between("deadline_s", deadline_s, low=0)
    check_function("classify_fn", classify_fn)
    check_functions(sleep=sleep)
    check_flags(retry_unknown=retry_unknown, allow_side_effects=allow_side_effects)
    return _Retry(
        Rules(
            breaker=breaker,
            max_attempts=max_attempts,
            classify_fn=classify_fn,
            sleep=sleep,
            deadline_s=deadline_s,
            retry_unknown=retry_unknown,
            allow_side_effects=allow_side_effects,
        )
    )


class _Retry:
    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    async def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        attempts = Attempts(self._rules, call)
        while True:  # noqa: PLR1702 - a stream, closed, tried, again
            attempts.begin()
            try:
                stream = nxt(call)
                try:
                    async for item in stream:
                        attempts.output_started = True
                        yield item
                finally:
                    await close(stream)
            except BaseException as exc:
                wait = attempts.failed(exc)
                if wait is None:
                    raise
            else:
                attempts.succeeded()
                return
            await attempts.pause(wait)
