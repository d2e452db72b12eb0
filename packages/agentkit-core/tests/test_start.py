"""The short way to a run."""

import asyncio
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.core.contracts.middleware import Call, Handler
from agentkit.core.contracts.types import ChatRequest, Chunk, Message, Price, Scope
from agentkit.core.runtime import Budget, Checkpointer
from agentkit.core.start import run_context
from agentkit.core.testing import FakeClock, FakeLLM, MemoryCheckpoints, RecordingTracer

REQUEST = ChatRequest([Message("user", "hi")], "m")


async def own(call: Call, nxt: Handler) -> AsyncIterator[Any]:
    async for item in nxt(call):
        yield item


def test_a_model_is_all_it_takes() -> None:
    ctx = run_context(llm=FakeLLM("42"))

    assert asyncio.run(ctx.invoker.chat(REQUEST, ctx)).content == "42"


def test_runs_have_ids_of_their_own_unless_told() -> None:
    llm = FakeLLM()

    assert run_context(llm=llm).correlation_id != run_context(llm=llm).correlation_id
    assert run_context(llm=llm, run_id="r").correlation_id == "r"


def test_an_empty_run_id_is_refused_rather_than_replaced() -> None:
    with pytest.raises(ValueError, match="a run's id"):
        run_context(llm=FakeLLM(), run_id="")


def test_every_call_is_traced_metered_and_retried() -> None:
    tracer, budget = RecordingTracer(), Budget(max_calls=5)
    llm = FakeLLM("ok", fail_times=1)
    ctx = run_context(llm=llm, trace=tracer, budget=budget, clock=FakeClock())
    asyncio.run(ctx.invoker.chat(REQUEST, ctx))

    assert ([s.name for s in tracer.spans], budget.calls, llm.calls) == (["chat"], 1, 2)


def test_the_callers_own_middlewares_go_between() -> None:
    ctx = run_context(llm=FakeLLM(), chat_middleware=[own], tool_middleware=[own])

    assert ctx.invoker.chat_middleware.index(own) == 2
    assert ctx.invoker.tool_middleware.index(own) == 2


def test_a_store_of_checkpoints_becomes_a_checkpointer() -> None:
    port = MemoryCheckpoints()
    ctx = run_context(llm=FakeLLM(), checkpointer=port)
    same = run_context(llm=FakeLLM(), checkpointer=ctx.checkpointer)

    assert isinstance(ctx.checkpointer, Checkpointer)
    assert same.checkpointer is ctx.checkpointer


class Index:
    """A vector index that nobody asks."""

    async def upsert(self, scope: Scope, chunks: list[Chunk]) -> None:
        raise AssertionError

    async def search(  # noqa: PLR0917 - the port's
        self, scope: Scope, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> list[tuple[float, Chunk]]:
        raise AssertionError


def test_what_is_wired_is_what_the_run_has() -> None:
    price, vector = Price(*[Decimal(1)] * 5), Index()
    ctx = run_context(llm=FakeLLM(), scope=Scope("acme"), prices=lambda _: price, vector=vector)

    assert (ctx.scope, ctx.prices("any"), ctx.vector) == (Scope("acme"), price, vector)


def test_a_provider_that_asks_for_an_hours_patience_is_not_waited_for() -> None:
    clock = FakeClock()
    busy = ProviderError("busy", retry_after=3600.0, error_class=ErrorClass.TRANSIENT)
    ctx = run_context(llm=FakeLLM(fail_times=1, fail_exc=busy), clock=clock)
    with pytest.raises(ProviderError, match="busy"):
        asyncio.run(ctx.invoker.chat(REQUEST, ctx))

    assert clock.sleeps == []


@pytest.mark.parametrize("meter", [1, None, "budget", Budget, object()], ids=repr)
def test_what_counts_nothing_is_refused_as_a_meter(meter: Any) -> None:
    with pytest.raises(TypeError, match="a meter"):
        run_context(llm=FakeLLM(), meters=[meter])


def test_a_meter_of_the_callers_own_is_asked() -> None:
    own_budget = Budget(max_calls=1)
    ctx = run_context(llm=FakeLLM("ok"), meters=[own_budget])
    asyncio.run(ctx.invoker.chat(REQUEST, ctx))

    assert own_budget.calls == 1


@pytest.mark.parametrize("scope", ["", 0, (), "acme"], ids=repr)
def test_a_scope_that_is_none_is_refused_rather_than_replaced(scope: Any) -> None:
    with pytest.raises(TypeError, match="scope is a Scope"):
        run_context(llm=FakeLLM(), scope=scope)
