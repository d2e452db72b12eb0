"""The figures and words of money and rates, to the last one."""

import asyncio
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import pytest

from agentkit.core.contracts.content import (
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    VideoBlock,
)
from agentkit.core.contracts.errors import BudgetExhausted, MeterExceeded, UnsupportedOption
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import (
    ChatRequest,
    Message,
    ModelUsage,
    Price,
    ToolCall,
    ToolRequest,
    ToolSchema,
    Usage,
)
from agentkit.core.runtime import ActorBudget, Budget, Charge, Quota
from agentkit.core.runtime._prices import request_bytes, worst_case
from agentkit.core.testing import JsonStore, make_test_ctx

from .books import ledger_of

REQUEST = ChatRequest([Message("user", "hi")], "m", max_tokens=10)


def price(**amounts: str) -> Price:
    names = ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h")
    return Price(*[Decimal(amounts.get(name, "0")) for name in names])


def priced(**amounts: str) -> Callable[[str], Price]:
    def prices(model: str) -> Price:
        return price(**amounts)

    return prices


def chat(prices: Any = None, **request: Any) -> Call:
    asked: dict[str, Any] = {"messages": REQUEST.messages, "model": "m", **request}
    return Call("chat", ChatRequest(**asked), make_test_ctx(prices=prices))


def tool() -> Call:
    return Call("tool", ToolRequest("t", {}, None), make_test_ctx())


def test_a_verdict_says_where_the_budget_stands() -> None:
    budget = Budget(max_cost_usd=1, spent_usd="0.25", calls=3, usage=Usage(7, 1))

    assert budget.verdict() == Charge(True, "", Decimal("0.25"), Decimal("0.75"), 3, Usage(7, 1))
    assert Budget().verdict().remaining is None


def test_nothing_is_left_of_a_budget_that_is_overdrawn() -> None:
    assert Budget(max_cost_usd=1, spent_usd=2).verdict().remaining == 0


def test_a_budget_has_four_levels_and_eight_places_unless_told() -> None:
    assert (Budget().max_depth, Budget().max_concurrency) == (4, 8)


def test_a_budget_shows_what_is_left_as_a_float() -> None:
    assert Budget(max_cost_usd=1, spent_usd="0.25").remaining_usd() == 0.75
    assert Budget().remaining_usd() is None


@pytest.mark.parametrize(("made", "over"), [(2, False), (3, True)])
def test_the_last_call_exhausts_a_budget(made: int, over: bool) -> None:  # noqa: FBT001
    assert Budget(max_calls=3, calls=made).exhausted() is over


def test_cents_are_rounded_alike_under_any_decimal_context() -> None:
    with localcontext(prec=2):
        assert Budget(spent_usd="1234.565").spent_cents() == Decimal("1234.57")


def test_the_pool_without_a_depth_is_that_of_the_run_itself() -> None:
    async def same() -> bool:
        budget = Budget()
        return budget.semaphore() is budget.semaphore(0)

    assert asyncio.run(same())


@pytest.mark.parametrize("first", ["settle", "release"])
def test_a_reservation_is_closed_once(first: str) -> None:
    async def close_twice() -> Budget:
        budget = Budget()
        await budget.reserve(chat())
        held = await budget.reserve(chat())
        await (held.settle(Usage(1, 1)) if first == "settle" else held.release())
        await held.release()
        await held.settle(Usage(1, 1))
        return budget

    budget = asyncio.run(close_twice())
    assert (ledger_of(budget).in_flight, budget.calls) == (1, int(first == "settle"))


def test_a_guard_counts_the_worst_case_of_a_priced_call() -> None:
    budget = Budget(max_cost_usd="0.5")
    dear = chat(priced(output="1000000"), max_tokens=1)

    with pytest.raises(MeterExceeded, match=r"cost \$1 > \$0.5"):
        asyncio.run(budget.guard(dear))


def test_a_charge_costs_what_the_models_price_says() -> None:
    budget = Budget()
    asyncio.run(budget.charge(chat(priced(input="1000000")), Usage(2, 0)))

    assert budget.spent() == 2


def test_a_refusal_adds_up_what_is_spent_and_held() -> None:
    async def refuse() -> None:
        budget = Budget(max_cost_usd=3, spent_usd="1.5")
        dear = chat(priced(output="1000000"), max_tokens=1)
        await budget.reserve(dear)
        await budget.reserve(dear)

    with pytest.raises(MeterExceeded) as caught:
        asyncio.run(refuse())
    assert str(caught.value) == (
        "cost $3.5 > $3 ($1.5 spent, $1 held for calls in flight, $1 for this call at worst)"
    )


