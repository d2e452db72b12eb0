"""Each limit under 200 concurrent calls that fail and are cancelled at random."""

import asyncio
import random
from collections.abc import AsyncGenerator
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.errors import BudgetExhausted, MeterExceeded
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import ChatRequest, Delta, Message, ModelUsage, Price
from agentkit.core.execution import run_agents
from agentkit.core.policies import meter
from agentkit.core.runtime import ActorBudget, Budget, Quota, RunContext, reserve
from agentkit.core.testing import JsonStore, make_test_ctx

from .books import ledger_of, windows_of

TASKS = 200
PRICE = Price(*[Decimal("1.000000000001")] * 5)
REQUEST = ChatRequest([Message("user", "hi")], "m", max_tokens=1000)
every_seed = pytest.mark.parametrize("seed", range(5))


class _Provider:
    """Answers in two increments that each tell the cost so far, and notes what it told last."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - the same numbers for every run
        self.told: dict[int, Decimal] = {}
        self.calls = 0
        self.running = 0

    async def stream(self, **_: Any) -> AsyncGenerator[Delta, None]:
        self.calls += 1
        number, draw = self.calls, self.random.random()
        self.running += 1
        try:
            await self._work()
            if draw < 0.2:
                raise TimeoutError("before any output")
            yield self._tell(number, 1)
            await self._work()
            if draw < 0.4:
                raise TimeoutError("in the middle")
            yield self._tell(number, 2)
        finally:
            self.running -= 1

    async def _work(self) -> None:
        for _ in range(self.random.randrange(4)):
            await asyncio.sleep(0)

    def _tell(self, number: int, part: int) -> Delta:
        cost = self.told.get(number, Decimal(0)) + Decimal(self.random.randrange(1, 10**9)).scaleb(
            -13
        )
        self.told[number] = cost
        return Delta("x", model_usage=ModelUsage(10, output_tokens=5 * part, cost=cost))

    def total(self) -> Decimal:
        return sum(self.told.values(), Decimal(0))


def _ctx(provider: Any, *, budget: Budget | None = None, **options: Any) -> RunContext:
    return make_test_ctx(
        llm=provider,
        budget=budget,
        chat_middleware=[meter()],
        prices=lambda _: PRICE,
        **options,
    )


async def _ask(ctx: RunContext) -> None:
    assert ctx.invoker is not None
    await ctx.invoker.chat(REQUEST, ctx)


async def _storm(ctx: RunContext, seed: int) -> list[Any]:
    """Ask from all tasks at once, and cancel every fourth of them somewhere on its way."""
    dice = random.Random(seed)  # noqa: S311 - the same numbers for every run
    tasks = [asyncio.create_task(_ask(ctx)) for _ in range(TASKS)]
    for _ in range(12):
        await asyncio.sleep(0)
        for task in dice.sample(tasks, TASKS // 48):
            task.cancel()
    return await asyncio.gather(*tasks, return_exceptions=True)


@every_seed
def test_the_ledger_is_what_the_provider_told_to_the_last_digit(seed: int) -> None:
    provider, budget = _Provider(seed), Budget()

    asyncio.run(_storm(_ctx(provider, budget=budget), seed))
    assert (ledger_of(budget).spent, budget.calls) == (provider.total(), len(provider.told))
    assert (ledger_of(budget).in_flight, ledger_of(budget).held) == (0, Decimal(0))


@every_seed
def test_no_storm_makes_a_call_too_many(seed: int) -> None:
    provider, budget = _Provider(seed), Budget(max_calls=37)

    results = asyncio.run(_storm(_ctx(provider, budget=budget), seed))
    assert len(provider.told) == budget.calls <= 37
    assert any(isinstance(result, MeterExceeded) for result in results)
    assert ledger_of(budget).in_flight == provider.running == 0


@every_seed
def test_no_storm_breaks_a_ceiling_in_dollars(seed: int) -> None:
    provider, budget = _Provider(seed), Budget(max_cost_usd="0.01")

    results = asyncio.run(_storm(_ctx(provider, budget=budget), seed))
    assert ledger_of(budget).spent == provider.total() <= Decimal("0.01")
    assert any(isinstance(result, MeterExceeded) for result in results)
    assert ledger_of(budget).held == 0


@every_seed
@pytest.mark.parametrize("store", [None, JsonStore()], ids=["in process", "over a store"])
def test_no_storm_makes_a_request_too_many(seed: int, store: JsonStore | None) -> None:
    provider = _Provider(seed)
    quota = Quota(max_rpm=37, clock=lambda: 60.0, store=store, name=str(seed))

    asyncio.run(_storm(_ctx(provider, meters=[quota]), seed))
    assert len(provider.told) <= 37


@every_seed
def test_a_quota_in_dollars_is_what_the_provider_told(seed: int) -> None:
    provider, quota = _Provider(seed), Quota(max_usd=1, clock=lambda: 60.0)
    ctx = _ctx(provider, meters=[quota])

    asyncio.run(_storm(ctx, seed))
    assert windows_of(quota).spent(ctx.scope.key()) == provider.total()


class _Caller:
    """Makes model calls, each admitted by its own share of the actor's budget."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)  # noqa: S311 - the same numbers for every run
        self.taken = 0
        self.spent = Decimal(0)

    async def run(self, task: int, ctx: RunContext) -> None:
        await asyncio.gather(*(self._call(ctx) for _ in range(task)), return_exceptions=True)

    async def _call(self, ctx: RunContext) -> None:
        assert ctx.actor_budget is not None
        held = await reserve([ctx.actor_budget], Call("chat", REQUEST, ctx))
        cost = Decimal(self.dice.randrange(1, 10**6)).scaleb(-13)
        await asyncio.sleep(0)
        if self.dice.random() < 0.3:
            await held.release()
            return
        self.taken += 1
        self.spent += cost
        await held.settle(ModelUsage(3).to_usage(), ModelUsage(3, output_tokens=2, cost=cost))


