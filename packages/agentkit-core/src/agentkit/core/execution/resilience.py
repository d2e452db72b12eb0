"""Calling again what failed for a reason that may pass: backoff, circuit breaker, the loop.

`classify`, `ErrorClass` and `Failure` are re-exported from `agentkit.core.contracts.errors`.
"""

import asyncio
import math
import random
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from agentkit.core.contracts._checks import shown
from agentkit.core.contracts.errors import (
    CircuitOpen,
    ErrorClass,
    Failure,
    classify,
    compose_failures,
)
from agentkit.core.contracts.errors._facts import had_output, retry_after_of
from agentkit.core.execution._checks import check_count, check_seconds
from agentkit.core.execution.cancellation import sole_cancellation
from agentkit.core.serialization._kinds import is_a

__all__ = [
    "BreakerState",
    "CircuitBreaker",
    "ErrorClass",
    "Failure",
    "backoff_delay",
    "classify",
    "compose_failures",
    "run_with_resilience",
]

R = TypeVar("R")

BreakerState = Literal["closed", "open", "half_open"]
_LARGEST_EXPONENT = 1023  # beyond it 2.0**n is an OverflowError


class _Uniform(Protocol):
    """What draws the jitter: the module `random`, a `random.Random`, or a double."""

    def uniform(self, a: float, b: float, /) -> float: ...


def backoff_delay(
    attempt: int, *, base: float = 0.5, cap: float = 30.0, rng: _Uniform = random
) -> float:
    """Give the seconds to wait after failed *attempt*, counted from 1: doubling, full jitter.

    Raises:
        TypeError: *attempt* is no whole number, or *base* or *cap* no number.
        ValueError: *attempt* is less than 1, or *base* or *cap* is negative or not finite.

    """
    check_count("attempt", attempt, at_least=1)
    for name, seconds in (("base", base), ("cap", cap)):
        check_seconds(name, seconds)
    return rng.uniform(0.0, min(cap, base * 2.0 ** min(attempt - 1, _LARGEST_EXPONENT)))


class CircuitBreaker:
    """Stops calling what keeps failing, and lets one call in now and then to see.

    *fail_threshold* failures in a row open it. After *cooldown* seconds one probe is let in
    (`half_open`): its success closes the breaker, its failure opens it for another cooldown.
    Whoever is allowed in says how it ended with exactly one of `record_success`, `record_failure`
    and `release_probe`; a probe that never does counts as lost after one more cooldown. Safe
    between threads.

    Raises:
        TypeError: *fail_threshold* is no whole number, or another argument of another type.
        ValueError: *fail_threshold* is less than 1, *cooldown* is negative or not finite, or
            *state* is none of the three.

    """

    def __init__(
        self,
        name: str = "",
        *,
        fail_threshold: int = 5,
        cooldown: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
        state: BreakerState = "closed",
    ) -> None:
        check_count("fail_threshold", fail_threshold, at_least=1)
        check_seconds("cooldown", cooldown)
        if not is_a(name, str):
            raise TypeError(f"name is text; got {shown(name)}")
        if not callable(clock):
            raise TypeError(f"clock is a function; got {shown(clock)}")
        if state not in {"closed", "open", "half_open"}:
            raise ValueError(f"state is closed, open or half_open; got {state!r}")
        self.name = name
        self.fail_threshold = fail_threshold
        self.cooldown = cooldown
        self._clock = clock
        self._lock = threading.Lock()
        self._state: BreakerState = state
        self._failures = 0
        self._since = clock()
        self._last_error: BaseException | None = None

    def __repr__(self) -> str:
        return f"<CircuitBreaker {self.name!r} {self._state}>"

    @property
    def state(self) -> BreakerState:
        """Whether calls pass (`closed`), none do (`open`), or a probe is out (`half_open`)."""
        return self._state

    @property
    def last_error(self) -> BaseException | None:
        """The latest failure since the last success."""
        return self._last_error

    def allow(self) -> bool:
        """Whether a call may go in now; one that may has to say how it ended."""
        with self._lock:
            if self._state == "closed":
                return True
            if self._clock() - self._since < self.cooldown:
                return False
            self._state = "half_open"
            self._since = self._clock()
            return True

    def record_success(self) -> None:
        """Say that a call ended well: this closes a half-open breaker.

        On an open one it is a straggler from before, and changes nothing.
        """
        with self._lock:
            if self._state == "open":
                return
            self._state = "closed"
            self._failures = 0
            self._last_error = None

    def record_failure(self, exc: BaseException | None = None) -> None:
        """Say that a call failed; enough of them in a row, or a failed probe, open the breaker.

        On an open one it is a straggler from before, and does not prolong the cooldown.
        """
        with self._lock:
            if exc is not None:
                self._last_error = exc
            if self._state == "open":
                return
            self._failures += 1
            if self._state == "half_open" or self._failures >= self.fail_threshold:
                self._state = "open"
                self._since = self._clock()

    def release_probe(self) -> None:
        """Say that a call ended without telling anything: the next caller may probe instead."""
        with self._lock:
            if self._state == "half_open":
                self._state = "open"
                self._since = self._clock() - self.cooldown


