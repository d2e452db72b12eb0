"""Backoff, the breaker, and the loop that uses both."""

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled, CircuitOpen, ErrorClass, ProviderError
from agentkit.core.execution import CircuitBreaker, backoff_delay, run_with_resilience


class _Most:
    """Draws the highest number there is."""

    def uniform(self, a: float, b: float) -> float:
        return max(a, b)


class _Clock:
    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


class _Script:
    """Raises one error after the other, then gives `done`."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.calls = 0

    async def __call__(self) -> str:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def _run(fn: Callable[[], Awaitable[Any]], clock: _Clock | None = None, **options: Any) -> Any:
    clock = clock or _Clock()
    options = {"sleep": clock.sleep, "clock": clock.now, "rng": _Most(), **options}
    return asyncio.run(run_with_resilience(fn, **options))


@pytest.mark.parametrize(
    ("attempt", "most"),
    [(1, 0.5), (2, 1.0), (4, 4.0), (7, 30.0), (10**9, 30.0)],
    ids=["first", "second", "fourth", "capped", "enormous"],
)
def test_the_wait_doubles_up_to_the_cap(attempt: int, most: float) -> None:
    assert backoff_delay(attempt, rng=_Most()) == most


def test_the_jitter_is_full() -> None:
    drawn = [backoff_delay(5, rng=random.Random(n)) for n in range(200)]  # noqa: S311 - no secret

    assert min(drawn) < 0.5
    assert 7.5 < max(drawn) <= 8.0


@pytest.mark.parametrize("attempt", [True, 1.0, "1", None])
def test_an_attempt_is_a_whole_number(attempt: Any) -> None:
    with pytest.raises(TypeError, match="attempt is a whole number"):
        backoff_delay(attempt)


@pytest.mark.parametrize(
    "options",
    [{"base": -1.0}, {"cap": float("nan")}, {"cap": float("inf")}],
    ids=["negative", "nan", "infinite"],
)
def test_a_wait_has_finite_bounds(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="finite number of seconds, 0 or more"):
        backoff_delay(1, **options)


def test_the_longest_wait_there_is_is_a_wait() -> None:
    assert backoff_delay(1, base=sys.float_info.max, cap=sys.float_info.max, rng=_Most()) > 0


def test_attempts_count_from_one() -> None:
    with pytest.raises(ValueError, match="attempt is 1 or more; got 0"):
        backoff_delay(0)


def _breaker(clock: _Clock | None = None, **options: Any) -> CircuitBreaker:
    return CircuitBreaker(
        "api", fail_threshold=2, cooldown=10.0, clock=(clock or _Clock()).now, **options
    )


def test_a_new_breaker_lets_everything_in() -> None:
    breaker = _breaker()

    assert (breaker.state, breaker.allow(), breaker.allow()) == ("closed", True, True)


def test_a_breaker_opens_at_five_failures_for_fifteen_seconds_unless_told() -> None:
    clock = _Clock()
    breaker = CircuitBreaker(clock=clock.now)
    for _ in range(4):
        breaker.record_failure()
    before = repr(breaker)
    breaker.record_failure()
    clock.time = 14.9

    assert (before, breaker.allow()) == ("<CircuitBreaker '' closed>", False)
    clock.time = 15.0
    assert breaker.allow()


def test_enough_failures_in_a_row_open_it() -> None:
    breaker = _breaker()
    error = TimeoutError("slow")

    breaker.record_failure()
    breaker.record_failure(error)
    assert (breaker.state, breaker.allow(), breaker.last_error) == ("open", False, error)


def test_a_success_in_between_starts_the_count_again() -> None:
    breaker = _breaker()

    breaker.record_failure()
    breaker.record_success()
    breaker.record_failure()
    assert breaker.state == "closed"


def _opened(clock: _Clock) -> CircuitBreaker:
    breaker = _breaker(clock)
    breaker.record_failure()
    breaker.record_failure()
    return breaker


def _half_open(clock: _Clock) -> CircuitBreaker:
    breaker = _opened(clock)
    clock.time += 10
    breaker.allow()
    return breaker


def test_after_the_cooldown_exactly_one_probe_goes_in() -> None:
    clock = _Clock()
    breaker = _opened(clock)
    clock.time += 10

    assert [breaker.allow(), breaker.allow(), breaker.allow()] == [True, False, False]


def test_a_probe_that_succeeds_closes_it() -> None:
    breaker = _half_open(_Clock())

    breaker.record_success()
    assert (breaker.state, breaker.last_error) == ("closed", None)


def test_a_probe_that_fails_opens_it_for_another_cooldown() -> None:
    clock = _Clock()
    breaker = _half_open(clock)
    breaker.record_failure()

    clock.time += 9
    assert (breaker.state, breaker.allow()) == ("open", False)


def test_a_probe_needs_no_more_than_one_failure_to_open_it() -> None:
    breaker = _breaker(state="half_open")

    breaker.record_failure()
    assert breaker.state == "open"


def test_a_released_probe_lets_the_next_one_in_at_once() -> None:
    breaker = _half_open(_Clock())

    breaker.release_probe()
    assert (breaker.state, breaker.allow()) == ("open", True)


def test_a_probe_that_never_says_how_it_ended_counts_as_lost() -> None:
    clock = _Clock()
    breaker = _half_open(clock)

    clock.time += 10
    assert [breaker.allow(), breaker.allow()] == [True, False]


def test_stragglers_do_not_touch_an_open_breaker() -> None:
    clock = _Clock()
    breaker = _opened(clock)
    clock.time += 5
    breaker.record_success()
    breaker.record_failure()

    clock.time += 5
    assert (breaker.state, breaker.allow()) == ("open", True)


def test_releasing_a_closed_breaker_changes_nothing() -> None:
    breaker = _breaker()

    breaker.release_probe()
    assert breaker.state == "closed"


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"fail_threshold": 0}, ValueError, "fail_threshold is 1 or more; got 0"),
        ({"fail_threshold": True}, TypeError, "fail_threshold is a whole number; got True"),
        ({"cooldown": -1}, ValueError, "cooldown is a finite number"),
        ({"state": "ajar"}, ValueError, "state is closed, open or half_open; got 'ajar'"),
    ],
    ids=["zero", "bool", "negative", "state"],
)
def test_a_breaker_refuses_bad_options(
    options: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        CircuitBreaker("api", **options)


def test_the_representation_of_a_breaker_has_its_state() -> None:
    assert repr(_breaker()) == "<CircuitBreaker 'api' closed>"


def test_a_transient_failure_is_called_again_after_a_wait() -> None:
    script, clock = _Script(TimeoutError("slow"), TimeoutError("slow")), _Clock()

    assert _run(script, clock) == "done"
    assert (script.calls, clock.slept) == (3, [0.5, 1.0])


@pytest.mark.parametrize(
    "exc", [ProviderError("no", status=401), ValueError("odd")], ids=["permanent", "unknown"]
)
def test_what_is_not_transient_is_not_called_again(exc: Exception) -> None:
    script = _Script(exc)

    with pytest.raises(type(exc), match=str(exc)):
        _run(script)
    assert script.calls == 1


def test_an_unknown_failure_is_called_again_on_request() -> None:
    script = _Script(ValueError("odd"))

    assert _run(script, retry_unknown=True) == "done"


def test_the_last_failure_leaves_when_the_attempts_are_spent() -> None:
    script = _Script(TimeoutError("1"), TimeoutError("2"), TimeoutError("3"))

    with pytest.raises(TimeoutError, match="3"):
        _run(script)
    assert script.calls == 3


def test_retry_after_is_waited_for() -> None:
    clock = _Clock()

    _run(_Script(ProviderError("busy", status=429, retry_after=7.0)), clock)
    assert clock.slept == [7.0]


@pytest.mark.parametrize("told", [float("nan"), float("inf"), -3.0, 10**400, None])
def test_a_retry_after_that_is_no_time_is_ignored(told: float | None) -> None:
    clock = _Clock()

    _run(_Script(ProviderError("busy", status=429, retry_after=told)), clock)
    assert clock.slept == [0.5]


def test_output_that_has_started_is_never_asked_for_again() -> None:
    script = _Script(ProviderError("cut", status=503, output_started=True))

    with pytest.raises(ProviderError, match="cut"):
        _run(script)
    assert script.calls == 1


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    clock = _Clock()

    with pytest.raises(ProviderError, match="busy"):
        _run(_Script(ProviderError("busy", status=429, retry_after=7.0)), clock, deadline_s=5.0)
    assert clock.slept == []


def test_a_wait_that_ends_with_the_deadline_is_begun() -> None:
    clock = _Clock()

    assert _run(_Script(TimeoutError("slow")), clock, deadline_s=0.5) == "done"
    assert clock.slept == [0.5]


def test_no_time_at_all_is_enough_for_one_attempt() -> None:
    script = _Script(TimeoutError("slow"))

    with pytest.raises(TimeoutError, match="slow"):
        _run(script, deadline_s=0)
    assert script.calls == 1


def _passes(_: BaseException) -> ErrorClass:
    return ErrorClass.TRANSIENT


@pytest.mark.parametrize(
    "exc",
    [Cancelled("stop"), ExceptionGroup("g", [Cancelled("stop")])],
    ids=["itself", "group"],
)
def test_a_cancellation_passes_whatever_a_classifier_makes_of_it(exc: Exception) -> None:
    script = _Script(exc)

    with pytest.raises(type(exc)) as caught:
        _run(script, classify_fn=_passes)
    assert (caught.value, script.calls) == (exc, 1)


@pytest.mark.parametrize(
    "exc",
    [Cancelled("stop"), asyncio.CancelledError(), ExceptionGroup("g", [Cancelled("stop")])],
    ids=["Cancelled", "CancelledError", "group"],
)
def test_a_cancellation_passes_and_frees_the_probe(exc: BaseException) -> None:
    clock = _Clock()
    breaker = _opened(clock)
    clock.time += 10

    with pytest.raises(type(exc)):
        _run(_Script(exc), clock, breaker=breaker)
    assert (breaker.state, breaker.allow()) == ("open", True)


def test_a_permanent_failure_does_not_count_and_frees_the_probe() -> None:
    clock = _Clock()
    breaker = _opened(clock)
    clock.time += 10

    with pytest.raises(ProviderError):
        _run(_Script(ProviderError("no", status=400)), clock, breaker=breaker)
    assert breaker.allow()


def test_failures_open_the_breaker_and_it_refuses_with_its_cause() -> None:
    script = _Script(TimeoutError("1"), TimeoutError("2"))

    with pytest.raises(CircuitOpen, match="circuit open: api") as caught:
        _run(script, breaker=_breaker())
    assert str(caught.value.__cause__) == "2"


def test_a_breaker_is_told_what_failed() -> None:
    breaker, error = _breaker(), TimeoutError("slow")

    with pytest.raises(TimeoutError, match="slow"):
        _run(_Script(error), breaker=breaker, max_attempts=1)
    assert breaker.last_error is error


def test_the_cause_of_a_refusal_is_the_calls_own_failure_and_not_a_later_one_of_others() -> None:
    breaker = _breaker()

    async def others_fail(_: float) -> None:
        breaker.record_failure(OSError("theirs"))

    with pytest.raises(CircuitOpen) as caught:
        _run(_Script(TimeoutError("mine")), breaker=breaker, sleep=others_fail)
    assert str(caught.value.__cause__) == "mine"


def test_an_open_breaker_refuses_before_the_call_and_says_what_opened_it() -> None:
    script, breaker = _Script(), _breaker()
    breaker.record_failure()
    breaker.record_failure(OSError("theirs"))

    with pytest.raises(CircuitOpen, match="circuit open: api") as caught:
        _run(script, breaker=breaker)
    assert (script.calls, str(caught.value.__cause__)) == (0, "theirs")


def test_a_success_closes_a_half_open_breaker() -> None:
    clock = _Clock()
    breaker = _opened(clock)
    clock.time += 10

    _run(_Script(), clock, breaker=breaker)
    assert breaker.state == "closed"


def test_another_breakers_refusal_is_no_failure() -> None:
    breaker = _breaker()

    with pytest.raises(CircuitOpen, match="inner"):
        _run(_Script(CircuitOpen("inner")), breaker=breaker)
    assert breaker.last_error is None


def test_a_classifier_that_fails_frees_the_probe() -> None:
    def broken(_: BaseException) -> ErrorClass:
        raise LookupError("classifier")

    clock = _Clock()
    breaker = _half_open(clock)
    clock.time += 10
    with pytest.raises(LookupError, match="classifier"):
        _run(_Script(TimeoutError()), clock, breaker=breaker, classify_fn=broken)
    assert breaker.allow()


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"max_attempts": 0}, ValueError, "max_attempts is 1 or more; got 0"),
        ({"max_attempts": 1.5}, TypeError, r"max_attempts is a whole number; got 1\.5"),
        ({"deadline_s": -1.0}, ValueError, r"0 or more; got -1\.0"),
        ({"deadline_s": float("nan")}, ValueError, "0 or more; got nan"),
    ],
    ids=["zero", "float", "negative", "nan"],
)
def test_the_loop_refuses_bad_options_before_the_call(
    options: dict[str, Any], error: type[Exception], match: str
) -> None:
    script = _Script()

    with pytest.raises(error, match=match):
        _run(script, **options)
    assert script.calls == 0


def test_without_options_it_waits_on_the_loop() -> None:
    assert asyncio.run(run_with_resilience(_Script())) == "done"


@pytest.mark.parametrize("wrong", [{"breaker": 5}, {"classify_fn": None}, {"deadline_s": "1"}])
def test_what_cannot_guide_an_attempt_is_refused_before_it(wrong: dict[str, Any]) -> None:
    ran: list[str] = []

    async def fn() -> None:
        ran.append("ran")

    with pytest.raises(TypeError, match=f"^{next(iter(wrong))} is a"):
        asyncio.run(run_with_resilience(fn, **wrong))
    assert not ran
