"""What the tests of policies share: a scripted end of a chain, and ways to run one."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from agentkit.core.contracts.middleware import Call, Middleware, chain, closing
from agentkit.core.contracts.types import ChatRequest, Delta, Message, ToolRequest, Usage
from agentkit.core.testing import FakeClock, FakeTool, make_test_ctx

END = Delta(model="m", usage=Usage(10, 5, 0.25), provider="p", finish_reason="stop")
ANSWER = (Delta("Hello, "), Delta("world"), END)


class Terminal:
    """The end of a chain: each call plays the next script, and the last one again after that.

    A script is a list of items; an exception among them is raised in its turn.
    """

    def __init__(self, *scripts: Sequence[Any]) -> None:
        self._scripts = scripts or (ANSWER,)
        self.calls = 0
        self.closed = 0
        self.requests: list[Any] = []

    async def __call__(self, call: Call) -> AsyncIterator[Any]:
        script = self._scripts[min(self.calls, len(self._scripts) - 1)]
        self.calls += 1
        self.requests.append(call.request)
        try:
            for item in script:
                await asyncio.sleep(0)
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self.closed += 1


def chat(*texts: str, ctx: Any = None, meta: dict[str, Any] | None = None, **fields: Any) -> Call:
    """Give a chat call with user messages of *texts*."""
    messages = [Message("user", text) for text in texts or ("hi",)]
    asked: dict[str, Any] = {"messages": messages, "model": "m", **fields}
    request = ChatRequest(**asked)
    return Call("chat", request, ctx or make_test_ctx(clock=FakeClock()), meta or {})


def tool(double: Any = None, *, ctx: Any = None, call_id: str = "", **arguments: Any) -> Call:
    """Give a call of a tool with *arguments*."""
    double = double or FakeTool("look")
    request = ToolRequest(double.name, arguments, double, call_id=call_id)
    return Call("tool", request, ctx or make_test_ctx(clock=FakeClock()))


Policies = Middleware | list[Any]
"""One policy, or several with the outermost first."""


def run(policies: Policies, end: Any, call: Call) -> list[Any]:
    """Give the items that *call* brings through *policies*."""
    return asyncio.run(items(policies, end, call))


def run_each(policies: Policies, end: Any, calls: Sequence[Call]) -> Any:
    """Give the items of each of *calls*, one after the other."""
    return [run(policies, end, call) for call in calls]


async def items(policies: Policies, end: Any, call: Call) -> list[Any]:
    """Give the items that *call* brings through *policies*."""
    async with closing(chain(_several(policies), end)(call)) as stream:
        return [item async for item in stream]


async def first(policies: Policies, end: Any, call: Call) -> Any:
    """Give the first item and leave."""
    async with closing(chain(_several(policies), end)(call)) as stream:
        return await anext(stream)


def _several(policies: Policies) -> list[Any]:
    return [policies] if callable(policies) else policies


def leave(policies: Policies, end: Any, call: Call) -> Any:
    """Give the first item of *call* and leave."""
    return asyncio.run(first(policies, end, call))


def text_of(deltas: Sequence[Any]) -> str:
    """Give the text of *deltas*."""
    return "".join(delta.text for delta in deltas)
