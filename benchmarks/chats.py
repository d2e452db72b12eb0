"""A whole chat through the invoker: its time, and its memory while it is under way."""

import asyncio
from collections.abc import Callable
from importlib import import_module
from time import process_time
from typing import Any

from measuring import Row, Sample, bytes_held, seconds_of_await

from agentkit.core.contracts.types import ChatRequest, Message
from agentkit.core.policies import meter, retry, tracing
from agentkit.core.runtime import Invoker
from agentkit.core.testing import FakeLLM, make_test_ctx

__all__ = ["ASKED", "calls", "memory"]

ASKED = ChatRequest([Message("user", "hi")], "fake-model")


def calls() -> list[Row]:
    """A chat through the invoker, against a peer and against a plain loop."""
    llm = FakeLLM("hello")
    bare = make_test_ctx(llm=llm)
    wired = make_test_ctx(llm=llm, chat_middleware=[tracing(), meter(), retry()])

    async def plain() -> str:
        stream = llm.stream(messages=ASKED.messages, model=ASKED.model)
        return "".join([delta.text async for delta in stream])

    def chat(ctx: Any) -> Sample:
        return seconds_of_await(lambda: ctx.invoker.chat(ASKED, ctx), times=200, clock=process_time)

    what = "chat through tracing, meter, retry"
    floor = seconds_of_await(plain, times=200, clock=process_time)
    rows = [
        Row(what=what, ours=chat(wired), floor=floor, against="a loop over the model's stream"),
        Row(what="chat through nothing", ours=chat(bare), floor=floor, against="the same loop"),
    ]
    peer = _peer()
    if peer is None:
        print("without langchain-core (benchmarks/requirements.txt) there is no peer to compare\n")
        return rows
    against = "langchain-core's ainvoke"
    return [Row(what=what, ours=chat(wired), floor=peer, against=against, at_most=0.1), *rows]


def _peer() -> Sample | None:
    try:
        models = import_module("langchain_core.language_models")
    except ImportError:
        return None
    model = models.FakeListChatModel(responses=["hello"])
    return seconds_of_await(lambda: model.ainvoke("hi"), times=50, clock=process_time)


class Gate:
    """A clock whose sleep ends when an event is set."""

    def __init__(self, event: asyncio.Event) -> None:
        self._event = event

    def now(self) -> float:
        """Give no time at all."""
        return 0.0

    async def sleep(self, seconds: float) -> None:  # noqa: ARG002 - the port's
        """Wait for the event."""
        await self._event.wait()


def memory() -> list[Row]:
    """What a call under way holds, against what a plain loop holds."""

    async def plain(gate: asyncio.Event) -> object:
        llm = FakeLLM("hello", delay=1, clock=Gate(gate))
        return [d async for d in llm.stream(messages=ASKED.messages, model=ASKED.model)]

    def through(*middlewares: Any) -> Callable[[asyncio.Event], Any]:
        invoker = Invoker(llm=FakeLLM(), chat_middleware=middlewares)
        ctx = make_test_ctx(invoker=invoker)

        async def call(gate: asyncio.Event) -> object:
            invoker.llm = FakeLLM("hello", delay=1, clock=Gate(gate))
            return await invoker.chat(ASKED, ctx)

        return call

    return [
        Row(
            what="memory of one of 1,000 calls under way",
            ours=bytes_held(through(tracing(), meter(), retry()), tasks=1000),
            floor=bytes_held(plain, tasks=1000),
            against="a plain loop",
            at_most=4,
            unit="B",
        )
    ]
