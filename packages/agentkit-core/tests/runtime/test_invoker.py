"""Model calls and tool calls through their chains."""

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.middleware import Call, Handler
from agentkit.core.contracts.types import ChatRequest, Delta, Message, ToolRequest
from agentkit.core.execution import CancellationToken
from agentkit.core.policies import meter
from agentkit.core.runtime import Budget, Invoker, NullCtx
from agentkit.core.testing import FakeLLM, FakeTool, make_test_ctx

REQUEST = ChatRequest([Message("user", "hi")], "m", [], {"type": "json"}, 0.5, 7, "hint")


class Endless(FakeLLM):
    """A model that starts to answer and never ends."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = False

    async def stream(self, **request: Any) -> AsyncIterator[Delta]:
        try:
            yield Delta("so")
            await asyncio.Event().wait()
        finally:
            self.closed = True


class Heard(CancellationToken):
    """A token that keeps who began to listen to it, and who stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.story: list[str] = []

    def add_callback(self, callback: Callable[[], object]) -> Callable[[], None]:
        self.story.append("listen")
        forget = super().add_callback(callback)

        def forgotten() -> None:
            self.story.append("forget")
            forget()

        return forgotten


async def passing(call: Call, nxt: Handler) -> AsyncIterator[Any]:
    async for item in nxt(call):
        yield item


async def ask(ctx: Any) -> None:
    await ctx.invoker.chat(REQUEST, ctx)


async def tell_kind(call: Call, nxt: Handler) -> AsyncIterator[Any]:
    call.meta["told"].append(call.kind)
    async for item in nxt(call):
        yield item


def test_the_model_is_asked_exactly_what_was_requested() -> None:
    llm = FakeLLM("42")
    ctx = make_test_ctx(llm=llm)
    asyncio.run(ctx.invoker.chat(REQUEST, ctx))

    assert llm.requests == [REQUEST]


def test_a_tool_runs_with_its_arguments_and_its_run() -> None:
    tool = FakeTool(responder={"ok": True})
    ctx = make_test_ctx(llm=FakeLLM())
    request = ToolRequest(tool.name, {"a": 1}, tool)

    assert asyncio.run(ctx.invoker.invoke_tool(request, ctx)) == {"ok": True}
    assert tool.calls == [{"a": 1}]


def test_a_tool_is_told_its_run() -> None:
    class Asking(FakeTool):
        async def run(self, args: dict[str, Any], ctx: Any) -> Any:
            return ctx.correlation_id

    ctx = make_test_ctx(llm=FakeLLM())
    answer = asyncio.run(ctx.invoker.invoke_tool(ToolRequest("t", {}, Asking()), ctx))
    assert answer == "test-run"


def test_a_stream_has_the_meta_that_it_was_given() -> None:
    told: list[str] = []
    ctx = make_test_ctx(llm=FakeLLM(), chat_middleware=[tell_kind])

    async def read() -> None:
        async for _ in ctx.invoker.stream(REQUEST, ctx, meta={"told": told}):
            pass

    asyncio.run(read())
    assert told == ["chat"]


def test_a_live_run_with_a_token_answers_to_the_end() -> None:
    ctx = make_test_ctx(llm=FakeLLM("hello world"), cancel=CancellationToken())

    assert asyncio.run(ctx.invoker.chat(REQUEST, ctx)).content == "hello world"


def test_each_kind_of_work_has_a_chain_of_its_own() -> None:
    ctx = make_test_ctx(llm=FakeLLM(), chat_middleware=[tell_kind], tool_middleware=[tell_kind])
    told: list[str] = []
    tool = FakeTool()

    async def both() -> None:
        await ctx.invoker.chat(REQUEST, ctx, meta={"told": told})
        await ctx.invoker.invoke_tool(ToolRequest("t", {}, tool), ctx, meta={"told": told})

    asyncio.run(both())
    assert told == ["chat", "tool"]


def test_meta_is_copied_into_the_call() -> None:
    async def mark(call: Call, nxt: Handler) -> AsyncIterator[Any]:
        call.meta["mark"] = True
        async for item in nxt(call):
            yield item

    meta: dict[str, Any] = {}
    ctx = make_test_ctx(llm=FakeLLM(), chat_middleware=[mark])
    asyncio.run(ctx.invoker.chat(REQUEST, ctx, meta=meta))

    assert meta == {}


def test_cancelling_the_run_interrupts_a_model_call_in_flight() -> None:
    token, llm = CancellationToken(), Endless()
    ctx = make_test_ctx(llm=llm, cancel=token)

    async def ask() -> None:
        async for _ in ctx.invoker.stream(REQUEST, ctx):
            asyncio.get_running_loop().call_soon(token.cancel, "user left")

    with pytest.raises(Cancelled, match="user left"):
        asyncio.run(ask())
    assert llm.closed


def test_a_model_call_listens_to_the_run_once_until_it_ends() -> None:
    token = Heard()
    ctx = make_test_ctx(llm=FakeLLM("many words, in many pieces"), cancel=token)
    asyncio.run(ask(ctx))

    assert token.story == ["listen", "forget"]


def test_cancelling_the_run_interrupts_a_tool_call_in_flight() -> None:
    token = CancellationToken()
    ctx = make_test_ctx(llm=FakeLLM(), cancel=token)

    async def hang(args: Any) -> None:
        token.cancel("user left")
        await asyncio.Event().wait()

    request = ToolRequest("t", {}, FakeTool(responder=hang))
    with pytest.raises(Cancelled, match="user left"):
        asyncio.run(ctx.invoker.invoke_tool(request, ctx))


def test_closing_a_stream_early_closes_the_model() -> None:
    llm = Endless()
    ctx = make_test_ctx(llm=llm)

    async def leave() -> None:
        stream: Any = ctx.invoker.stream(REQUEST, ctx)
        await anext(stream)
        await stream.aclose()
        assert llm.closed  # at once: at the end of the loop everything is closed

    asyncio.run(leave())


def test_code_outside_of_any_run_may_ask_a_model() -> None:
    invoker = Invoker(llm=FakeLLM("hello"), chat_middleware=[passing])

    assert asyncio.run(invoker.chat(REQUEST, NullCtx())).content == "hello"


@pytest.mark.parametrize(
    "budget", [Budget(max_calls=3), Budget(max_cost_usd=1)], ids=["calls", "cost"]
)
def test_a_ceiling_that_nothing_charges_is_told_once(budget: Budget) -> None:
    ctx = make_test_ctx(llm=FakeLLM(), budget=budget, chat_middleware=[passing])

    with pytest.warns(UserWarning, match="add meter"):
        asyncio.run(ask(ctx))
    asyncio.run(ctx.invoker.chat(REQUEST, ctx))  # a second warning would be an error


def test_a_warning_is_about_the_line_that_asks() -> None:
    ctx = make_test_ctx(llm=FakeLLM(), budget=Budget(max_calls=3), chat_middleware=[passing])

    with pytest.warns(UserWarning, match="add meter") as told:
        asyncio.run(ask(ctx))
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("max_calls", "chain"), [(None, []), (3, [meter()])], ids=["no ceiling", "metered"]
)
def test_a_budget_that_works_is_not_complained_about(max_calls: int, chain: list[Any]) -> None:
    ctx = make_test_ctx(llm=FakeLLM(), budget=Budget(max_calls=max_calls), chat_middleware=chain)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(ctx.invoker.chat(REQUEST, ctx))
