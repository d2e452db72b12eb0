"""What the frame of a run refuses, and how it says what to do instead."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.core import runtime
from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import Checkpoint
from agentkit.core.contracts.types import ChatRequest, Delta, Message, ToolRequest
from agentkit.core.runtime import Checkpointer, Services
from agentkit.core.testing import FakeLLM, FakeTool, JsonStore, MemoryCheckpoints, make_test_ctx

REQUEST = ChatRequest([Message("user", "hi")], "m")
# As Any: what is refused below, a type checker refuses as well.
Invoker: Any = runtime.Invoker
RunContext: Any = runtime.RunContext


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Invoker(llm=None), r"llm has stream\(\); got None"),
        (lambda: Invoker(llm="gpt"), r"llm has stream\(\); got 'gpt'"),
        (lambda: Invoker(llm=FakeLLM), "llm is an object; got the class FakeLLM: make one of it"),
        (lambda: Invoker(llm=FakeLLM(), chat_middleware=print), "chat_middleware is a list; got"),
        (lambda: Invoker(llm=FakeLLM(), tool_middleware="ab"), "tool_middleware is a list; got"),
        (lambda: RunContext("r", "acme"), "RunContext.scope is a Scope; got 'acme'"),
        (lambda: RunContext("r", budget=1.0), "RunContext.budget is a Budget; got 1.0"),
        (lambda: RunContext("r", services={}), "RunContext.services is the Services; got {}"),
        (lambda: RunContext("r", meters=()), r"RunContext.meters is a list of meters; got \(\)"),
        (lambda: RunContext("r", depth=True), "RunContext.depth is a whole number; got True"),
        (lambda: RunContext("r", cancel=True), r"RunContext.cancel has check, add_callback\(\)"),
    ],
)  # fmt: skip
def test_a_part_of_another_type_is_told_where_it_is_wired(
    make: Callable[[], Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RunContext("r", depth=-1), "RunContext.depth is 0 or more; got -1"),
        (lambda: RunContext("r", autonomy="full"), "autonomy is one of auto, gated, manual"),
    ],
)
def test_a_part_out_of_range_is_told_where_it_is_wired(
    make: Callable[[], Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "name", ["invoker", "store", "checkpointer", "vector", "trace", "observer", "replay", "metrics",
             "sampler", "clock"],
)  # fmt: skip
def test_a_seam_is_told_by_the_method_that_it_lacks(name: str) -> None:
    wired: dict[str, Any] = {name: "redis://here"}

    with pytest.raises(TypeError, match=rf"Services\.{name} has \w+\(\); got 'redis://here'"):
        Services(**wired)


def test_a_class_is_no_store() -> None:
    wired: dict[str, Any] = {"store": JsonStore}

    with pytest.raises(TypeError, match=r"Services\.store is an object; got the class JsonStore"):
        Services(**wired)


def test_prices_are_a_function() -> None:
    wired: dict[str, Any] = {"prices": {"m": 1}}

    with pytest.raises(TypeError, match=r"Services\.prices is a function of a model"):
        Services(**wired)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("hi", ...), "what is asked is a ChatRequest; got 'hi'"),
        (
            (REQUEST, None),
            r"^a call belongs to a run: pass its context, of run_context\(llm=\.\.\.\); got None$",
        ),
        ((REQUEST, 5), "a call belongs to a run: .*; got 5"),
    ],
    ids=["text", "no context", "another thing"],
)
@pytest.mark.parametrize("how", ["chat", "stream"])
def test_a_chat_is_a_request_in_a_run(how: str, asked: tuple[Any, Any], message: str) -> None:
    llm = FakeLLM()
    ctx = make_test_ctx(llm=llm)

    async def ask() -> None:
        await getattr(ctx.invoker, how)(asked[0], ctx if asked[1] is ... else asked[1])

    with pytest.raises(TypeError, match=message):
        asyncio.run(ask())
    assert llm.calls == 0


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (REQUEST, "what is asked is a ToolRequest"),
        (ToolRequest("t", {}, 3), r"a ToolRequest's tool has run\(\); got 3"),
    ],
    ids=["chat", "no tool"],
)
def test_a_tool_call_is_a_request_with_a_tool(request_: Any, message: str) -> None:
    ctx = make_test_ctx(llm=FakeLLM())

    with pytest.raises(TypeError, match=message):
        asyncio.run(ctx.invoker.invoke_tool(request_, ctx))


def test_meta_is_a_dict() -> None:
    ctx, tool, meta = make_test_ctx(llm=FakeLLM()), FakeTool(), "ab"
    asked = ToolRequest("t", {}, tool)

    with pytest.raises(TypeError, match="meta is a dict; got 'ab'"):
        asyncio.run(ctx.invoker.invoke_tool(asked, ctx, meta=meta))  # type: ignore[arg-type]
    assert tool.calls == []


def test_a_response_that_was_read_says_so_when_it_is_read_again() -> None:
    ctx = make_test_ctx(llm=FakeLLM("hello"))

    async def read_twice() -> None:
        stream = ctx.invoker.stream(REQUEST, ctx)
        _ = [delta async for delta in stream]
        _ = [delta async for delta in stream]

    with pytest.raises(RuntimeError) as caught:
        asyncio.run(read_twice())
    assert str(caught.value) == (
        "this response has been read to its end or closed: keep its increments in a list, or ask "
        "again with another invoker.stream(...)"
    )


def test_a_response_that_was_closed_says_so() -> None:
    ctx = make_test_ctx(llm=FakeLLM("hello"))

    async def close_and_read() -> None:
        stream: Any = ctx.invoker.stream(REQUEST, ctx)
        await stream.aclose()
        _ = [delta async for delta in stream]

    with pytest.raises(RuntimeError, match="ask again with another"):
        asyncio.run(close_and_read())


def test_a_response_that_nobody_reads_is_never_asked_for() -> None:
    llm = FakeLLM("hello")
    ctx = make_test_ctx(llm=llm)

    async def leave() -> Delta | None:
        stream: Any = ctx.invoker.stream(REQUEST, ctx)
        await stream.aclose()
        nothing: Delta | None = await anext(stream, None)
        return nothing

    assert asyncio.run(leave()) is None
    assert llm.calls == 0


def test_a_response_may_be_read_in_parts() -> None:
    ctx = make_test_ctx(llm=FakeLLM("hello world"))

    async def read() -> list[Delta]:
        stream = ctx.invoker.stream(REQUEST, ctx)
        return [await anext(stream), *[delta async for delta in stream]]

    assert "".join(delta.text for delta in asyncio.run(read())) == "hello world"


@pytest.mark.parametrize(
    ("snapshot", "error", "message"),
    [
        ({"run_id": "", "state": {}}, StoreValueError, "a key must not be empty"),
        ({"run_id": None, "state": {}}, StoreValueError, "a key must be a str"),
        ({"run_id": "r", "state": []}, TypeError, r"a run's state is a dict; got \[\]"),
        ({"run_id": "r", "state": {}, "metadata": "m"}, TypeError, "metadata is a dict; got 'm'"),
        ({"run_id": "r", "state": {}, "status": "done"}, TypeError, "status is a CheckpointStatus"),
    ],
    ids=["empty id", "no id", "state", "metadata", "status"],
)
def test_a_snapshot_is_checked_before_the_store_is_touched(
    snapshot: dict[str, Any], error: type[Exception], message: str
) -> None:
    class Untouched(MemoryCheckpoints):
        async def latest(self, run_id: str) -> Checkpoint | None:
            raise AssertionError

    with pytest.raises(error, match=message):
        asyncio.run(Checkpointer(Untouched()).snapshot(**snapshot))


@pytest.mark.parametrize("port", [None, "sqlite://", MemoryCheckpoints], ids=repr)
def test_a_checkpointer_is_made_over_a_store_of_checkpoints(port: Any) -> None:
    with pytest.raises(TypeError, match="a checkpointer's port"):
        Checkpointer(port)


class Held(MemoryCheckpoints):
    """Its saves wait until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()
        self.go = asyncio.Event()

    async def save(self, cp: Checkpoint) -> None:
        self.reached.set()
        await self.go.wait()
        await super().save(cp)


def test_a_run_that_is_saved_from_another_loop_meanwhile_says_what_to_do() -> None:
    async def save_in_two_loops() -> None:
        port = Held()
        checkpointer = Checkpointer(port)
        saving = asyncio.create_task(checkpointer.snapshot("r", {}))
        await port.reached.wait()
        with pytest.raises(
            RuntimeError, match=r"one loop, or give each loop a context of its own$"
        ):
            await asyncio.to_thread(asyncio.run, checkpointer.snapshot("r", {}))
        port.go.set()
        await saving

    asyncio.run(save_in_two_loops())


def test_a_checkpointer_goes_on_in_the_next_loop_after_a_save_that_was_cut() -> None:
    port = Held()
    checkpointer = Checkpointer(port)

    async def cut() -> None:
        saving = asyncio.create_task(checkpointer.snapshot("r", {}))
        await port.reached.wait()
        saving.cancel()

    asyncio.run(cut())
    port.go.set()
    assert asyncio.run(checkpointer.snapshot("r", {})).version == 1
