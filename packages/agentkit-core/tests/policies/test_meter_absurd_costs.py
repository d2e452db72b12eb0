"""meter() charges each call that was made, whatever its cost or its price list comes to."""

from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.types import Delta, ModelUsage, Usage
from agentkit.core.policies import meter
from agentkit.core.runtime import Budget
from agentkit.core.testing import make_test_ctx

from .drive import Terminal, chat, run, run_each

TOLD = [
    pytest.param(Delta("", usage=Usage(10, 3, cost_usd=1e308)), id="usage"),
    pytest.param(
        Delta("", model_usage=ModelUsage(10, cost=Decimal("1e999999999"))), id="model usage"
    ),
]


def no_prices(_: str) -> Any:
    raise OSError("the price list is gone")


@pytest.mark.parametrize("told", TOLD)
def test_a_call_of_absurd_cost_is_charged_and_its_place_given_back(told: Delta) -> None:
    ctx = make_test_ctx(budget=Budget(max_calls=2))
    run_each(meter(), Terminal([Delta("hi"), told]), [chat(ctx=ctx), chat(ctx=ctx)])

    assert (ctx.budget.calls, ctx.budget.usage.cost_usd) == (2, 0.0)


def test_an_answer_cut_short_is_charged_though_the_price_list_fails() -> None:
    ctx = make_test_ctx(budget=Budget(max_calls=1), prices=no_prices)
    with pytest.raises(ConnectionError, match="cut"):
        run(meter(), Terminal([Delta("hi"), ConnectionError("cut")]), chat(ctx=ctx))

    assert ctx.budget.calls == 1
