"""Models that do not notice that nobody listens."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from agentkit.core.contracts.llm import RunMeta
from agentkit.testing.mutants._model_backend import Event
from agentkit.testing.mutants._model_kinds import breaks_both
from agentkit.testing.mutants._model_reference import Needs, ReferenceModel

CONNECTIONS = 10


@breaks_both("MODEL-CANCEL-01", "MODEL-CANCEL-02")
class ReadsOnAlone(ReferenceModel):
    """It reads in a task of its own, which nobody stops."""

    async def ask(self) -> AsyncGenerator[Event]:
        queue: asyncio.Queue[Any] = asyncio.Queue()
        self.task = asyncio.ensure_future(self._pump(queue))
        while (item := await queue.get()) is not None:
            if isinstance(item, Exception):
                raise item
            yield item

    async def _pump(self, queue: "asyncio.Queue[Any]") -> None:
        try:
            async for event in self.backend.answer():
                queue.put_nowait(event)
            queue.put_nowait(None)
        except Exception as exc:  # noqa: BLE001  # handed to whoever reads
            queue.put_nowait(exc)


@breaks_both("MODEL-CANCEL-03")
class StaysLockedWhenCut(ReferenceModel):
    """It takes one call at a time, and a cancelled one for ever."""

    lock: asyncio.Lock | None = None

    async def events(self, needs: Needs, run: RunMeta | None = None) -> AsyncGenerator[Event]:
        self.lock = self.lock or asyncio.Lock()
        await self.lock.acquire()
        async for event in super().events(needs, run):
            yield event
        self.lock.release()


@breaks_both("MODEL-CANCEL-04")
class LosesItsConnections(ReferenceModel):
    """It does not give back the connection of a cancelled call."""

    pool: asyncio.Semaphore | None = None

    async def ask(self) -> AsyncGenerator[Event]:
        self.pool = self.pool or asyncio.Semaphore(CONNECTIONS)
        await self.pool.acquire()
        async for event in self.backend.answer():
            yield event
        self.pool.release()


@breaks_both("MODEL-CANCEL-05")
class GivesTheRestToTheNext(ReferenceModel):
    """It leaves on the connection what nobody has read."""

    rest: AsyncGenerator[Event] | None = None

    async def ask(self) -> AsyncGenerator[Event]:
        self.rest = self.rest or self.backend.answer()
        async for event in self.rest:
            yield event
        self.rest = None


@breaks_both("MODEL-CANCEL-06")
class SwallowsItsCancellation(ReferenceModel):
    """It takes being cancelled for the end of the answer."""

    async def ask(self) -> AsyncGenerator[Event]:
        try:
            async for event in self.backend.answer():
                yield event
        except asyncio.CancelledError:
            yield Event("end", "stop")
