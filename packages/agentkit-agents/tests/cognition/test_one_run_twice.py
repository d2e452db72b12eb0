"""Two that begin or resume one run at once: the second stops before anything is called."""

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any

import pytest

from agentkit.agents import Agent, ReActCognition
from agentkit.core.contracts.errors import CheckpointConflict, OutcomeUnknown
from agentkit.core.contracts.types import ToolCall
from agentkit.core.policies import idempotent
from agentkit.core.runtime import Checkpointer
from agentkit.core.testing import (
    FakeLLM,
    FakeTool,
    JsonStore,
    MemoryCheckpoints,
    Turn,
    make_test_ctx,
)

PAY = Turn(tool_calls=(ToolCall("c1", "pay"), ToolCall("c2", "pay")))


class Scene:
    """One agent that pays, over one store, with a `Checkpointer` for each or one for all."""

    def __init__(self, *, shared: bool, gated: bool = False) -> None:
        self.store = MemoryCheckpoints()
        self.shared = Checkpointer(self.store) if shared else None
        self.pay = FakeTool(
            "pay", responder=self.paying, side_effecting=True, requires_approval=gated
        )
        self.agent = Agent("a", model="m", cognition=ReActCognition([self.pay]))

    async def paying(self, args: Any) -> str:
        await asyncio.sleep(0)
        return "paid"

    def ctx(self, *turns: Turn) -> Any:
        llm = FakeLLM.script([*turns, Turn("done")])
        return make_test_ctx(llm=llm, checkpointer=self.shared or self.store)

    def run(self) -> Coroutine[Any, Any, Any]:
        return self.agent.run("go", self.ctx(PAY))

    def resume(self, **how: Any) -> Coroutine[Any, Any, Any]:
        return self.agent.resume("test-run", self.ctx(), **how)


async def at_once(*work: Awaitable[Any]) -> list[Any]:
    return await asyncio.gather(*work, return_exceptions=True)


def of_two(results: list[Any]) -> None:
    won = [result for result in results if not isinstance(result, BaseException)]
    assert [result.output for result in won] == ["done"]
    assert any(isinstance(result, CheckpointConflict) for result in results)


SHARED = pytest.mark.parametrize("shared", [True, False], ids=["one-for-all", "one-for-each"])


@SHARED
def test_of_two_that_begin_one_run_one_pays(*, shared: bool) -> None:
    scene = Scene(shared=shared)

    of_two(asyncio.run(at_once(scene.run(), scene.run())))

    assert len(scene.pay.calls) == 2


@SHARED
def test_of_two_that_resume_one_run_one_pays(*, shared: bool) -> None:
    scene = Scene(shared=shared)
    asyncio.run(until_called(scene))

    of_two(asyncio.run(at_once(scene.resume(), scene.resume())))

    assert len(scene.pay.calls) == 2


async def until_called(scene: Scene) -> None:
    async for event in scene.agent.stream("go", scene.ctx(PAY)):
        if event.type == "tool_call":
            return


@SHARED
def test_of_two_that_approve_one_call_one_pays(*, shared: bool) -> None:
    scene = Scene(shared=shared, gated=True)
    asyncio.run(scene.run())
    both = {"c1": "approve", "c2": "approve"}

    of_two(asyncio.run(at_once(scene.resume(decisions=both), scene.resume(decisions=both))))

    assert len(scene.pay.calls) == 2


def test_a_run_that_is_resumed_without_decisions_stays_suspended_while_it_is_looked_at() -> None:
    scene = Scene(shared=False, gated=True)
    asyncio.run(scene.run())
    asyncio.run(scene.resume())

    versions = asyncio.run(scene.store.list_versions("test-run"))
    saved = [asyncio.run(scene.store.at_version("test-run", v)) for v in versions[-3:]]
    assert [version and str(version.status) for version in saved] == ["suspended"] * 3


class Shop(Scene):
    """One that pays slowly: until it is let, whoever has begun to pay is in the middle of it."""

    def __init__(self) -> None:
        super().__init__(shared=False)
        self.begun, self.let = asyncio.Semaphore(0), asyncio.Event()

    async def paying(self, args: Any) -> str:
        self.begun.release()
        await self.let.wait()
        return "paid"

    async def in_the_middle_of(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Give *work* once it has begun both payments."""
        worker = asyncio.ensure_future(work)
        for _ in PAY.tool_calls:
            await self.begun.acquire()
        return worker


def test_a_worker_that_is_resumed_from_under_stops_at_its_next_save() -> None:
    async def taken_over() -> tuple[list[Any], int]:
        shop = Shop()
        first = await shop.in_the_middle_of(shop.run())
        second = await shop.in_the_middle_of(shop.resume())
        shop.let.set()
        return await at_once(first, second), len(shop.pay.calls)

    (first, second), paid = asyncio.run(taken_over())
    assert isinstance(first, CheckpointConflict)
    assert (second.output, paid) == ("done", 4)


class Careful(Shop):
    """One whose store keeps receipts."""

    receipts = JsonStore()

    def ctx(self, *turns: Turn) -> Any:
        llm = FakeLLM.script([*turns, Turn("done")])
        kept: Any = {"store": self.receipts, "tool_middleware": [idempotent()]}
        return make_test_ctx(llm=llm, checkpointer=self.store, **kept)


def test_what_the_worker_is_in_the_middle_of_happens_once_where_receipts_are_kept() -> None:
    async def taken_over() -> tuple[list[Any], int]:
        shop = Careful()
        first = await shop.in_the_middle_of(shop.run())
        second = await at_once(shop.resume())
        shop.let.set()
        third = await at_once(first)
        return [*second, *third, await shop.resume()], len(shop.pay.calls)

    (second, first, last), paid = asyncio.run(taken_over())
    assert (type(first), type(second)) == (CheckpointConflict, OutcomeUnknown)
    assert (last.output, paid) == ("done", 2)