def test_a_refusal_with_nothing_held_names_the_sum_alone() -> None:
    with pytest.raises(MeterExceeded) as caught:
        asyncio.run(Budget(max_cost_usd=1, spent_usd=1).reserve(chat()))

    assert str(caught.value) == "cost $1 ≥ $1"


def test_an_unpriced_call_is_warned_about_by_model_and_remedy() -> None:
    with pytest.warns(UserWarning, match="no price is known") as told:
        asyncio.run(Budget(max_cost_usd=1).charge(chat(), Usage(1, 1)))

    assert str(told[0].message) == (
        "no price is known for 'm': its calls count as free under max_cost_usd; wire prices=, or "
        'refuse such calls with Budget(on_unpriced="refuse")'
    )


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        ("10", "$10"),
        ("0.50", "$0.5"),
        ("100.0", "$100"),
        ("1E+2", "$100"),
        ("0.000001", "$0.000001"),
    ],
)
def test_money_in_words_has_no_zeros_to_spare(spent: str, words: str) -> None:
    with pytest.raises(MeterExceeded) as caught:
        asyncio.run(Budget(max_cost_usd=0, spent_usd=spent).reserve(chat()))

    assert str(caught.value).startswith(f"cost {words} ")


@pytest.mark.parametrize("dearest", ["input", "cache_read", "cache_write_5m", "cache_write_1h"])
def test_the_worst_case_is_of_the_dearest_kind_of_input(dearest: str) -> None:
    dear = price(output="2", **{dearest: "3"})

    assert worst_case(REQUEST, dear) == (3 * Decimal(request_bytes(REQUEST)) + 2 * 10) / 1_000_000


@pytest.mark.parametrize(
    "block",
    [
        ImageBlock(url="u"),
        ImageBlock(data=b"d", storage_key="k"),
        AudioBlock(url="u"),
        VideoBlock(url="u"),
        DocumentBlock(file_id="f"),
    ],
    ids=["image", "kept image", "sound", "video", "document"],
)
def test_media_that_are_elsewhere_have_no_worst_case(block: Any) -> None:
    request = ChatRequest([Message("user", blocks=(block,))], "m", max_tokens=10)

    assert worst_case(request, price(input="1")) is None


def test_media_that_come_along_have_a_worst_case() -> None:
    request = ChatRequest([Message("user", blocks=(ImageBlock(data=b"d"),))], "m", max_tokens=10)

    assert worst_case(request, price(input="1"))


def test_the_bytes_of_a_request_are_those_of_all_its_parts() -> None:
    call = ToolCall("c1", "find", {"q": ["é", 1, None, True]})
    blocks = (TextBlock("hi"), ImageBlock(data=b"123456"))
    message = Message("assistant", tool_calls=(call,), blocks=blocks)
    asked = ChatRequest([message], "m", [ToolSchema("find", "d", {"a": {}})], {"b": 1.5})

    assert request_bytes(asked) == 426
    assert request_bytes(ChatRequest([Message("user", "hi")], "m")) == 79


@pytest.mark.parametrize(
    ("verb", "named"),
    [
        ("reserve_for_child", "tokens"),
        ("reserve_for_child", "steps"),
        ("tighten", "new_max_tokens"),
        ("tighten", "new_max_cost_usd"),
        ("tighten", "new_max_steps"),
        ("tighten", "new_max_wall_seconds"),
    ],
)
def test_what_an_envelope_refuses_is_named(verb: str, named: str) -> None:
    with pytest.raises(ValueError, match=rf"^{named} is"):
        getattr(ActorBudget(), verb)(**{named: -1})


def test_an_envelope_that_is_told_nothing_changes_nothing() -> None:
    actor = ActorBudget(max_tokens=5, max_cost_usd=1, max_steps=2)
    actor.charge()
    actor.reserve_for_child()
    actor.settle_child()

    assert (actor.remaining_tokens(), actor.remaining_steps()) == (5, 2)
    assert actor.remaining_cost() == 1
    assert actor.can_spawn_child()


def test_time_is_counted_from_when_the_envelope_was_made() -> None:
    now = [100.0]
    actor = ActorBudget(max_wall_seconds=5, clock=lambda: now[0])
    now[0] = 102.0

    assert actor.remaining_wall_seconds() == 3


