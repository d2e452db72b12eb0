"""A budget: exact books, ceilings that hold, and verdicts."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

import pytest

from agentkit.core.contracts.content import (
    ContentBlock,
    ImageBlock,
    TextBlock,
    ToolResultBlock,
    UnknownBlock,
)
from agentkit.core.contracts.errors import MeterExceeded, MoneyPrecisionError
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import (
    ChatRequest,
    Message,
    ModelUsage,
    Price,
    ToolCall,
    ToolRequest,
    Usage,
)
from agentkit.core.runtime import Budget, Charge
from agentkit.core.runtime._prices import request_bytes, worst_case
from agentkit.core.testing import make_test_ctx

from .books import ledger_of

PRICE = Price(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"), Decimal(6))


def _chat(*, max_tokens: int | None = None, priced: bool = False, **request: Any) -> Call:
    prices: Callable[[str], Price | None] = lambda model: PRICE if model == "m" else None  # noqa: E731
    ctx = make_test_ctx(prices=prices if priced else None)
    return Call("chat", ChatRequest([Message("user", "hi")], "m", max_tokens=max_tokens), ctx)


def _tool() -> Call:
    return Call("tool", ToolRequest("t", {}, None), make_test_ctx())


def _charge(budget: Budget, usage: Usage, model_usage: ModelUsage | None = None) -> Charge:
    async def run() -> Charge:
        return await (await budget.reserve(_chat())).settle(usage, model_usage)

    return asyncio.run(run())


def test_a_budget_without_limits_counts_and_admits() -> None:
    budget = Budget()

    verdict = _charge(budget, Usage(10, 5, 0.25))
    assert (verdict.ok, verdict.spent, verdict.remaining) == (True, Decimal("0.25"), None)
    assert (budget.calls, budget.usage, budget.spent_usd) == (1, Usage(10, 5, 0.25), 0.25)


def test_the_ledger_keeps_what_is_smaller_than_a_millionth() -> None:
    budget = Budget()

    for _ in range(10):
        _charge(budget, Usage(1, 1, 0.0000004))
    assert budget.spent() == Decimal("0.000004")


def test_a_tie_is_rounded_half_up_once() -> None:
    budget = Budget()

    _charge(budget, Usage(1, 1, 1.4296875))
    _charge(budget, Usage(1, 1, 1.4296875))
    assert (str(budget.spent()), str(budget.spent_cents())) == ("2.859375", "2.86")


def test_the_exact_cost_of_the_model_contract_wins() -> None:
    budget = Budget()

    _charge(budget, Usage(1, 1, 9.9), ModelUsage(1, output_tokens=1, cost=Decimal("0.1234567")))
    assert budget.spent() == Decimal("0.123457")


def test_a_known_cost_of_nothing_is_free() -> None:
    budget = Budget(max_cost_usd=1)

    assert _charge(budget, Usage(5, 5), ModelUsage(5, output_tokens=5, cost=Decimal(0))).ok
    assert budget.spent() == 0


def test_an_answer_without_a_cost_is_charged_at_the_known_price() -> None:
    async def run(budget: Budget) -> None:
        await (await budget.reserve(_chat(priced=True))).settle(Usage(100, 10))

    budget = Budget()
    asyncio.run(run(budget))
    assert budget.spent() == Decimal("0.00045")


def test_the_price_is_that_of_the_model_that_answered() -> None:
    async def run(budget: Budget) -> None:
        call = _chat(priced=True)
        call.request = replace(call.request, model="other")
        reservation = await budget.reserve(call)
        call.request = replace(call.request, model="m")
        await reservation.settle(Usage(100, 10))

    budget = Budget()
    asyncio.run(run(budget))
    assert budget.spent() == Decimal("0.00045")


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"max_cost_usd": "0.03"}, "cost $0.04 > $0.03"),
        ({"max_calls": 0, "calls": 0}, "calls 1 > 0"),
    ],
    ids=["cost", "calls"],
)
def test_a_verdict_names_the_limit_with_both_numbers(limits: dict[str, Any], reason: str) -> None:
    budget = Budget(on_exceeded="stop", **limits)

    verdict = asyncio.run(budget.charge(_chat(), Usage(1, 1, 0.04)))

    assert (verdict.ok, verdict.reason) == (False, reason)


def test_spending_exactly_the_ceiling_crosses_nothing_and_leaves_nothing() -> None:
    budget = Budget(max_cost_usd=0.25)

    assert _charge(budget, Usage(1, 1, 0.25)).ok
    assert (budget.exhausted(), budget.remaining(), budget.remaining_usd()) == (
        True,
        Decimal(0),
        0.0,
    )


def test_crossing_a_ceiling_raises_after_it_is_booked() -> None:
    budget = Budget(max_cost_usd=0.25)

    with pytest.raises(MeterExceeded, match=r"^cost \$0\.3 > \$0\.25$"):
        _charge(budget, Usage(1, 1, 0.3))
    assert (budget.spent(), budget.calls, budget.verdict().ok) == (Decimal("0.3"), 1, False)


def test_crossing_a_ceiling_under_stop_is_said_and_not_raised() -> None:
    budget = Budget(max_cost_usd=0.25, on_exceeded="stop")

    assert not _charge(budget, Usage(1, 1, 0.3)).ok
    assert budget.exhausted()


def _booked(budget: Budget, usage: Usage) -> Budget:
    async def run() -> None:
        reservation = await budget.reserve(_chat())
        try:
            reservation.book(usage)
        finally:
            reservation.book(usage)

    asyncio.run(run())
    return budget


def test_a_call_is_booked_once_without_a_verdict() -> None:
    budget = _booked(Budget(max_cost_usd=0.25, on_exceeded="stop"), Usage(1, 1, 0.3))

    assert (budget.spent(), budget.calls, budget.usage) == (Decimal("0.3"), 1, Usage(1, 1, 0.3))
    assert ledger_of(budget).in_flight == 0


def test_booking_beyond_a_ceiling_raises_after_it_is_booked() -> None:
    budget = Budget(max_cost_usd=0.25)

    with pytest.raises(MeterExceeded, match=r"^cost \$0\.3 > \$0\.25$"):
        _booked(budget, Usage(1, 1, 0.3))
    assert (budget.spent(), budget.calls) == (Decimal("0.3"), 1)


@pytest.mark.parametrize("on_exceeded", ["raise", "stop"])
def test_a_refused_call_raises_in_both_modes(on_exceeded: Any) -> None:
    budget = Budget(max_calls=1, calls=1, on_exceeded=on_exceeded)

    with pytest.raises(MeterExceeded, match=r"^calls 2 > 1$"):
        asyncio.run(budget.reserve(_chat()))


def test_a_guard_says_no_without_counting() -> None:
    budget = Budget(max_calls=0, on_exceeded="stop")

    assert asyncio.run(budget.guard(_chat())).reason == "calls 1 > 0"
    assert asyncio.run(budget.guard()).ok
    assert budget.calls == 0


def test_a_guard_that_is_told_to_raises() -> None:
    with pytest.raises(MeterExceeded, match="calls 1 > 0"):
        asyncio.run(Budget(max_calls=0).guard(_chat()))


def test_a_ceiling_of_nothing_admits_nothing() -> None:
    with pytest.raises(MeterExceeded, match=r"cost \$0 ≥ \$0"):
        asyncio.run(Budget(max_cost_usd=0).reserve(_chat()))


def test_calls_in_flight_count() -> None:
    async def run() -> None:
        budget = Budget(max_calls=2)
        await budget.reserve(_chat())
        await budget.reserve(_chat())
        await budget.reserve(_chat())

    with pytest.raises(MeterExceeded, match="calls 3 > 2"):
        asyncio.run(run())


def test_a_released_call_makes_room() -> None:
    async def run() -> int:
        budget = Budget(max_calls=1)
        await (await budget.reserve(_chat())).release()
        await (await budget.reserve(_chat())).settle(Usage())
        return budget.calls

    assert asyncio.run(run()) == 1


def test_a_closed_reservation_stays_closed() -> None:
    async def run(budget: Budget) -> None:
        reservation = await budget.reserve(_chat())
        await reservation.settle(Usage(1, 1, 0.1))
        await reservation.release()
        await reservation.settle(Usage(1, 1, 0.1))

    budget = Budget()
    asyncio.run(run(budget))
    assert (budget.calls, budget.spent(), ledger_of(budget).in_flight) == (1, Decimal("0.1"), 0)


def test_a_tool_call_is_admitted_and_not_counted() -> None:
    async def run(budget: Budget) -> None:
        await budget.guard(_tool())
        await (await budget.reserve(_tool())).settle(Usage(1, 1, 0.1))

    budget = Budget(max_calls=1, calls=1)
    asyncio.run(run(budget))
    assert (budget.calls, budget.spent()) == (1, Decimal(0))


def test_a_tool_call_is_refused_once_a_limit_is_crossed() -> None:
    with pytest.raises(MeterExceeded, match=r"cost \$2 > \$1"):
        asyncio.run(Budget(max_cost_usd=1, spent_usd=2).reserve(_tool()))


def _worst(max_tokens: int) -> Decimal:
    request = _chat(max_tokens=max_tokens).request
    return (request_bytes(request) * Decimal(6) + max_tokens * Decimal(15)) / 1_000_000


def test_the_worst_case_is_held_until_the_call_is_settled() -> None:
    async def run(budget: Budget) -> tuple[Decimal, Decimal]:
        reservation = await budget.reserve(_chat(max_tokens=100, priced=True))
        held = ledger_of(budget).held
        await reservation.settle(Usage(3, 3, 0.001))
        return held, ledger_of(budget).held

    assert asyncio.run(run(Budget(max_cost_usd=1))) == (_worst(100), Decimal(0))


def test_a_call_whose_worst_case_does_not_fit_is_refused() -> None:
    budget = Budget(max_cost_usd=0.001)

    with pytest.raises(MeterExceeded, match=r"for this call at worst\)$"):
        asyncio.run(budget.reserve(_chat(max_tokens=100, priced=True)))
    assert ledger_of(budget).held == 0


def test_a_worst_case_that_just_fits_is_admitted() -> None:
    budget = Budget(max_cost_usd=_worst(100))

    asyncio.run(budget.reserve(_chat(max_tokens=100, priced=True)))
    assert ledger_of(budget).held == _worst(100)


def test_without_max_tokens_nothing_is_held() -> None:
    budget = Budget(max_cost_usd=1)

    asyncio.run(budget.reserve(_chat(priced=True)))
    assert (ledger_of(budget).held, ledger_of(budget).in_flight) == (Decimal(0), 1)


def test_what_is_held_counts_against_a_call_of_unknown_cost() -> None:
    async def run() -> None:
        budget = Budget(max_cost_usd=_worst(100))
        await budget.reserve(_chat(max_tokens=100, priced=True))
        await budget.reserve(_chat(priced=True))

    with pytest.raises(MeterExceeded, match=r"≥ .* held for calls in flight"):
        asyncio.run(run())


@pytest.mark.parametrize(
    ("message", "least"),
    [
        (Message("user", "x" * 1000), 1000),
        (Message("user", "é" * 1000), 2000),
        (Message("user", "\ud800"), 3),
        (Message("assistant", tool_calls=(ToolCall("1", "t", {"a": ["x" * 500]}),)), 500),
        (Message("user", blocks=(TextBlock("x" * 700),)), 700),
    ],
    ids=["ascii", "utf-8", "lone surrogate", "arguments", "blocks"],
)
def test_the_bytes_of_a_request_are_never_fewer_than_its_text(message: Message, least: int) -> None:
    assert request_bytes(ChatRequest([message], "m")) >= least


def test_the_text_of_blocks_is_counted_once() -> None:
    request = ChatRequest([Message("user", blocks=(TextBlock("x" * 10_000),))], "m")

    assert request_bytes(request) < 11_000


POINTED = ImageBlock(url="https://example.org/i")


@pytest.mark.parametrize(
    ("image", "bounded"),
    [
        (ImageBlock(data=b"x" * 300), True),
        (POINTED, False),
        (ToolResultBlock("c1", "shot", [TextBlock("seen")]), True),
        (ToolResultBlock("c1", "shot", [TextBlock("seen"), POINTED]), False),
        (UnknownBlock({"type": "sealed", "parts": [{"data": "xyz"}]}), True),
        (UnknownBlock({"parts": [{"fileUri": "gs://bucket/film"}]}), False),
    ],
    ids=["sent along", "pointed to", "a tool's text", "a tool's picture", "sealed", "foreign"],
)
def test_media_that_is_only_pointed_to_has_no_worst_case(
    image: ContentBlock,
    bounded: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    request = ChatRequest([Message("user", blocks=(image,))], "m", max_tokens=10)

    assert (worst_case(request, PRICE) is not None) == bounded


def test_bytes_count_as_the_base64_they_are_sent_in() -> None:
    request = ChatRequest([Message("user")], "m", response_format={"data": b"x" * 3000})

    assert request_bytes(request) >= 4000


def test_a_budget_that_is_overspent_says_so_at_the_next_call() -> None:
    budget = Budget(max_cost_usd="0.03", spent_usd="0.04", on_exceeded="stop")

    with pytest.raises(MeterExceeded, match=r"^cost \$0\.04 > \$0\.03$"):
        asyncio.run(budget.reserve(_chat()))


def test_an_unpriced_call_under_a_ceiling_is_warned_about_once() -> None:
    budget = Budget(max_cost_usd=1)

    with pytest.warns(UserWarning, match="no price is known for 'm'"):
        _charge(budget, Usage(5, 5))
    _charge(budget, Usage(5, 5))
    assert (budget.spent(), budget.calls) == (Decimal(0), 2)


@pytest.mark.parametrize(
    ("budget", "usage"),
    [(Budget(), Usage(5, 5)), (Budget(max_cost_usd=1), Usage())],
    ids=["no ceiling", "no tokens"],
)
def test_there_is_no_warning_where_nothing_can_go_wrong(budget: Budget, usage: Usage) -> None:
    assert _charge(budget, usage).ok


def test_an_unpriced_call_may_be_refused() -> None:
    budget = Budget(max_cost_usd=1, on_unpriced="refuse")

    with pytest.raises(MeterExceeded, match="no price is known for 'm'"):
        asyncio.run(budget.reserve(_chat()))


def test_refusing_the_unpriced_lets_the_priced_pass() -> None:
    budget = Budget(max_cost_usd=1, on_unpriced="refuse")

    asyncio.run(budget.reserve(_chat(priced=True)))
    assert ledger_of(budget).in_flight == 1


def test_a_lifted_ceiling_lets_the_run_go_on() -> None:
    budget = Budget(max_cost_usd=0.25, on_exceeded="stop")
    _charge(budget, Usage(1, 1, 0.3))

    budget.max_cost_usd = "0.50000049"
    assert (budget.verdict().ok, budget.ceiling()) == (True, Decimal("0.500000"))


def test_more_calls_may_be_granted() -> None:
    budget = Budget(max_calls=1, calls=1)

    budget.max_calls = None
    assert not budget.exhausted()


def test_a_budget_goes_on_from_an_earlier_run() -> None:
    budget = Budget(spent_usd=0.1, calls=3, usage=Usage(1, 1, 0.1))

    _charge(budget, Usage(1, 1, 0.2))
    assert (budget.spent(), budget.calls, budget.usage.input_tokens) == (Decimal("0.3"), 4, 2)


_BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"max_cost_usd": "0.0000001"}, MoneyPrecisionError, "at most 6 decimal places"),
    ({"max_cost_usd": float("nan")}, MoneyPrecisionError, "finite"),
    ({"max_cost_usd": True}, MoneyPrecisionError, "is a number; got True"),
    ({"max_cost_usd": -1}, ValueError, r"max_cost_usd is zero or more; got \$-1"),
    ({"spent_usd": -0.1}, ValueError, "spent_usd is zero or more"),
    ({"max_calls": True}, TypeError, "max_calls is a whole number; got True"),
    ({"max_calls": 1.5}, TypeError, "max_calls is a whole number"),
    ({"max_calls": -1}, ValueError, "max_calls is 0 or more; got -1"),
    ({"calls": -1}, ValueError, "calls is 0 or more; got -1"),
    ({"max_depth": -1}, ValueError, "max_depth is 0 or more"),
    ({"max_concurrency": 0}, ValueError, "max_concurrency is 1 or more; got 0"),
    ({"on_exceeded": "shrug"}, ValueError, "on_exceeded is one of raise, stop; got 'shrug'"),
    ({"on_unpriced": "shrug"}, ValueError, "on_unpriced is one of warn, refuse"),
]


@pytest.mark.parametrize(("options", "error", "match"), _BAD, ids=[repr(row[0]) for row in _BAD])
def test_a_budget_refuses_bad_options(
    options: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        Budget(**options)


def test_a_refused_assignment_changes_nothing() -> None:
    budget = Budget(max_cost_usd=1, max_calls=2)

    with pytest.raises(ValueError, match="max_cost_usd is zero or more"):
        budget.max_cost_usd = -1
    with pytest.raises(TypeError, match="max_calls is a whole number"):
        budget.max_calls = "3"  # type: ignore[assignment]
    assert (budget.ceiling(), budget.max_calls) == (Decimal(1), 2)


def test_each_depth_has_a_pool_of_its_own() -> None:
    async def run() -> tuple[bool, bool]:
        budget = Budget(max_concurrency=3)
        same = budget.semaphore(1) is budget.semaphore(1)
        return same, budget.semaphore(1) is budget.semaphore(2)

    assert asyncio.run(run()) == (True, False)


def test_each_event_loop_has_pools_of_its_own() -> None:
    async def blocked(budget: Budget) -> None:
        async with budget.semaphore():
            waiting = asyncio.create_task(budget.semaphore().acquire())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])

    budget = Budget(max_concurrency=1)
    asyncio.run(blocked(budget))
    asyncio.run(blocked(budget))
    assert budget.semaphore() is budget.semaphore()


def test_the_representation_tells_what_is_spent() -> None:
    assert repr(Budget(max_cost_usd=2, spent_usd="0.5", calls=1)) == (
        "Budget(max_cost_usd=2, max_calls=None, spent_usd=0.5, calls=1)"
    )


def test_a_verdict_that_is_fine_gives_itself() -> None:
    verdict = Charge(ok=True)

    assert verdict.raise_if_exceeded() is verdict


def test_a_verdict_that_is_not_raises_its_reason() -> None:
    with pytest.raises(MeterExceeded, match="calls 3 > 2"):
        Charge(ok=False, reason="calls 3 > 2").raise_if_exceeded()


def test_what_is_no_usage_is_not_booked() -> None:
    budget = Budget()

    with pytest.raises(TypeError, match="usage is a Usage; got None"):
        asyncio.run(budget.charge(None, cast("Any", None)))
    assert budget.calls == 0
