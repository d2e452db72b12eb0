"""Which model is asked after which failure."""

from typing import Any

import pytest

from agentkit.core.contracts.errors import (
    Cancelled,
    CircuitOpen,
    ErrorClass,
    MeterExceeded,
    ProviderError,
)
from agentkit.core.contracts.types import Delta
from agentkit.core.execution import CircuitBreaker
from agentkit.core.policies import fallback, retry

from .drive import ANSWER, Terminal, chat, leave, run, text_of

BUSY = ProviderError("busy", error_class=ErrorClass.TRANSIENT)


def asked(end: Terminal) -> list[str]:
    return [request.model for request in end.requests]


@pytest.mark.parametrize("failure", [BUSY, ValueError("odd"), CircuitOpen("a")], ids=repr)
def test_the_next_model_is_asked_when_one_fails(failure: Exception) -> None:
    end = Terminal([failure], ANSWER)

    assert text_of(run(fallback(["a", "b", "c"]), end, chat())) == "Hello, world"
    assert asked(end) == ["a", "b"]


def test_afterwards_the_request_names_the_model_it_named_before() -> None:
    call = chat(model="first")
    run(fallback(["a", "b"]), Terminal([BUSY], ANSWER), call)

    assert call.request.model == "first"


def test_when_all_fail_the_last_failure_leaves() -> None:
    last = ProviderError("worse", error_class=ErrorClass.TRANSIENT)

    with pytest.raises(ProviderError, match="worse"):
        run(fallback(["a", "b"]), Terminal([BUSY], [last]), chat())


@pytest.mark.parametrize(
    "failure",
    [
        ProviderError("bad request", error_class=ErrorClass.PERMANENT),
        MeterExceeded("no money"),
        Cancelled("enough"),
        ProviderError("cut", error_class=ErrorClass.TRANSIENT, output_started=True),
    ],
    ids=repr,
)
def test_what_another_model_cannot_help_leaves_at_once(failure: Exception) -> None:
    end = Terminal([failure], ANSWER)

    with pytest.raises(type(failure), match=str(failure)):
        run(fallback(["a", "b"]), end, chat())
    assert asked(end) == ["a"]


def test_no_model_goes_on_where_another_has_spoken() -> None:
    end = Terminal([Delta("par"), BUSY], ANSWER)

    with pytest.raises(ProviderError, match="busy"):
        run(fallback(["a", "b"]), end, chat())
    assert asked(end) == ["a"]


def test_each_model_has_its_own_retries() -> None:
    end = Terminal([BUSY], [BUSY], ANSWER)
    run([fallback(["a", "b"]), retry(max_attempts=2)], end, chat())

    assert asked(end) == ["a", "a", "b"]


def test_a_model_whose_breaker_is_open_is_passed_over() -> None:
    breakers = {"a": CircuitBreaker("a", state="open", clock=lambda: 0.0)}
    end = Terminal()
    run(fallback(["a", "b"], breakers=breakers), end, chat())

    assert asked(end) == ["b"]


def test_when_every_breaker_is_open_nobody_is_asked() -> None:
    breakers = {name: CircuitBreaker(name, state="open", clock=lambda: 0.0) for name in "ab"}

    with pytest.raises(CircuitOpen, match="circuit open: a, b"):
        run(fallback(["a", "b"], breakers=breakers), Terminal(), chat())


def test_a_breaker_learns_how_its_model_did() -> None:
    breakers = {name: CircuitBreaker(name, fail_threshold=1) for name in "ab"}
    run(fallback(["a", "b"], breakers=breakers), Terminal([BUSY], ANSWER), chat())

    assert [breakers["a"].state, breakers["b"].state] == ["open", "closed"]


def test_leaving_early_releases_the_probe() -> None:
    breaker = CircuitBreaker("a", state="open", cooldown=0.0)
    leave(fallback(["a"], breakers={"a": breaker}), Terminal(), chat())

    assert breaker.state == "open"
    assert breaker.allow()


@pytest.mark.parametrize("models", [[], (), "gpt"])
def test_models_are_a_list_of_one_or_more(models: Any) -> None:
    with pytest.raises(ValueError, match="list of one or more"):
        fallback(models)