@dataclass(frozen=True, slots=True)
class _Rules:
    """What `run_with_resilience` was told."""

    breaker: CircuitBreaker | None
    max_attempts: int
    classify_fn: Callable[[BaseException], ErrorClass]
    rng: _Uniform
    retry_unknown: bool
    ends_at: float
    clock: Callable[[], float]


async def run_with_resilience(  # noqa: PLR0913 - the specification's six, and three of ours
    fn: Callable[[], Awaitable[R]],
    *,
    breaker: CircuitBreaker | None = None,
    max_attempts: int = 3,
    classify_fn: Callable[[BaseException], ErrorClass] = classify,
    sleep: Callable[[float], Awaitable[object]] | None = None,
    rng: _Uniform = random,
    retry_unknown: bool = False,
    deadline_s: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> R:
    """Give what *fn* gives, calling it again after a failure that may pass.

    A transient failure is retried; an unknown one with *retry_unknown* only; a permanent one, or
    one whose output had started, never. The wait is `backoff_delay`, at least the failure's
    `retry_after`; a wait that would end after *deadline_s* seconds is not begun, and the failure
    leaves. A cancellation passes at once. Transient and unknown failures count against *breaker*.

    Raises:
        CircuitOpen: The breaker lets no call in; its cause is the latest failure.
        TypeError: *max_attempts* is no whole number, or another argument of another type.
        ValueError: *max_attempts* is less than 1, or *deadline_s* is negative.

    """
    check_count("max_attempts", max_attempts, at_least=1)
    _check_guides(breaker, classify_fn)
    ends_at = math.inf if deadline_s is None else clock() + _checked_deadline(deadline_s)
    rules = _Rules(breaker, max_attempts, classify_fn, rng, retry_unknown, ends_at, clock)
    attempt = 1
    failure: BaseException | None = None
    while True:
        _enter(breaker, failure)
        try:
            result = await fn()
        except BaseException as exc:
            failure = exc
            wait = _wait_after(exc, attempt, rules)  # the breaker is told of every exit
            if wait is None:
                raise
        else:
            if breaker is not None:
                breaker.record_success()
            return result
        await (sleep or asyncio.sleep)(wait)
        attempt += 1


def _check_guides(breaker: object, classify_fn: object) -> None:
    if breaker is not None and not hasattr(breaker, "allow"):
        raise TypeError(f"breaker is a CircuitBreaker or None; got {shown(breaker)}")
    if not callable(classify_fn):
        raise TypeError(f"classify_fn is a function; got {shown(classify_fn)}")


def _checked_deadline(seconds: Any) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"deadline_s is a number of seconds; got {shown(seconds)}")
    if not seconds >= 0:
        raise ValueError(f"deadline_s is a number of seconds, 0 or more; got {seconds!r}")
    return seconds


def _enter(breaker: CircuitBreaker | None, failure: BaseException | None) -> None:
    if breaker is not None and not breaker.allow():
        raise CircuitOpen(f"circuit open: {breaker.name}") from (failure or breaker.last_error)


def _wait_after(exc: BaseException, attempt: int, rules: _Rules) -> float | None:
    """Tell the breaker of *exc*, and give the seconds until the next attempt, or None for none."""
    verdict = _verdict(exc, rules)
    passes = verdict is ErrorClass.TRANSIENT
    passes = passes or (rules.retry_unknown and verdict is ErrorClass.UNKNOWN)
    if not passes or attempt >= rules.max_attempts or had_output(exc):
        return None
    wait = max(backoff_delay(attempt, rng=rules.rng), retry_after_of(exc))
    return wait if rules.clock() + wait <= rules.ends_at else None


def _verdict(exc: BaseException, rules: _Rules) -> ErrorClass | None:
    """Give the class of *exc*, None for what is no failure of the call, and tell the breaker."""
    verdict: ErrorClass | None = None
    try:
        refused = isinstance(exc, CircuitOpen) or sole_cancellation(exc) is not None
        if isinstance(exc, Exception) and not refused:
            verdict = rules.classify_fn(exc)
    finally:
        if rules.breaker is not None and verdict in {ErrorClass.TRANSIENT, ErrorClass.UNKNOWN}:
            rules.breaker.record_failure(exc)
        elif rules.breaker is not None:
            rules.breaker.release_probe()
    return verdict
