"""Which model is asked after which failure."""

import asyncio
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.errors import (
    Cancelled,
    CircuitOpen,
    ErrorClass,
    MeterExceeded,
    ProviderError,
)
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import Delta, LLMResult, Price, Usage
from agentkit.core.execution import CircuitBreaker
from agentkit.core.policies import fallback, meter, retry
from agentkit.core.runtime import Budget
from agentkit.core.testing import make_test_ctx

from .drive import ANSWER, Terminal, chat, items, leave, run, text_of

BUSY = ProviderError("busy", error_class=ErrorClass.TRANSIENT)
ANSWERED = Delta("hi", usage=Usage(10, 100))
PRICES = {"cheap": Price(*[Decimal(1)] * 5), "dear": Price(*[Decimal(100)] * 5)}
METERED = [meter(), fallback(["cheap", "dear"])]


def metered(budget: Budget) -> Call:
    return chat(ctx=make_test_ctx(budget=budget, prices=PRICES.get), model="cheap", max_tokens=100)


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


def test_a_call_is_charged_at_the_price_of_the_model_that_answered() -> None:
    budget = Budget()
    run(METERED, Terminal([BUSY], [ANSWERED]), metered(budget))

    assert budget.spent() == Decimal("0.011")


def test_a_cut_answer_is_charged_at_the_price_of_the_model_that_gave_it() -> None:
    budget = Budget()
    leave(METERED, Terminal([BUSY], [Delta("hi")]), metered(budget))

    assert budget.spent() >= Decimal("0.0002")


def test_what_a_failure_carries_is_charged_at_the_price_of_the_model_that_failed() -> None:
    arrived = LLMResult("h", usage=Usage(10, 100))
    cut = ProviderError("cut", partial=arrived, output_started=True)
    budget = Budget()
    with pytest.raises(ProviderError, match="cut"):
        run(METERED, Terminal([BUSY], [cut]), metered(budget))

    assert budget.spent() == Decimal("0.011")


def test_a_model_that_may_cost_more_than_is_left_is_not_asked() -> None:
    budget, end = Budget(max_cost_usd="0.01"), Terminal([BUSY], [ANSWERED])
    with pytest.raises(MeterExceeded, match="at worst"):
        run(METERED, end, metered(budget))

    assert (asked(end), budget.calls, budget.spent_usd) == (["cheap"], 0, 0.0)


def test_what_was_held_for_a_model_that_was_not_asked_is_given_back() -> None:
    budget = Budget(max_cost_usd="0.01", max_calls=1)
    with pytest.raises(MeterExceeded):
        run(METERED, Terminal([BUSY], [ANSWERED]), metered(budget))
    run(METERED, Terminal([ANSWERED]), metered(budget))

    assert (budget.calls, budget.spent()) == (1, Decimal("0.00011"))


def test_a_meter_further_in_admits_each_model_and_is_asked_nothing_more() -> None:
    budget = Budget(max_cost_usd="0.02", max_calls=1)
    policies = [fallback(["cheap", "dear"]), meter()]
    run(policies, Terminal([BUSY], [ANSWERED]), metered(budget))

    assert (budget.calls, budget.spent()) == (1, Decimal("0.011"))


def test_of_fallbacks_at_once_as_many_go_on_as_the_ceiling_bears() -> None:
    budget = Budget(max_cost_usd="0.05")
    ended = asyncio.run(together(budget))

    answered = [each for each in ended if not isinstance(each, MeterExceeded)]
    assert budget.spent() == len(answered) * Decimal("0.011")
    assert 0 < budget.spent() <= Decimal("0.05")


async def cheap_is_down(call: Call) -> AsyncIterator[Delta]:
    await asyncio.sleep(0)
    if call.request.model == "cheap":
        raise BUSY
    yield ANSWERED


async def together(budget: Budget) -> list[Any]:
    runs = [items(METERED, cheap_is_down, metered(budget)) for _ in range(20)]
    return list(await asyncio.gather(*runs, return_exceptions=True))
