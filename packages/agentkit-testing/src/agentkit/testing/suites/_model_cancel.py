"""Clauses: whoever stops listening stops the answer, and disturbs nobody."""

import asyncio
from typing import Any

import pytest

from agentkit.core.testing import Turn
from agentkit.testing._play import Cut
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._model_steps import ModelSteps
from agentkit.testing.suites._steps import cut_at_every_await
from agentkit.testing.suites._store_faults import CROWD

__all__ = ["HANGING", "WAVE", "ModelCancelClauses"]

WAVE = 100
"""Calls at a time: as many as pools have connections."""

HANGING = Cut(turn=Turn("hello " * 100), after=2500, then="hang")


class ModelCancelClauses(ModelSteps):
    """A call that is left or cancelled is over, on both sides."""

    @clause("MODEL-CANCEL-01", since="1.0", hook=("play", "requests", "unfinished"))
    async def leaving_a_stream_stops_the_answer(self, model: Any) -> None:
        await self.play([HANGING])
        stream: Any = self.stream(model, self.asking())
        reading = asyncio.ensure_future(anext(stream))
        await self.asked()
        reading.cancel()
        await asyncio.wait([reading])
        await stream.aclose()
        assert await self.unfinished() == 0

    @clause("MODEL-CANCEL-02", since="1.0", hook=("play", "requests", "unfinished"))
    async def cancelling_a_call_stops_the_answer(self, model: Any) -> None:
        await self.play([HANGING])
        for count, way in enumerate(self.ways(model, self.asking()), start=1):
            task = asyncio.ensure_future(way())
            await self.asked(count)
            await _cancelled(task)

            assert await self.unfinished() == 0

    @clause("MODEL-CANCEL-03", since="1.0", hook="play")
    async def a_call_cancelled_anywhere_leaves_it_usable(self, model: Any) -> None:
        await self.play([Turn("hello, hello")])
        for way in self.ways(model, self.asking()):
            async for nth in cut_at_every_await(_coroutine(way)):
                assert (await way()).text == "hello, hello", nth

    @clause("MODEL-CANCEL-04", since="1.0", hook="play")
    async def a_thousand_cancelled_calls_leave_it_usable(self, model: Any) -> None:
        await self.play([Turn("hello")])
        first, *_ = self.ways(model, self.asking())
        for _ in range(CROWD // WAVE):
            tasks = [asyncio.ensure_future(first()) for _ in range(WAVE)]
            await asyncio.sleep(0)
            _ = [task.cancel() for task in tasks]
            await asyncio.wait(tasks)
        assert (await self.told(model)).text == "hello"

    @clause("MODEL-CANCEL-05", since="1.0", hook="play")
    async def after_a_left_stream_nobody_gets_its_rest(self, model: Any) -> None:
        for number in range(10):
            await self.play([Turn("old " * 200), Turn(f"new {number}")])
            stream: Any = self.stream(model, self.asking())
            await anext(stream)
            await stream.aclose()

            assert await self.said(model) == f"new {number}"

    @clause("MODEL-CANCEL-06", since="1.0", hook="play")
    async def a_cancelled_call_ends_cancelled(self, model: Any) -> None:
        await self.play([HANGING])
        for way in self.ways(model, self.asking()):
            task = asyncio.ensure_future(way())
            for _ in range(5):
                await asyncio.sleep(0)
            await _cancelled(task)


async def _cancelled(task: "asyncio.Future[Any]") -> None:
    """Cancel *task*, which must end so."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def _coroutine(way: Any) -> Any:
    async def begin() -> Any:
        return await way()

    return begin
