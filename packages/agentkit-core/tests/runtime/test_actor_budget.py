"""One actor's envelope, and its division among children."""

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.errors import BudgetExhausted, MoneyPrecisionError
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import ChatRequest, Message, ModelUsage, ToolRequest, Usage
from agentkit.core.runtime import ActorBudget
from agentkit.core.testing import make_test_ctx


class _Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def _actor(**limits: Any) -> ActorBudget:
    limits = {"max_tokens": 100, "max_cost_usd": 1, "max_steps": 10, **limits}
    return ActorBudget(**limits)


def _chat() -> Call:
    return Call("chat", ChatRequest([Message("user", "hi")], "m"), make_test_ctx())


def test_a_new_envelope_has_all_of_it_left() -> None:
    actor = _actor(max_wall_seconds=5, clock=_Clock())

    assert (actor.remaining_tokens(), actor.remaining_steps()) == (100, 10)
    assert (actor.remaining_cost(), actor.remaining_cost_usd()) == (Decimal(1), 1.0)
    assert (actor.remaining_wall_seconds(), actor.exhausted()) == (5.0, False)


def test_an_envelope_without_limits_is_never_exhausted() -> None:
    actor = ActorBudget()
    actor.charge(tokens=10**9, cost_usd=10**6, steps=10**6)

    assert (actor.max_tokens, actor.max_steps, actor.max_cost_usd) == (None, None, None)
    assert (actor.remaining_tokens(), actor.remaining_cost_usd()) == (None, None)
    assert (actor.remaining_wall_seconds(), actor.exhausted()) == (None, False)


def test_a_charge_books_the_truth_and_never_raises() -> None:
    actor = _actor()

    actor.charge(tokens=150, cost_usd=0.1, steps=1)
    actor.charge(cost_usd=0.2)
    assert (actor.used_tokens, actor.used_steps, actor.used_cost()) == (150, 1, Decimal("0.3"))
    assert (actor.used_cost_usd, actor.remaining_tokens()) == (0.3, 0)


@pytest.mark.parametrize(
    "used", [{"tokens": 100}, {"cost_usd": 1}, {"steps": 10}], ids=["tokens", "cost", "steps"]
)
def test_any_axis_exhausts_it(used: dict[str, Any]) -> None:
    actor = _actor()

    actor.charge(**used)
    assert actor.exhausted()


def test_time_exhausts_it() -> None:
    clock = _Clock()
    actor = _actor(max_wall_seconds=5, clock=clock)

    clock.time = 5
    assert (actor.exhausted(), actor.remaining_wall_seconds()) == (True, 0.0)


def test_a_reservation_is_held_and_settled() -> None:
    actor = _actor()
    actor.reserve_for_child(tokens=60, cost_usd=0.5, steps=5)
    held = actor.remaining_tokens(), actor.reserved_cost(), actor.reserved_cost_usd

    actor.settle_child(
        reserved_tokens=60,
        reserved_cost_usd=0.5,
        reserved_steps=5,
        used_tokens=10,
        used_cost_usd=0.1,
        used_steps=1,
    )
    assert held == (40, Decimal("0.5"), 0.5)
    assert (actor.remaining_tokens(), actor.remaining_cost()) == (90, Decimal("0.9"))


def test_a_reservation_that_does_not_fit_names_where_it_falls_shortest() -> None:
    actor = _actor()

    with pytest.raises(BudgetExhausted, match="1000 steps are asked for and 10 are left") as caught:
        actor.reserve_for_child(tokens=200, cost_usd=2, steps=1000)
    assert (caught.value.axis, actor.remaining_tokens()) == ("steps", 100)


def test_reservations_add_up() -> None:
    actor = _actor()
    actor.reserve_for_child(tokens=40, steps=3)
    actor.reserve_for_child(tokens=40, steps=3)

    assert (actor.remaining_tokens(), actor.remaining_steps()) == (20, 4)


def test_what_is_not_asked_for_may_be_overdrawn() -> None:
    actor = _actor()
    actor.charge(tokens=150)

    actor.reserve_for_child(steps=1)
    assert actor.remaining_steps() == 9


def test_a_child_that_asks_for_nothing_can_be_spawned_on_the_last_cent() -> None:
    assert _actor(max_cost_usd="0.01").can_spawn_child()


def test_spawning_is_possible_while_it_fits() -> None:
    actor = _actor()

    assert actor.can_spawn_child(request_tokens=100, request_cost_usd=1, request_steps=10)
    assert not actor.can_spawn_child(request_tokens=101)
    actor.charge(steps=10)
    assert not actor.can_spawn_child(request_tokens=1)


def test_tightening_lowers_and_never_raises() -> None:
    actor = _actor(max_wall_seconds=5, clock=_Clock())

    actor.tighten(new_max_tokens=50, new_max_cost_usd=9, new_max_steps=3, new_max_wall_seconds=2)
    assert (actor.max_tokens, actor.max_cost_usd, actor.max_steps) == (50, 1.0, 3)
    assert actor.remaining_wall_seconds() == 2.0


def test_tightening_never_goes_below_what_is_used_and_held() -> None:
    actor = _actor()
    actor.charge(tokens=30)
    actor.reserve_for_child(tokens=40)

    actor.tighten(new_max_tokens=10)
    assert (actor.max_tokens, actor.remaining_tokens()) == (70, 0)


def test_tightening_gives_a_limit_where_there_was_none() -> None:
    actor = ActorBudget(clock=_Clock())

    actor.tighten(new_max_steps=3, new_max_wall_seconds=4)
    assert (actor.remaining_steps(), actor.remaining_wall_seconds()) == (3, 4.0)


