"""Retry: call again what failed, before any output, for a reason that may pass."""

import math
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from agentkit.core.contracts.errors import CircuitOpen, ErrorClass, classify
from agentkit.core.contracts.middleware import Call, Handler, Middleware, closing
from agentkit.core.execution import CircuitBreaker, backoff_delay
from agentkit.core.execution.cancellation import interrupt_on
from agentkit.core.policies._calls import clock_of, has_side_effects, note
from agentkit.core.policies._passage import Passage

__all__ = ["retry"]

_TEXT_CAP = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    breaker: CircuitBreaker | None
    max_attempts: int
    classify_fn: Callable[[BaseException], ErrorClass]
    sleep: Callable[[float], Awaitable[None]] | None
    deadline_s: float | None
    retry_unknown: bool
    allow_side_effects: bool
    rng: random.Random


def retry(
    *,
    breaker: CircuitBreaker | None = None,
    max_attempts: int = 3,
    classify_fn: Callable[[BaseException], ErrorClass] = classify,
    sleep: Callable[[float], Awaitable[None]] | None = None,
    deadline_s: float | None = None,
    retry_unknown: bool = False,
    allow_side_effects: bool = False,
    rng: random.Random | None = None,
) -> Middleware:
    """Give a middleware that re-invokes what failed for a transient reason.

    Only a failure before the first item is retried: what the caller has seen is never sent again.
    An unrecognised failure is retried with *retry_unknown* only, and a side-effecting tool only
    when it is declared `idempotent`, or with *allow_side_effects*. The wait doubles with full
    jitter, is at least the provider's `retry_after`, and never goes beyond *deadline_s* seconds
    after the first attempt: the failure leaves instead. *sleep* replaces the run's clock.
    `call.meta["attempts"]` counts. An open *breaker* refuses with `CircuitOpen`.

    Raises:
        ValueError: *max_attempts* is no int of one or more, or *deadline_s* is negative.

    """
    if isinstance(max_attempts, bool) or not isinstance(max_attempts, int) or max_attempts < 1:
        raise ValueError(f"max_attempts is an int of 1 or more; got {max_attempts!r}")
    if deadline_s is not None and not deadline_s >= 0:
        raise ValueError(f"deadline_s is a number of seconds, 0 or more; got {deadline_s!r}")
    return _Retry(
        _Rules(
            breaker=breaker,
            max_attempts=max_attempts,
            classify_fn=classify_fn,
            sleep=sleep,
            deadline_s=deadline_s,
            retry_unknown=retry_unknown,
            allow_side_effects=allow_side_effects,
            rng=rng or random.Random(),  # noqa: S311 - jitter is no secret
        )
    )


class _Retry:
    def __init__(self, rules: _Rules) -> None:
        self._rules = rules

    async def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        attempts = _Attempts(self._rules, call)
        while True:  # noqa: PLR1702 - a stream, closed, tried, again
            attempts.begin()
            try:
                async with closing(nxt(call)) as inner:
                    async for item in inner:
                        attempts.output_started = True
                        yield item
            except BaseException as exc:
                wait = attempts.failed(exc)
                if wait is None:
                    raise
            else:
                attempts.succeeded()
                return
            await attempts.pause(wait)


class _Attempts:
    """The attempts of one call."""

    def __init__(self, rules: _Rules, call: Call) -> None:
        self._rules = rules
        self._call = call
        self._passage = Passage(rules.breaker)
        self._request = call.request
        self._clock = clock_of(call)
        self._repeatable = (
            rules.allow_side_effects
            or not has_side_effects(call)
            or getattr(call.request.tool, "idempotent", False) is True
        )
        self._started = self._clock.now() if rules.deadline_s is not None else 0.0
        self._count = 0
        self._last: BaseException | None = None
        self.output_started = False

    def begin(self) -> None:
        """Start the next attempt with the request as it was before any policy below touched it."""
        if not self._passage.is_open():
            refusal = self._passage.refusal()
            raise refusal from self._last or refusal.__cause__
        self._count += 1
        self._call.request = self._request
        self._call.meta["attempts"] = self._count

    def succeeded(self) -> None:
        """Tell the breaker."""
        self._passage.succeeded()

    def failed(self, exc: BaseException) -> float | None:
        """Tell the breaker about *exc*; give the seconds to wait before trying again, or None."""
        verdict = self._passage.failed(exc, self._rules.classify_fn)
        if not self._may_repeat(exc, verdict):
            return None
        wait: float = backoff_delay(self._count, rng=self._rules.rng)
        wait = max(wait, _retry_after(exc))
        if self._too_late(wait):
            return None
        self._last = exc
        return wait

    async def pause(self, wait: float) -> None:
        """Wait before the next attempt, saying why."""
        note(
            self._call,
            "retry.attempt",
            attempt=self._count + 1,
            last_error_type=type(self._last).__name__,
            last_error_message=str(self._last)[:_TEXT_CAP],
            backoff_ms=round(wait * 1000),
        )
        sleep = self._rules.sleep or self._clock.sleep
        with interrupt_on(getattr(self._call.ctx, "cancel", None)):
            await sleep(wait)

    def _may_repeat(self, exc: BaseException, verdict: ErrorClass | None) -> bool:
        if self.output_started or getattr(exc, "output_started", False):
            return False
        if isinstance(exc, CircuitOpen):
            return False  # its cooldown is longer than any backoff
        if self._count >= self._rules.max_attempts or not self._repeatable:
            return False
        wanted = {ErrorClass.TRANSIENT}
        if self._rules.retry_unknown:
            wanted.add(ErrorClass.UNKNOWN)
        return verdict in wanted

    def _too_late(self, wait: float) -> bool:
        limit = self._rules.deadline_s
        return limit is not None and self._clock.now() + wait > self._started + limit


def _retry_after(exc: BaseException) -> float:
    asked = getattr(exc, "retry_after", None)
    if isinstance(asked, (int, float)) and math.isfinite(asked):
        return max(0.0, asked)
    return 0.0
