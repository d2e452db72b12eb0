"""What a call costs that knows little of its run, its model or its own price."""

import asyncio
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from agentkit.core.contracts.content import ImageBlock, TextBlock, UnknownBlock
from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import ChatRequest, Message, ModelUsage, Price, Usage
from agentkit.core.runtime import Budget, NullCtx, Quota, reserve
from agentkit.core.runtime._prices import price_of, request_bytes, worst_case
from agentkit.core.testing import make_test_ctx

from .books import ledger_of

DOLLAR = Price(*[Decimal(1_000_000)] * 5)
REQUEST = ChatRequest([Message("user", "hi")], "m", max_tokens=10)
FOREIGN: list[Any] = [
    SimpleNamespace(kind="chat"),
    SimpleNamespace(kind="chat", ctx=make_test_ctx(prices=lambda _: DOLLAR)),
    SimpleNamespace(kind="chat", ctx=make_test_ctx(prices=lambda _: DOLLAR), request=object()),
    Call("chat", REQUEST, NullCtx()),
]


def call() -> Call:
    return Call("chat", REQUEST, make_test_ctx(prices=lambda _: DOLLAR))


@pytest.mark.parametrize("foreign", FOREIGN, ids=["nothing", "no request", "no model", "no run"])
def test_a_call_that_does_not_say_what_it_asks_has_no_price_and_is_admitted(foreign: Any) -> None:
    budget = Budget(max_cost_usd=1)
    asyncio.run(budget.reserve(foreign))

    assert (ledger_of(budget).in_flight, ledger_of(budget).held) == (1, Decimal(0))


@pytest.mark.parametrize("foreign", FOREIGN[:3], ids=["nothing", "no request", "no model"])
def test_a_call_that_names_no_model_is_warned_about_all_the_same(foreign: Any) -> None:
    with pytest.warns(UserWarning, match="^no price is known for '': "):
        asyncio.run(Budget(max_cost_usd=1).charge(foreign, Usage(1, 1)))


@pytest.mark.parametrize("close", ["settle", "book"])
def test_the_exact_usage_decides_however_a_call_is_closed(close: str) -> None:
    async def charge(budget: Budget) -> None:
        held = await (reserve([budget], call()) if close == "book" else budget.reserve(call()))
        for _ in range(2):
            await held.settle(Usage(1, 1, 9.0), ModelUsage(1, cost=Decimal("0.25")))

    budget = Budget()
    asyncio.run(charge(budget))
    assert (budget.spent(), budget.calls) == (Decimal("0.25"), 1)


@pytest.mark.parametrize(
    ("usage", "model_usage", "spent"),
    [
        (Usage(), ModelUsage(2), 2),
        (Usage(2), None, 2),
        (Usage(), None, 0),
        (Usage(5), ModelUsage(), 0),
    ],
    ids=["exact usage", "usage", "nothing used", "nothing used exactly"],
)
def test_tokens_are_paid_for_and_nothing_else(
    usage: Usage, model_usage: ModelUsage | None, spent: int
) -> None:
    async def charge(budget: Budget) -> None:
        await (await budget.reserve(call())).settle(usage, model_usage)

    budget = Budget()
    asyncio.run(charge(budget))
    assert budget.spent() == spent


def test_every_kind_of_token_is_added_up() -> None:
    budget = Budget(usage=Usage(1, 2, 0.5, 3, 4))
    for _ in range(2):
        asyncio.run(budget.charge(call(), Usage(10, 20, 0.25, 30, 40)))

    assert budget.usage == Usage(21, 42, 1.0, 63, 84)


def test_text_beside_a_picture_has_a_worst_case() -> None:
    blocks = (TextBlock("what is it?"), ImageBlock(data=b"d"))
    asked = ChatRequest([Message("user", blocks=blocks)], "m", max_tokens=10)

    assert worst_case(asked, DOLLAR) == request_bytes(asked) + 10


@pytest.mark.parametrize("name", ["file_id", "fileId", "image_url", "FILE_URI"])
def test_a_foreign_block_points_elsewhere_however_its_names_are_spelled(name: str) -> None:
    blocks = (UnknownBlock({"source": [{name: "f"}]}),)
    asked = ChatRequest([Message("user", blocks=blocks)], "m", max_tokens=10)

    assert worst_case(asked, DOLLAR) is None


@pytest.mark.parametrize(("data", "more"), [(b"123", 4), (b"1234", 5), (b"12345", 6)])
def test_the_bytes_of_a_request_are_whole(data: bytes, more: int) -> None:
    def asked(sent: bytes) -> int:
        return request_bytes(ChatRequest([], "m", response_format={"data": sent}))

    assert repr(asked(data) - asked(b"")) == repr(more)


def test_no_price_is_asked_for_where_no_dollars_are_limited() -> None:
    def lost(_: str) -> Price:
        raise OSError("the price list is gone")

    limit = Quota(max_rpm=1)
    asyncio.run(limit.reserve(Call("chat", REQUEST, make_test_ctx(prices=lost))))


def test_an_unpriced_call_takes_its_place_in_a_quota_of_dollars() -> None:
    asyncio.run(Quota(max_usd=1).reserve(Call("chat", REQUEST, make_test_ctx())))


def test_a_price_list_that_fails_knows_no_price() -> None:
    def fails(model: str) -> Price | None:
        raise KeyError(model)

    assert price_of(Call("chat", REQUEST, make_test_ctx(prices=fails))) is None
