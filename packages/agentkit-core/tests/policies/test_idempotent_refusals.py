"""What a side effect leaves that failed: nothing only where its tool had not begun."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agentkit.core.contracts.errors import (
    Blocked,
    Cancelled,
    CircuitOpen,
    EgressDenied,
    OutcomeUnknown,
    StoreUnavailable,
    ToolArgumentError,
)
from agentkit.core.contracts.middleware import BaseMiddleware, Call, Handler, closing
from agentkit.core.contracts.ports import FetchResponse
from agentkit.core.contracts.types import ToolRequest
from agentkit.core.policies import Guardrail, audit, egress, idempotent, retry
from agentkit.core.testing import FakeClock, FakeLLM, FakeTool, JsonStore, make_test_ctx

REFUSALS = [Blocked("no"), EgressDenied("no"), ToolArgumentError("no"), CircuitOpen("no")]
MOVED = FetchResponse("http://127.0.0.1/", 200, {}, "", "text/plain", 0.0)


class Shop:
    """A tool that pays, and a run that has it called inside of `idempotent()`."""

    def __init__(self, *inside: Any, answer: Any = "receipt", again: bool = False) -> None:
        self.paid = 0
        self.answer = answer
        self.tool = FakeTool("pay", responder=self._pay, side_effecting=True, idempotent=again)
        self.store = JsonStore()
        self.wrap(idempotent(), *inside)

    def wrap(self, *policies: Any) -> None:
        self.ctx = make_test_ctx(
            llm=FakeLLM(), store=self.store, clock=FakeClock(), tool_middleware=policies
        )

    def _pay(self, _: Any) -> Any:
        self.paid += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def ask(self, **arguments: Any) -> Any:
        request = ToolRequest("pay", arguments, self.tool, call_id="c1")
        return asyncio.run(self.ctx.invoker.invoke_tool(request, self.ctx))


class Before(BaseMiddleware):
    """Refuses the first call."""

    def __init__(self, refusal: Exception) -> None:
        self.left = [refusal]

    async def on_request(self, ctx: Any) -> None:
        if self.left:
            raise self.left.pop()


class After(BaseMiddleware):
    """Refuses what came out."""

    def __init__(self, refusal: Exception) -> None:
        self.refusal = refusal

    async def on_response(self, ctx: Any, result: Any) -> Any:
        raise self.refusal


class Down(JsonStore):
    """A store whose logs cannot be written."""

    async def append(self, key: str, value: Any) -> None:
        raise StoreUnavailable("no route")


@pytest.mark.parametrize("refusal", [*REFUSALS, Cancelled("no"), RuntimeError("no")], ids=repr)
def test_a_failure_before_the_tool_began_leaves_no_intent(refusal: Exception) -> None:
    shop = Shop(Before(refusal))
    with pytest.raises(type(refusal), match="no"):
        shop.ask()

    assert (shop.ask(), shop.paid) == ("receipt", 1)


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("refusal", REFUSALS, ids=repr)
def test_a_refusal_after_the_tool_ran_is_a_failure(refusal: Exception, *, again: bool) -> None:
    shop = Shop(After(refusal), again=again)
    with pytest.raises(type(refusal), match="no"):
        shop.ask()

    with pytest.raises(type(refusal) if again else OutcomeUnknown, match="no"):
        shop.ask()
    assert shop.paid == 1 + again


@pytest.mark.parametrize("refusal", REFUSALS, ids=repr)
def test_a_refusal_that_the_tool_itself_raised_is_a_failure(refusal: Exception) -> None:
    shop = Shop(answer=refusal)
    with pytest.raises(type(refusal), match="no"):
        shop.ask()

    with pytest.raises(OutcomeUnknown, match=f"{type(refusal).__name__}: no"):
        shop.ask()
    assert shop.paid == 1


def test_a_redirect_that_is_refused_was_followed_all_the_same() -> None:
    shop = Shop(egress(Guardrail()), answer=MOVED)
    with pytest.raises(EgressDenied, match="public internet"):
        shop.ask()

    with pytest.raises(OutcomeUnknown, match="EgressDenied"):
        shop.ask()
    assert shop.paid == 1


def test_an_attempt_that_ran_counts_though_the_next_is_refused() -> None:
    class OpenAtOnce(BaseMiddleware):
        async def on_request(self, ctx: Any) -> None:
            if ctx.call.meta["attempts"] > 1:
                raise Blocked("no more")

    shop = Shop(retry(allow_side_effects=True), OpenAtOnce(), answer=TimeoutError("slow"))
    with pytest.raises(Blocked, match="no more"):
        shop.ask()

    with pytest.raises(OutcomeUnknown, match="Blocked: no more"):
        shop.ask()


async def anew(call: Call, nxt: Handler) -> AsyncIterator[Any]:
    async with closing(nxt(Call("tool", call.request, call.ctx))) as items:
        async for item in items:
            yield item


def test_a_tool_that_ran_for_a_call_of_a_middlewares_making_has_begun() -> None:
    shop = Shop(anew, answer=Blocked("no"))
    with pytest.raises(Blocked, match="no"):
        shop.ask()

    with pytest.raises(OutcomeUnknown, match="Blocked: no"):
        shop.ask()


class Asks(BaseMiddleware):
    """Has another tool called before it refuses a payment."""

    async def on_request(self, ctx: Any) -> None:
        if ctx.request.name == "pay":
            request = ToolRequest("ask", {}, FakeTool("ask"))
            await ctx.run.invoker.invoke_tool(request, ctx.run)
            raise Blocked("said no")


def test_another_tool_that_ran_meanwhile_is_none_of_it() -> None:
    shop = Shop(Asks())
    with pytest.raises(Blocked, match="said no"):
        shop.ask()
    shop.wrap(idempotent())

    assert (shop.ask(), shop.paid) == ("receipt", 1)


def test_a_log_that_is_down_does_not_undo_what_was_done() -> None:
    shop = Shop(audit(store=Down()))
    with pytest.raises(StoreUnavailable, match="no route"):
        shop.ask()

    assert (shop.ask(), shop.paid) == ("receipt", 1)


def test_a_log_that_is_down_leaves_it_to_a_guard_to_refuse_the_outcome() -> None:
    shop = Shop(After(Blocked("names a card")), audit(store=Down()))
    with pytest.raises(Blocked, match="names a card"):
        shop.ask()

    with pytest.raises(OutcomeUnknown, match="Blocked: names a card"):
        shop.ask()


def test_a_log_outside_of_the_policy_is_told_at_once() -> None:
    shop = Shop()
    shop.wrap(audit(store=Down()), idempotent())

    with pytest.raises(StoreUnavailable, match="no route"):
        shop.ask()


@pytest.mark.parametrize(
    "odd", [float("nan"), float("inf"), object()], ids=["nan", "inf", "object"]
)
def test_a_call_that_cannot_be_told_from_another_is_refused_before_it_runs(odd: Any) -> None:
    shop = Shop()

    with pytest.raises(ToolArgumentError, match="cannot be told from another") as caught:
        shop.ask(odd=odd)
    assert (caught.value.tool_name, shop.paid) == ("pay", 0)
