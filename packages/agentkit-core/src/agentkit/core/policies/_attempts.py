"""The attempts of one call: which failure allows another, and after what wait."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from agentkit.core.contracts.errors import CircuitOpen, ErrorClass
from agentkit.core.contracts.errors._facts import had_output, retry_after_of, words_of
from agentkit.core.contracts.middleware import Call
from agentkit.core.execution import CircuitBreaker, backoff_delay
from agentkit.core.policies._calls import (
    clock_of,
    has_side_effects,
    note,
    records_content,
    stopping_with,
)
from agentkit.core.policies._passage import Passage

__all__ = ["Attempts", "Rules"]

_TEXT_CAP = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What `retry()` was told."""

    breaker: CircuitBreaker | None
    max_attempts: int
    classify_fn: Callable[[BaseException], ErrorClass]
    sleep: Callable[[float], Awaitable[None]] | None
    deadline_s: float | None
    retry_unknown: bool
    allow_side_effects: bool


class Attempts:
    """The attempts of one call."""

    def __init__(self, rules: Rules, call: Call) -> None:
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
        wait = max(backoff_delay(self._count), retry_after_of(exc))
        if self._too_late(wait):
            return None
        self._last = exc
        return wait

    async def pause(self, wait: float) -> None:
        """Wait before the next attempt, saying why."""
        note(self._call, "retry.attempt", **self._facts(wait))
        sleep = self._rules.sleep or self._clock.sleep
        with stopping_with(self._call):
            await sleep(wait)

    def _facts(self, wait: float) -> dict[str, Any]:
        told = {
            "attempt": self._count + 1,
            "last_error_type": type(self._last).__name__,
            "backoff_ms": round(wait * 1000),
        }
        if records_content(self._call):  # providers quote prompts in their errors
            told["last_error_message"] = words_of(self._last)[:_TEXT_CAP] if self._last else ""
        return told

    def _may_repeat(self, exc: BaseException, verdict: ErrorClass | None) -> bool:
        if self.output_started or had_output(exc):
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
