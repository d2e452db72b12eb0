"""A call that was made is booked and its place given back, whatever cost it claims to have."""

import asyncio
import warnings
from decimal import Decimal
from itertools import cycle
from typing import Any

import pytest

from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import ChatRequest, Message, ModelUsage, Price, Usage
from agentkit.core.runtime import ActorBudget, Budget, Quota, reserve
from agentkit.core.testing import JsonStore, make_test_ctx

from .books import ledger_of

ABSURD = [
    pytest.param((Usage(10, 3, cost_usd=1e40), None), id="a float too large"),
    pytest.param((Usage(10, 3, cost_usd=10**5000), None), id="a whole number too large"),
    pytest.param((Usage(10, 3), ModelUsage(10, cost=Decimal("1e999999999"))), id="no float"),
    pytest.param((Usage(10, 3), ModelUsage(10, cost=Decimal("1e-9999"))), id="too fine"),
    pytest.param((Usage(10**2000, 3), None), id="too many tokens"),
]


def call(**wired: Any) -> Call:
    return Call("chat", ChatRequest([Message("user", "hi")], "m"), make_test_ctx(**wired))


def settled(limit: Any, told: tuple[Usage, ModelUsage | None], **wired: Any) -> None:
    async def twice() -> None:
        for _ in range(2):
            held = await reserve([limit], call(**wired))
            await held.settle(*told)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asyncio.run(twice())


def failing_when_settled() -> Any:
    answers: cycle[Any] = cycle([Price(*[Decimal(1)] * 5), OSError("the price list is gone")])

    def prices(_: str) -> Price:
        answer: Price | OSError = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    return prices


@pytest.mark.parametrize("told", ABSURD)
def test_a_budget_counts_the_call_and_holds_nothing(told: Any) -> None:
    budget = Budget(max_calls=2)
    settled(budget, told)

    assert (budget.calls, ledger_of(budget).in_flight) == (2, 0)
    assert budget.spent() == 0
    assert budget.usage.output_tokens == 6


@pytest.mark.parametrize("told", ABSURD)
def test_an_actor_s_envelope_books_the_step_and_holds_nothing(told: Any) -> None:
    envelope = ActorBudget(max_steps=2)
    settled(envelope, told)

    assert (envelope.used_steps, envelope.remaining_steps()) == (2, 0)
    assert envelope.used_tokens > 0


@pytest.mark.parametrize("told", ABSURD)
@pytest.mark.parametrize("is_shared", [False, True], ids=["in process", "over a store"])
def test_a_quota_takes_it_for_nothing_spent(told: Any, *, is_shared: bool) -> None:
    store = JsonStore() if is_shared else None
    quota = Quota(max_rpm=2, max_tpm=10**16, max_usd=1, store=store)

    settled(quota, told)


def test_a_cost_that_cannot_be_read_is_warned_about_as_unpriced() -> None:
    budget = Budget(max_cost_usd=1)

    with pytest.warns(UserWarning, match="no price is known for 'm'"):
        asyncio.run(budget.charge(call(), Usage(1, cost_usd=1e40)))


def test_a_price_list_that_fails_when_a_call_is_settled_keeps_no_money_held() -> None:
    budget = Budget(max_cost_usd=1)
    settled(budget, (Usage(10, 3), None), prices=failing_when_settled())

    assert (budget.calls, ledger_of(budget).in_flight) == (2, 0)
    assert ledger_of(budget).held == 0


def test_sums_of_very_large_costs_can_still_be_read() -> None:
    budget = Budget()
    settled(budget, (Usage(1, cost_usd=9e30), None))

    assert budget.spent() == Decimal("18e30")
    assert budget.spent_cents() == Decimal("18e30")


@pytest.mark.parametrize(("one", "other"), [(1e308, 1e308), (10**400, 0.5)], ids=["floats", "int"])
def test_usages_of_absurd_cost_add_up(one: float, other: float) -> None:
    assert (Usage(1, cost_usd=one) + Usage(2, cost_usd=other)).input_tokens == 3


def test_a_sum_of_costs_that_is_no_amount_is_unknown() -> None:
    absurd = ModelUsage(1, cost=Decimal("1e999999999"))

    assert (absurd + ModelUsage(1, cost=Decimal(1))).cost is None
