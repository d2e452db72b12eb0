"""What type checkers say of core's public calls."""

from asyncio import Semaphore
from collections.abc import AsyncGenerator, AsyncIterable
from decimal import Decimal
from typing import Any, assert_type

from agentkit.core.contracts.errors import Failure, ProviderError
from agentkit.core.contracts.llm import LLMClient
from agentkit.core.contracts.ports import Checkpoint, LLMPort, StorePort, VectorPort
from agentkit.core.contracts.types import (
    ChatRequest,
    Chunk,
    Delta,
    LLMResult,
    Scope,
    ToolRequest,
    Usage,
    assemble_deltas,
)
from agentkit.core.execution import (
    CancellationToken,
    CircuitBreaker,
    SingleFlight,
    gather_best_effort,
    gather_bounded,
    run_sync,
)
from agentkit.core.execution.bridges import as_llm_client, as_llm_port
from agentkit.core.execution.resilience import BreakerState
from agentkit.core.execution.streams import (
    buffer,
    filter_stream,
    map_stream,
    merge,
    scan,
    take,
    to_list,
)
from agentkit.core.runtime import Budget, Charge, Checkpointer, Quota, RunContext
from agentkit.core.serialization import FrozenDict, FrozenList
from agentkit.core.serialization.values import from_json
from agentkit.core.start import run_context
from agentkit.core.testing import FakeLLM, RecordingTracer, make_test_ctx


async def name_of(number: int) -> str:
    return str(number)


def price_in_cents(usage: Usage) -> int:
    return round(usage.cost_usd * 100)


async def a_run(llm: LLMPort, request: ChatRequest, tool: ToolRequest) -> None:
    ctx = run_context(llm=llm, budget=Budget(max_calls=1), scope=Scope("acme"))
    assert_type(ctx, RunContext)
    assert_type(ctx.child(), RunContext)
    assert_type(await ctx.invoker.chat(request, ctx), LLMResult)
    assert_type(await ctx.invoker.invoke_tool(tool, ctx), Any)
    assert_type([delta async for delta in ctx.invoker.stream(request, ctx)], list[Delta])
    assert_type(ctx.checkpointer, Checkpointer | None)


async def a_model(llm: LLMPort, client: LLMClient) -> None:
    assert_type(await llm.complete(system="", user="", model="m"), LLMResult)
    assert_type(as_llm_client(llm), LLMClient)
    assert_type(as_llm_port(client), LLMPort)
    assert_type(assemble_deltas([Delta()]), LLMResult)


async def a_store(store: StorePort) -> None:
    assert_type(await store.get("k"), Any | None)
    assert_type(await store.increment("k"), int)
    assert_type(await store.compare_and_set("k", 1, 2), bool)
    assert_type(await store.list("k"), list[Any])
    assert_type([key async for key in store.scan("")], list[str])


async def an_index(index: VectorPort) -> None:
    assert_type(await index.search(Scope(), "words", 3), list[tuple[float, Chunk]])


async def checkpoints(checkpointer: Checkpointer) -> None:
    assert_type(await checkpointer.resume("run"), Checkpoint | None)
    assert_type(await checkpointer.list_versions("run"), list[int])


async def money(budget: Budget, quota: Quota, call: Any) -> None:
    assert_type(budget.spent(), Decimal)
    assert_type(budget.remaining(), Decimal | None)
    assert_type(budget.remaining_usd(), float | None)
    assert_type(budget.verdict(), Charge)
    assert_type(quota.spent_in_window("acme"), Decimal)
    assert_type(await (await budget.reserve(call)).settle(Usage()), Charge)


async def streams(numbers: AsyncIterable[int], words: AsyncIterable[str]) -> None:
    assert_type(map_stream(numbers, name_of), AsyncGenerator[str, None])
    assert_type(map_stream(numbers, str), AsyncGenerator[str, None])
    assert_type(filter_stream(numbers, bool), AsyncGenerator[int, None])
    assert_type(take(numbers, 2), AsyncGenerator[int, None])
    assert_type(buffer(words, 2), AsyncGenerator[list[str], None])
    assert_type(merge(numbers, numbers), AsyncGenerator[int, None])
    assert_type(scan(words, lambda total, word: total + len(word), 0), AsyncGenerator[int, None])
    assert_type(await to_list(words), list[str])


async def at_once(places: Semaphore, flight: SingleFlight) -> None:
    assert_type(await gather_bounded([name_of(1)], sem=places), list[str])
    assert_type(await gather_best_effort([name_of(1)], sem=places), list[str | Failure])
    assert_type(await flight.run("key", lambda: name_of(1)), str)
    assert_type(run_sync(name_of(1)), str)


def stopping(token: CancellationToken, breaker: CircuitBreaker) -> None:
    assert_type(token.child(), CancellationToken)
    assert_type(token.reason, str | None)
    assert_type(breaker.state, BreakerState)


def plain_data() -> None:
    frozen = FrozenDict({"a": FrozenList([1])})
    assert_type(frozen["a"], FrozenList[int])
    assert_type(from_json(Usage, {}), Usage)
    assert_type(from_json(list[Usage], []), list[Usage])


def errors(error: ProviderError) -> None:
    assert_type(error.retry_after, float | None)
    assert_type(error.status, int | None)


def doubles() -> None:
    assert_type(make_test_ctx(llm=FakeLLM()), RunContext)
    with RecordingTracer().span("work", "internal") as span:
        assert_type(span.ended, bool)
