"""Two that begin or resume one run at once: the second stops before anything is called."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from agentkit.agents import Agent, ReActCognition
from agentkit.core.contracts.errors import CheckpointConflict
from agentkit.core.contracts.types import ToolCall
from agentkit.core.runtime import Checkpointer
from agentkit.core.testing import FakeLLM, FakeTool, MemoryCheckpoints, Turn, make_test_ctx

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


async def at_once(*work: Coroutine[Any, Any, Any]) -> list[Any]:
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