def test_time_is_only_ever_made_shorter() -> None:
    actor = ActorBudget(max_wall_seconds=5, clock=lambda: 0.0)
    actor.tighten(new_max_wall_seconds=9)
    assert actor.remaining_wall_seconds() == 5
    actor.tighten(new_max_wall_seconds=2)

    assert actor.remaining_wall_seconds() == 2


def test_a_new_ceiling_in_dollars_holds() -> None:
    actor = ActorBudget(max_cost_usd=5)
    actor.tighten(new_max_cost_usd="1.5")

    assert actor.remaining_cost() == Decimal("1.5")


def test_an_envelope_without_steps_refuses_by_its_axis() -> None:
    with pytest.raises(BudgetExhausted, match="the actor has no steps left") as caught:
        asyncio.run(ActorBudget(max_steps=0).reserve(chat()))

    assert caught.value.axis == "steps"


def test_an_envelope_whose_time_is_up_says_so() -> None:
    now = [0.0]
    actor = ActorBudget(max_wall_seconds=5, clock=lambda: now[0])
    now[0] = 5.0

    with pytest.raises(BudgetExhausted, match="nothing is left to divide: wall_seconds"):
        actor.split(2)


def test_an_actors_step_costs_what_the_models_price_says() -> None:
    actor = ActorBudget()

    async def step() -> None:
        held = await actor.reserve(chat(priced(input="1000000")))
        await held.settle(Usage(2, 0))

    asyncio.run(step())
    assert (actor.used_cost_usd, actor.used_steps) == (2.0, 1)


def quota(**limits: Any) -> Quota:
    return Quota(clock=lambda: 6000.0, **limits)


def test_a_quota_that_stops_says_why() -> None:
    limit = quota(max_rpm=0, on_exceeded="stop")
    verdict = asyncio.run(limit.guard(chat()))

    assert (verdict.ok, verdict.reason) == (False, "orgNone:domNone: 0 req ≥ 0 rpm")


@pytest.mark.parametrize("store", [None, JsonStore], ids=["in process", "over a store"])
def test_a_quota_counts_every_token_of_the_exact_usage(store: Any) -> None:
    limit = quota(max_tpm=100, store=store and store())

    async def fill() -> None:
        held = await limit.reserve(chat())
        await held.settle(Usage(1, 1), ModelUsage(90, 80, output_tokens=20))
        await limit.reserve(chat(messages=[Message("user", "a" * 40)]))

    with pytest.raises(MeterExceeded, match=r"tpm"):
        asyncio.run(fill())


@pytest.mark.parametrize("store", [None, JsonStore], ids=["in process", "over a store"])
def test_a_charge_without_a_reservation_counts_tokens_and_dollars(store: Any) -> None:
    limit = quota(max_usd=1, store=store and store())
    dear = chat(priced(input="1000000"))
    asyncio.run(limit.charge(dear, Usage(2, 0)))

    with pytest.raises(MeterExceeded, match="cost"):
        asyncio.run(limit.reserve(dear))


def test_a_tools_place_in_a_quota_is_nothing() -> None:
    async def use() -> None:
        held = await quota(max_rpm=0).reserve(tool())
        await held.settle(Usage(5, 5))
        await held.release()

    asyncio.run(use())


def test_a_quota_over_a_store_is_read_there() -> None:
    limit = quota(max_usd=1, store=JsonStore())

    with pytest.raises(
        UnsupportedOption, match=r"^a quota over a store is read there, not in this"
    ):
        limit.spent_in_window("key")


class Told(JsonStore):
    """A store that keeps what it was told to count."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, int, int | None]] = []

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        self.told.append((key, by, ttl))
        return await super().increment(key, by, ttl=ttl)


def test_a_quota_counts_in_its_store_by_name_tenant_metric_and_window() -> None:
    store = Told()
    limit = quota(max_rpm=5, max_tpm=50, max_usd=5, window=60, store=store)

    async def call() -> None:
        held = await limit.reserve(chat(messages=[Message("user", "a" * 40)]))
        await held.settle(Usage(3, 4, 0.5))

    asyncio.run(call())
    key = "quota:default:orgNone:domNone"
    assert store.told == [
        (f"{key}:requests:100", 1, 180),
        (f"{key}:tokens:100", 10, 180),
        (f"{key}:tokens:100", -3, 180),
        (f"{key}:cost:100", 500_000_000_000, 180),
    ]
