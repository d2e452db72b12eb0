"""Whether a call's tool was begun, as the policies around it can ask."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from agentkit.core.contracts.middleware import Call, Handler, closing
from agentkit.core.contracts.types import ToolRequest
from agentkit.core.runtime._tool_progress import progress_here, tool_call
from agentkit.core.testing import FakeLLM, FakeTool, make_test_ctx


def begun() -> bool | None:
    progress = progress_here()
    return None if progress is None else progress.is_begun


def test_outside_of_a_call_there_is_no_progress() -> None:
    with tool_call():
        assert begun() is False
    assert begun() is None


def test_a_call_has_begun_from_just_before_its_tool_runs() -> None:
    seen: list[bool | None] = []

    async def watch(call: Call, nxt: Handler) -> AsyncIterator[Any]:
        seen.append(begun())
        async with closing(nxt(call)) as items:
            async for item in items:
                yield item
        seen.append(begun())

    def note(_: Any) -> None:
        seen.append(begun())

    tool = FakeTool("look", responder=note)
    ctx = make_test_ctx(llm=FakeLLM(), tool_middleware=[watch])
    asyncio.run(ctx.invoker.invoke_tool(ToolRequest("look", {}, tool), ctx))

    assert seen == [False, True, True]


def test_a_call_within_a_call_has_a_progress_of_its_own() -> None:
    with tool_call():
        with tool_call():
            within = progress_here()
            assert within is not None
            within.is_begun = True
        assert begun() is False


def test_a_call_that_is_torn_down_in_another_context_raises_nothing() -> None:
    async def abandoned() -> None:
        with tool_call():
            await asyncio.Event().wait()

    coroutine = abandoned()
    asyncio.run(step(coroutine))

    coroutine.close()


async def step(coroutine: Any) -> None:
    coroutine.send(None)