def test_a_split_is_equal_and_held() -> None:
    actor = _actor(max_wall_seconds=5, clock=_Clock())

    shares = actor.split(3)
    assert [share.max_tokens for share in shares] == [33, 33, 33]
    assert [share.max_cost() for share in shares] == [Decimal("0.333333")] * 3
    assert [share.remaining_wall_seconds() for share in shares] == [5.0] * 3
    assert (actor.remaining_tokens(), actor.remaining_steps()) == (1, 1)


def test_a_share_gives_back_what_it_did_not_use_once() -> None:
    actor = _actor()
    first, _ = actor.split(2)
    first.charge(tokens=20, cost_usd=0.1, steps=2)

    first.settle()
    first.settle()
    assert (actor.remaining_tokens(), actor.used_tokens, actor.used_steps) == (30, 20, 2)


def test_what_a_share_overran_is_booked_all_the_same() -> None:
    actor = _actor()
    (share,) = actor.split(1)
    share.charge(tokens=500, cost_usd=3, steps=1)

    share.settle()
    assert (actor.used_tokens, actor.used_cost(), actor.exhausted()) == (500, Decimal(3), True)


def test_settling_an_envelope_of_its_own_changes_nothing() -> None:
    actor = _actor()

    actor.settle()
    assert actor.remaining_tokens() == 100


def test_a_split_gives_at_least_one_of_each() -> None:
    (share, *_) = _actor(max_tokens=3, max_cost_usd="0.000003", max_steps=3).split(3)

    assert (share.max_tokens, share.max_cost(), share.max_steps) == (1, Decimal("0.000001"), 1)


@pytest.mark.parametrize(
    ("limits", "axis"),
    [
        ({"max_tokens": 2}, "tokens"),
        ({"max_cost_usd": "0.000002"}, "cost_usd"),
        ({"max_steps": 2}, "steps"),
        ({"max_steps": 0}, "steps"),
    ],
    ids=["tokens", "cost", "steps", "none left"],
)
def test_what_cannot_be_divided_is_not_held(limits: dict[str, Any], axis: str) -> None:
    actor = _actor(**limits)
    before = actor.remaining_tokens(), actor.remaining_cost(), actor.remaining_steps()

    with pytest.raises(BudgetExhausted) as caught:
        actor.split(3)
    assert caught.value.axis == axis
    assert before == (actor.remaining_tokens(), actor.remaining_cost(), actor.remaining_steps())


def test_an_axis_without_a_limit_is_not_divided() -> None:
    (share, _) = ActorBudget(max_steps=4).split(2)

    assert (share.max_tokens, share.max_cost(), share.max_steps) == (None, None, 2)


def test_a_split_into_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="parts is 1 or more; got 0"):
        _actor().split(0)


def test_a_step_is_held_while_a_call_is_in_flight() -> None:
    async def run(actor: ActorBudget) -> None:
        await actor.reserve(_chat())
        await actor.reserve(_chat())

    with pytest.raises(BudgetExhausted, match="no steps left"):
        asyncio.run(run(_actor(max_steps=1)))


def test_a_settled_step_books_what_the_call_used() -> None:
    async def run(actor: ActorBudget) -> None:
        step = await actor.reserve(_chat())
        await step.settle(Usage(1, 2, 0.5), ModelUsage(4, 3, output_tokens=2, cost=Decimal("0.1")))
        await step.settle(Usage(1, 2, 0.5))

    actor = _actor()
    asyncio.run(run(actor))
    assert (actor.used_tokens, actor.used_cost(), actor.used_steps) == (6, Decimal("0.1"), 1)


def test_a_released_step_was_not_taken() -> None:
    async def run(actor: ActorBudget) -> None:
        await (await actor.reserve(_chat())).release()

    actor = _actor()
    asyncio.run(run(actor))
    assert (actor.used_steps, actor.remaining_steps()) == (0, 10)


def test_a_tool_call_takes_no_step() -> None:
    async def run(actor: ActorBudget) -> None:
        step = await actor.reserve(Call("tool", ToolRequest("t", {}, None), make_test_ctx()))
        await step.settle(Usage(1, 1))

    actor = _actor(max_steps=0)
    asyncio.run(run(actor))
    assert actor.used_steps == 0


_BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"max_tokens": True}, TypeError, "max_tokens is a whole number"),
    ({"max_steps": -1}, ValueError, "max_steps is 0 or more"),
    ({"max_cost_usd": float("nan")}, MoneyPrecisionError, "finite"),
    ({"max_cost_usd": -1}, ValueError, "max_cost_usd is zero or more"),
    ({"max_wall_seconds": 0}, ValueError, "max_wall_seconds is finite and greater than 0"),
]


@pytest.mark.parametrize(("limits", "error", "match"), _BAD, ids=[repr(row[0]) for row in _BAD])
def test_an_envelope_refuses_bad_limits(
    limits: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        ActorBudget(**limits)


def test_a_negative_charge_is_refused() -> None:
    actor = _actor()

    with pytest.raises(ValueError, match="cost_usd is zero or more"):
        actor.charge(tokens=5, cost_usd=-1)
    assert actor.used_tokens == 0


def test_time_that_runs_out_while_it_is_divided_holds_nothing() -> None:
    now = iter([0.0, 0.5, 1.5, 1.6])
    actor = ActorBudget(max_steps=4, max_wall_seconds=1.0, clock=lambda: next(now))

    with pytest.raises(BudgetExhausted, match="wall_seconds"):
        actor.split(2)
    assert actor.remaining_steps() == 4
