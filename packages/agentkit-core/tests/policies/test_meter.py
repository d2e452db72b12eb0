"""Every call is admitted, and charged with what it consumed, on every exit."""

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.errors import BudgetExhausted, MeterExceeded, ProviderError
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import Delta, LLMResult, ModelUsage, Price, Usage
from agentkit.core.policies import memoize, meter, retry, tracing
from agentkit.core.runtime import ActorBudget, Budget, Charge
from agentkit.core.testing import FakeClock, JsonStore, RecordingTracer, make_test_ctx

from .drive import ANSWER, END, Terminal, chat, items, leave, run, tool

PRICE = Price(*[Decimal(1)] * 5)


class OldMeter:
    """A user's meter that only guards and charges."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.charged: list[Usage] = []
        self.guarded = 0
        self._refuses = refuses

    async def guard(self, call: Call) -> Charge | None:
        self.guarded += 1
        return Charge(ok=False, reason="no more") if self._refuses else None

    async def charge(self, call: Call, usage: Usage) -> Charge | None:
        self.charged.append(usage)
        return None


def price(_: str) -> Price:
    return PRICE


def spending(budget: Budget | None = None, **wired: Any) -> Any:
    return make_test_ctx(budget=budget or Budget(), clock=FakeClock(), **wired)


def test_a_call_is_charged_with_its_usage() -> None:
    ctx = spending()
    run(meter(), Terminal(), chat(ctx=ctx))

    assert (ctx.budget.calls, ctx.budget.spent()) == (1, Decimal("0.25"))
    assert ctx.budget.usage.input_tokens == 10


def test_an_exact_cost_is_charged_to_the_last_digit() -> None:
    exact = ModelUsage(input_tokens=1, cost=Decimal("0.0000001"), provenance="reported")
    ctx = spending()
    for _ in range(10):
        run(meter(), Terminal([Delta("x", model_usage=exact)]), chat(ctx=ctx))

    assert ctx.budget.spent() == Decimal("0.000001")


def test_one_pass_is_one_call_however_often_it_was_tried() -> None:
    ctx = spending()
    run([meter(), retry()], Terminal([TimeoutError()], ANSWER), chat(ctx=ctx))

    assert ctx.budget.calls == 1


def test_a_refused_call_reaches_nobody() -> None:
    end = Terminal()

    with pytest.raises(MeterExceeded, match="calls 1 > 0"):
        run(meter(), end, chat(ctx=spending(Budget(max_calls=0))))
    assert end.calls == 0


def test_a_meter_that_only_guards_and_charges_works_and_can_refuse() -> None:
    fine, refusing, end = OldMeter(), OldMeter(refuses=True), Terminal()
    run(meter(), end, chat(ctx=spending(meters=[fine])))

    with pytest.raises(MeterExceeded, match="no more"):
        run(meter(), end, chat(ctx=spending(meters=[refusing])))
    assert (fine.charged, refusing.charged, end.calls) == ([END.usage], [], 1)


def test_a_refusal_holds_nothing_of_other_meters() -> None:
    budget = Budget(max_calls=1)
    with pytest.raises(MeterExceeded, match="no more"):
        run(meter(), Terminal(), chat(ctx=spending(budget, meters=[OldMeter(refuses=True)])))

    run(meter(), Terminal(), chat(ctx=spending(budget)))
    assert budget.calls == 1


def test_a_failure_before_any_output_costs_nothing() -> None:
    budget = Budget(max_calls=1)
    with pytest.raises(ProviderError, match="down"):
        run(meter(), Terminal([ProviderError("down")]), chat(ctx=spending(budget)))

    run(meter(), Terminal(), chat(ctx=spending(budget)))
    assert (budget.calls, budget.spent()) == (1, Decimal("0.25"))


def test_a_failure_that_says_what_had_arrived_is_charged() -> None:
    partial = LLMResult("", usage=Usage(4, 0, 0.5))
    ctx = spending()

    with pytest.raises(ProviderError, match="cut"):
        run(meter(), Terminal([ProviderError("cut", partial=partial)]), chat(ctx=ctx))
    assert (ctx.budget.calls, ctx.budget.spent()) == (1, Decimal("0.5"))


def test_a_stream_cut_after_it_reported_is_charged_as_reported() -> None:
    ctx = spending()
    script = [Delta("par", usage=Usage(3, 1, 0.125)), ProviderError("cut")]

    with pytest.raises(ProviderError, match="cut"):
        run(meter(), Terminal(script), chat(ctx=ctx))
    assert ctx.budget.spent() == Decimal("0.125")


def test_an_abandoned_stream_is_charged_at_an_estimate_of_what_arrived() -> None:
    ctx = spending(Budget(max_cost_usd=1), prices=price)
    leave(meter(), Terminal(), chat("four", ctx=ctx))

    usage = ctx.budget.usage
    assert (ctx.budget.calls, usage.input_tokens, usage.output_tokens) == (1, 5, 2)
    assert ctx.budget.spent() == Decimal("0.000007")


def test_a_crossed_ceiling_does_not_hide_why_a_stream_was_cut() -> None:
    ctx = spending(Budget(max_cost_usd="0.1"))
    script = [Delta("par", usage=Usage(3, 1, 0.5)), ProviderError("cut")]

    with pytest.raises(ProviderError, match="cut"):
        run(meter(), Terminal(script), chat(ctx=ctx))


def test_a_crossed_ceiling_is_told_after_the_answer_has_gone_out() -> None:
    ctx = spending(Budget(max_cost_usd="0.1"))
    seen: list[Any] = []

    async def read() -> None:
        async for item in meter()(chat(ctx=ctx), Terminal()):
            seen.append(item)  # noqa: PERF401 - what came before the error is kept

    with pytest.raises(MeterExceeded, match="cost"):
        asyncio.run(read())
    assert seen == list(ANSWER)


def test_a_budget_that_stops_leaves_the_verdict_to_who_asks_for_it() -> None:
    ctx = spending(Budget(max_cost_usd="0.1", on_exceeded="stop"))
    run(meter(), Terminal(), chat(ctx=ctx))

    assert not ctx.budget.verdict().ok


def test_a_budget_that_stops_still_refuses_the_next_call() -> None:
    ctx = spending(Budget(max_cost_usd="0.1", on_exceeded="stop"))
    run(meter(), Terminal(), chat(ctx=ctx))

    with pytest.raises(MeterExceeded, match="cost"):
        run(meter(), Terminal(), chat(ctx=ctx))


def test_a_cache_hit_is_free() -> None:
    ctx = spending(store=JsonStore())
    for _ in range(2):
        run([meter(), memoize()], Terminal(), chat(ctx=ctx))

    assert ctx.budget.calls == 1


def test_a_tool_call_is_admitted_and_not_charged() -> None:
    old = OldMeter()
    ctx = spending(meters=[old])
    run(meter(), Terminal([1]), tool(ctx=ctx))

    assert (old.guarded, old.charged, ctx.budget.calls) == (1, [], 0)


def test_a_tool_may_run_after_the_last_model_call_was_made() -> None:
    ctx = spending(Budget(max_calls=1))
    run(meter(), Terminal(), chat(ctx=ctx))

    assert run(meter(), Terminal([1]), tool(ctx=ctx)) == [1]


def test_concurrent_calls_never_pass_the_limit_together() -> None:
    ctx = spending(Budget(max_calls=3))

    async def many() -> Any:
        runs = [items(meter(), Terminal(), chat(ctx=ctx)) for _ in range(10)]
        return await asyncio.gather(*runs, return_exceptions=True)

    outcomes = asyncio.run(many())
    assert sum(isinstance(one, MeterExceeded) for one in outcomes) == 7
    assert ctx.budget.calls == 3


def test_an_actors_envelope_is_charged_with_the_call() -> None:
    ctx = spending()
    ctx.actor_budget = ActorBudget(max_tokens=100, max_steps=9)
    run(meter(), Terminal(), chat(ctx=ctx))

    assert ctx.actor_budget.remaining_tokens() == 85
    assert ctx.actor_budget.remaining_steps() == 8


@pytest.mark.parametrize(("ceiling", "told"), [(None, 0), (1, 1)])
def test_where_a_budget_with_a_ceiling_stands_is_noted_on_the_span(
    ceiling: int | None, told: int
) -> None:
    ctx = spending(Budget(max_cost_usd=ceiling), trace=RecordingTracer())
    run([tracing(), meter()], Terminal(), chat(ctx=ctx))

    events = [fields for name, fields in ctx.trace.spans[0].events if name == "budget.checkpoint"]
    assert events == [{"spent_usd": 0.25, "remaining_usd": 0.75, "calls": 1}] * told


def test_a_meter_says_of_itself_that_it_charges() -> None:
    assert meter().charges  # type: ignore[attr-defined]


def test_a_meter_that_fails_does_not_hide_why_a_stream_was_cut() -> None:
    class Broken(OldMeter):
        async def charge(self, call: Call, usage: Usage) -> Charge | None:
            raise OSError("meter down")

    script = [Delta("par"), ProviderError("cut")]
    with pytest.raises(ProviderError, match="cut") as caught:
        run(meter(), Terminal(script), chat(ctx=spending(meters=[Broken()])))
    assert "meter down" in caught.value.__notes__[0]


def test_calls_of_one_actor_at_once_take_no_step_more_than_it_has() -> None:
    ctx = spending()
    ctx.actor_budget = ActorBudget(max_steps=2)
    ended = asyncio.run(_together(ctx, calls=5))

    refused = [outcome for outcome in ended if isinstance(outcome, BudgetExhausted)]
    assert (len(refused), ctx.actor_budget.remaining_steps()) == (3, 0)


def test_a_call_that_its_actor_cannot_make_leaves_the_budget_as_it_was() -> None:
    ctx = spending(Budget(max_calls=5))
    ctx.actor_budget = ActorBudget(max_steps=0)
    with pytest.raises(BudgetExhausted, match="steps"):
        run(meter(), Terminal(), chat(ctx=ctx))

    assert ctx.budget.calls == 0


async def _together(ctx: Any, *, calls: int) -> list[Any]:
    several = [items(meter(), Terminal(), chat(ctx=ctx)) for _ in range(calls)]
    return list(await asyncio.gather(*several, return_exceptions=True))
