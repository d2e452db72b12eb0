"""What holds for every policy: whatever ends a call, nothing of it stays open."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled, ProviderError
from agentkit.core.contracts.middleware import Call, Middleware, chain
from agentkit.core.contracts.types import Chunk, Delta, Message, Price, Scope
from agentkit.core.execution import CircuitBreaker
from agentkit.core.policies import (
    Guardrail,
    audit,
    compaction,
    egress,
    fallback,
    idempotent,
    memoize,
    meter,
    output_coerce,
    retry,
    semantic_memoize,
    tracing,
)
from agentkit.core.runtime import Budget
from agentkit.core.testing import FakeClock, FakeTool, JsonStore, RecordingTracer, make_test_ctx

from .drive import ANSWER, Terminal, chat, first, items, tool

PRICE = Price(*[Decimal(1)] * 5)


class Pausing:
    """A store, a vector index and a compactor that give way to other tasks at every call."""

    def __init__(self) -> None:
        self._store = JsonStore()

    def __getattr__(self, name: str) -> Any:
        async def paused(*args: Any, **kwargs: Any) -> Any:
            await asyncio.sleep(0)
            return await getattr(self._store, name)(*args, **kwargs)

        return paused

    async def search(self, *_: Any) -> list[tuple[float, Chunk]]:
        await asyncio.sleep(0)
        return []

    async def upsert(self, scope: Scope, chunks: Sequence[Chunk]) -> None:
        await asyncio.sleep(0)

    async def compact(self, messages: list[Message], ctx: Any) -> list[Message]:
        await asyncio.sleep(0)
        return messages


def price(_: str) -> Price:
    return PRICE


def pausing() -> Any:
    return Pausing()


async def resolve(_: str) -> list[str]:
    await asyncio.sleep(0)
    return ["93.184.216.34"]


class Abort(BaseException):
    """What no policy may take for a failure of the call."""


class Raw:
    """An adapter to the text itself."""

    name = "raw"
    python_type = str

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string"}

    def parse(self, raw: Any) -> Any:
        return raw

    def partial_parse(self, raw: str) -> Any:
        return None


CHAT: dict[str, Callable[[], Middleware]] = {
    "tracing": tracing,
    "output_coerce": output_coerce,
    "compaction": lambda: compaction(pausing()),
    "meter": meter,
    "fallback": lambda: fallback(["m", "n"]),
    "retry": lambda: retry(breaker=CircuitBreaker()),
    "memoize": memoize,
    "semantic_memoize": lambda: semantic_memoize(vector=pausing()),
}
TOOL: dict[str, Callable[[], Middleware]] = {
    "tracing": tracing,
    "meter": meter,
    "egress": lambda: egress(Guardrail(resolve=resolve)),
    "idempotent": idempotent,
    "audit": audit,
    "retry": retry,
    "memoize": lambda: memoize(allow_side_effects=True),
}
INCREMENTAL = sorted(set(CHAT) - {"memoize"})


def ready() -> Any:
    return make_test_ctx(
        budget=Budget(max_calls=100, max_cost_usd=100),
        store=pausing(),
        trace=RecordingTracer(),
        clock=FakeClock(),
        prices=price,
    )


def a_chat(ctx: Any) -> Call:
    return chat("hi", ctx=ctx, meta={"output_adapter": Raw()})


def a_tool(ctx: Any) -> Call:
    return tool(
        FakeTool("pay", side_effecting=True, idempotent=True), ctx=ctx, url="http://example.com"
    )


def chains() -> list[Any]:
    one = [pytest.param(a_chat, [make], ANSWER, id=f"chat-{name}") for name, make in CHAT.items()]
    two = [pytest.param(a_tool, [make], [1], id=f"tool-{name}") for name, make in TOOL.items()]
    all_chat = [CHAT[n] for n in CHAT if "memoize" not in n]
    all_tool = [TOOL[n] for n in TOOL if n != "memoize"]
    return [
        *one,
        *two,
        pytest.param(a_chat, all_chat, ANSWER, id="chat-all"),
        pytest.param(a_tool, all_tool, [1], id="tool-all"),
    ]


def nothing_is_open(ctx: Any, end: Terminal) -> bool:
    spans = [span.name for span in ctx.trace.spans if not span.ended]
    return end.closed == end.calls and not spans and ctx.budget._ledger.in_flight == 0


@pytest.mark.parametrize(("make_call", "makers", "script"), chains())
def test_it_passes_on_what_it_wraps(make_call: Any, makers: Any, script: Any) -> None:
    ctx, end = ready(), Terminal(script)
    got = asyncio.run(items([make() for make in makers], end, make_call(ctx)))

    assert nothing_is_open(ctx, end)
    if make_call is a_tool:
        assert got == [1]
    else:
        assert "".join(delta.text for delta in got) == "Hello, world"


@pytest.mark.parametrize(("make_call", "makers", "script"), chains())
def test_it_closes_the_inner_stream_when_the_consumer_leaves(
    make_call: Any, makers: Any, script: Any
) -> None:
    ctx, end = ready(), Terminal(script)
    asyncio.run(first([make() for make in makers], end, make_call(ctx)))

    assert nothing_is_open(ctx, end)


@pytest.mark.parametrize(("make_call", "makers", "script"), chains())
@pytest.mark.parametrize(
    "failure", [ProviderError("cut"), Cancelled("enough"), Abort("now")], ids=repr
)
def test_a_failure_passes_and_leaves_nothing_open(
    make_call: Any, makers: Any, script: Any, *, failure: BaseException
) -> None:
    ctx, end = ready(), Terminal([*script[:1], failure])

    async def fail() -> BaseException | None:
        stream = chain([make() for make in makers], end)(make_call(ctx))
        try:
            async for _ in stream:
                pass
        except BaseException as exc:  # noqa: BLE001 - which one it is, is the question
            return exc
        return None

    assert type(asyncio.run(fail())) is type(failure)
    assert nothing_is_open(ctx, end)


@pytest.mark.parametrize(("make_call", "makers", "script"), chains())
def test_a_cancellation_at_any_point_leaves_nothing_open(
    make_call: Any, makers: Any, script: Any
) -> None:
    async def cancelled_after(turns: int) -> bool:
        ctx, end = ready(), Terminal(script)
        task = asyncio.create_task(items([make() for make in makers], end, make_call(ctx)))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert nothing_is_open(ctx, end)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return task.cancelled()

    async def at_every_point() -> int:
        points = 1
        while await cancelled_after(points):
            points += 1
        return points

    assert asyncio.run(at_every_point()) > 1


@pytest.mark.parametrize("name", INCREMENTAL)
def test_a_delta_goes_out_before_the_next_one_has_come(name: str) -> None:
    came = 0

    async def counted(_: Call) -> AsyncIterator[Delta]:
        nonlocal came
        for delta in ANSWER:
            came += 1
            yield delta

    async def first_only() -> int:
        await first(CHAT[name](), counted, a_chat(ready()))
        return came

    assert asyncio.run(first_only()) == 1


@pytest.mark.parametrize("wrong", ["compaction", "fallback", "semantic_memoize"])
def test_a_policy_for_chats_says_so_once_in_a_tool_chain(wrong: str) -> None:
    policy = CHAT[wrong]()

    async def twice() -> list[Any]:
        return [await items(policy, Terminal([1]), a_tool(ready())) for _ in range(2)]

    with pytest.warns(UserWarning, match="does nothing") as told:
        assert asyncio.run(twice()) == [[1], [1]]
    assert len(told) == 1


@pytest.mark.parametrize("wrong", ["egress", "audit"])
def test_a_policy_for_tools_says_so_once_in_a_chat_chain(wrong: str) -> None:
    with pytest.warns(UserWarning, match="does nothing"):
        asyncio.run(items(TOOL[wrong](), Terminal(), a_chat(ready())))
