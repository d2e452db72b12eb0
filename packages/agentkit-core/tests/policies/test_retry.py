"""What is tried again, when, and what never is."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from agentkit.core.contracts.errors import (
    Cancelled,
    CircuitOpen,
    ErrorClass,
    MeterExceeded,
    ProviderError,
)
from agentkit.core.contracts.middleware import Call, Handler
from agentkit.core.contracts.types import Delta
from agentkit.core.execution import CancellationToken, CircuitBreaker
from agentkit.core.policies import retry, tracing
from agentkit.core.testing import FakeClock, FakeTool, RecordingTracer, make_test_ctx

from .drive import ANSWER, Terminal, chat, leave, run, text_of, tool

TRANSIENT = ProviderError("busy", error_class=ErrorClass.TRANSIENT)


def test_a_transient_failure_is_tried_again_and_counted() -> None:
    call = chat()
    end = Terminal([TRANSIENT], [TimeoutError()], ANSWER)

    assert text_of(run(retry(), end, call)) == "Hello, world"
    assert call.meta["attempts"] == end.calls == end.closed == 3


def test_the_last_failure_leaves_when_the_attempts_are_spent() -> None:
    end = Terminal([TRANSIENT])

    with pytest.raises(ProviderError, match="busy"):
        run(retry(max_attempts=2), end, chat())
    assert end.calls == 2


@pytest.mark.parametrize(
    "failure",
    [
        ProviderError("bad key", error_class=ErrorClass.PERMANENT),
        MeterExceeded("no money"),
        ValueError("unknown"),
        Cancelled("enough"),
        CircuitOpen("another's breaker"),
        ProviderError("cut", error_class=ErrorClass.TRANSIENT, output_started=True),
    ],
    ids=repr,
)
def test_what_repeating_does_not_help_leaves_at_once(failure: Exception) -> None:
    end = Terminal([failure], ANSWER)

    with pytest.raises(type(failure), match=str(failure)):
        run(retry(), end, chat())
    assert end.calls == 1


def test_an_unknown_failure_is_tried_again_where_that_is_asked_for() -> None:
    end = Terminal([ValueError("odd")], ANSWER)

    assert text_of(run(retry(retry_unknown=True), end, chat())) == "Hello, world"


def test_what_the_caller_has_seen_is_never_sent_again() -> None:
    end = Terminal([Delta("par"), TRANSIENT], ANSWER)

    with pytest.raises(ProviderError, match="busy"):
        run(retry(), end, chat())
    assert end.calls == 1


def test_an_empty_stream_is_a_success() -> None:
    assert run(retry(), Terminal([]), chat()) == []


def test_each_attempt_begins_with_the_request_as_it_was() -> None:
    end = Terminal([TRANSIENT], ANSWER)

    async def marking(call: Call, nxt: Handler) -> AsyncIterator[Any]:
        call.request = replace(call.request, model=f"{call.request.model}+")
        async for item in nxt(call):
            yield item

    run([retry(), marking], end, chat(model="m"))
    assert [request.model for request in end.requests] == ["m+", "m+"]


def test_the_wait_is_at_least_what_the_provider_asks_for() -> None:
    clock = FakeClock()
    asked = ProviderError("busy", error_class=ErrorClass.TRANSIENT, retry_after=42.0)
    run(retry(), Terminal([asked], ANSWER), chat(ctx=make_test_ctx(clock=clock)))

    assert clock.sleeps == [42.0]


@pytest.mark.parametrize("nonsense", [float("nan"), float("inf"), -1, "soon", True])
def test_a_nonsensical_retry_after_is_not_waited_for(nonsense: Any) -> None:
    clock = FakeClock()
    asked = ProviderError("busy", error_class=ErrorClass.TRANSIENT, retry_after=nonsense)
    run(retry(), Terminal([asked], ANSWER), chat(ctx=make_test_ctx(clock=clock)))

    assert clock.sleeps[0] <= 0.5


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    clock = FakeClock()
    asked = ProviderError("busy", error_class=ErrorClass.TRANSIENT, retry_after=11.0)

    with pytest.raises(ProviderError, match="busy"):
        run(retry(deadline_s=10), Terminal([asked]), chat(ctx=make_test_ctx(clock=clock)))
    assert clock.sleeps == []


def test_the_deadline_counts_from_the_first_attempt() -> None:
    clock = FakeClock()
    asked = ProviderError("busy", error_class=ErrorClass.TRANSIENT, retry_after=4.0)
    end = Terminal([asked])

    with pytest.raises(ProviderError, match="busy"):
        run(retry(deadline_s=10, max_attempts=9), end, chat(ctx=make_test_ctx(clock=clock)))
    assert end.calls == 3


def test_a_sleep_of_the_callers_own_replaces_the_clock() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    run(retry(sleep=sleep), Terminal([TRANSIENT], ANSWER), chat())
    assert len(slept) == 1


def test_a_cancelled_run_does_not_wait_for_its_next_attempt() -> None:
    token = CancellationToken()
    ctx = make_test_ctx(cancel=token, clock=FakeClock())
    end = Terminal([TRANSIENT], ANSWER)

    async def cancel_then_hang(_: float) -> None:
        token.cancel("enough")
        await asyncio.Event().wait()

    with pytest.raises(Cancelled, match="enough"):
        run(retry(sleep=cancel_then_hang), end, chat(ctx=ctx))
    assert end.calls == 1


def test_why_it_is_tried_again_is_noted_on_the_span() -> None:
    ctx = make_test_ctx(trace=RecordingTracer(), clock=FakeClock())
    asked = ProviderError("x" * 600, error_class=ErrorClass.TRANSIENT, retry_after=2.0)
    run([tracing(), retry()], Terminal([asked], ANSWER), chat(ctx=ctx))

    (fields,) = [told for name, told in ctx.trace.spans[0].events if name == "retry.attempt"]  # type: ignore[attr-defined]
    assert fields == {
        "attempt": 2,
        "last_error_type": "ProviderError",
        "last_error_message": "x" * 500,
        "backoff_ms": 2000,
    }


@pytest.mark.parametrize(
    ("double", "calls"),
    [
        (FakeTool("pay", side_effecting=True), 1),
        (FakeTool("pay", side_effecting=True, idempotent=True), 2),
        (FakeTool("look"), 2),
    ],
    ids=["once only", "declared idempotent", "reads only"],
)
def test_a_side_effect_is_not_repeated_unless_it_may_be(double: FakeTool, calls: int) -> None:
    end = Terminal([TimeoutError("slow")])

    with pytest.raises(TimeoutError, match="slow"):
        run(retry(max_attempts=2), end, tool(double))
    assert end.calls == calls


def test_a_side_effect_is_repeated_where_that_is_asked_for() -> None:
    end = Terminal([TimeoutError()], [1])
    double = FakeTool("pay", side_effecting=True)

    assert run(retry(allow_side_effects=True), end, tool(double)) == [1]


def test_a_tool_that_does_not_say_what_it_does_is_not_repeated() -> None:
    class Foreign:
        name = "foreign"

    with pytest.raises(TimeoutError, match="slow"):
        run(retry(), Terminal([TimeoutError("slow")], [1]), tool(Foreign()))


@pytest.mark.parametrize("attempts", [0, -1, True, 1.5, "3"])
def test_a_number_of_attempts_is_checked(attempts: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="max_attempts"):
        retry(max_attempts=attempts)


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_a_deadline_is_checked(seconds: float) -> None:
    with pytest.raises(ValueError, match="deadline_s"):
        retry(deadline_s=seconds)


def half_open() -> CircuitBreaker:
    return CircuitBreaker("b", state="open", cooldown=0.0)


def test_an_open_breaker_refuses_and_names_itself() -> None:
    breaker = CircuitBreaker("b", state="open", cooldown=9.0, clock=lambda: 0.0)
    end = Terminal()

    with pytest.raises(CircuitOpen, match="circuit open: b"):
        run(retry(breaker=breaker), end, chat())
    assert end.calls == 0


def test_a_breaker_that_opens_between_attempts_says_what_opened_it() -> None:
    breaker = CircuitBreaker("b", fail_threshold=1, clock=lambda: 0.0)

    with pytest.raises(CircuitOpen, match="b") as caught:
        run(retry(breaker=breaker), Terminal([TRANSIENT]), chat())
    assert caught.value.__cause__ is TRANSIENT


def test_a_success_closes_the_breaker() -> None:
    breaker = half_open()
    run(retry(breaker=breaker), Terminal(), chat())

    assert breaker.state == "closed"


@pytest.mark.parametrize(
    "failure",
    [
        Cancelled("enough"),
        asyncio.CancelledError(),
        ProviderError("bad key", error_class=ErrorClass.PERMANENT),
        CircuitOpen("another's"),
    ],
    ids=repr,
)
def test_what_tells_nothing_about_the_other_side_releases_the_probe(
    failure: BaseException,
) -> None:
    breaker = half_open()
    with pytest.raises(type(failure)):
        run(retry(breaker=breaker), Terminal([failure]), chat())

    assert breaker.state == "open"
    assert breaker.last_error is None
    assert breaker.allow()


def test_leaving_early_releases_the_probe() -> None:
    breaker = half_open()
    leave(retry(breaker=breaker), Terminal(), chat())

    assert breaker.state == "open"
    assert breaker.allow()


def test_a_classifier_that_fails_releases_the_probe() -> None:
    def broken(_: BaseException) -> ErrorClass:
        raise KeyError("oops")

    breaker = half_open()
    with pytest.raises(KeyError, match="oops"):
        run(retry(breaker=breaker, classify_fn=broken), Terminal([TRANSIENT]), chat())
    assert breaker.state == "open"


def test_a_failure_in_the_middle_counts_against_the_breaker() -> None:
    breaker = CircuitBreaker("b", fail_threshold=1)

    with pytest.raises(ProviderError, match="busy"):
        run(retry(breaker=breaker), Terminal([Delta("par"), TRANSIENT]), chat())
    assert breaker.state == "open"