@every_seed
def test_no_storm_takes_a_step_too_many_from_an_actor(seed: int) -> None:
    caller, actor = _Caller(seed), ActorBudget(max_steps=37, max_tokens=10**6, max_cost_usd=1)
    ctx = make_test_ctx()
    ctx.actor_budget = actor

    asyncio.run(run_agents([(caller, TASKS // 10)] * 10, ctx))
    assert actor.used_steps == caller.taken <= 37
    assert (actor.used_cost(), actor.used_tokens) == (caller.spent, 5 * caller.taken)
    assert actor.reserved_cost() == 0


@every_seed
def test_an_actor_that_is_used_up_divides_no_more(seed: int) -> None:
    caller, actor = _Caller(seed), ActorBudget(max_steps=9)
    ctx = make_test_ctx()
    ctx.actor_budget = actor

    with pytest.raises(BudgetExhausted, match="10 steps are asked for and 9 are left"):
        asyncio.run(run_agents([(caller, 1)] * 10, ctx))
    assert caller.taken == 0


class _Nested:
    """Fans out again until the depth is reached."""

    def __init__(self) -> None:
        self.leaves = 0
        self.deepest = 0

    async def run(self, task: int, ctx: RunContext) -> None:
        self.deepest = max(self.deepest, ctx.depth)
        if not task:
            self.leaves += 1
            return
        await run_agents([(self, task - 1)] * 3, ctx)


def test_nested_fan_out_does_not_wait_for_itself() -> None:
    nested = _Nested()

    asyncio.run(nested.run(4, make_test_ctx(budget=Budget(max_concurrency=1, max_depth=4))))
    assert (nested.leaves, nested.deepest) == (81, 4)


def test_no_fan_out_goes_a_level_too_deep() -> None:
    nested = _Nested()

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(nested.run(5, make_test_ctx(budget=Budget(max_depth=4))))
    assert caught.value.subgroup(MeterExceeded) is not None
    assert (nested.leaves, nested.deepest) == (0, 4)
