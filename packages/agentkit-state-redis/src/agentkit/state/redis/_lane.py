"""One connection that many calls share: what is asked in one turn of the loop is sent together.

Commands are answered in the order they were sent, so a call needs no connection of its own, and
cancelling it disturbs nobody: its answer comes all the same and is dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as LostConnectionError

from agentkit.state.redis._link import Asked, Link, Reply, fail

__all__ = ["Lane"]


class Lane:
    """Sends commands over one connection, opened with *connect* when it is needed.

    When the connection is lost, or nothing is answered for *patience* seconds, what was sent fails,
    and the next command opens another. Nothing is ever sent twice. Belongs to the event loop it was
    made in.
    """

    def __init__(
        self, connect: Callable[[], Awaitable[AbstractConnection]], *, patience: float
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.scripts: set[str] = set()
        """The digests of the scripts that were sent in full."""
        self._connect = connect
        self._patience = patience
        self._waiting: list[Asked] = []  # to be sent together
        self._wake = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self._is_writing = False
        self._is_closed = False

    def send(self, *command: str | bytes | int) -> Reply:
        """Send *command* with all that is sent in this turn of the loop.

        What comes is the server's answer, a refusal as the driver's error, or the driver's error
        for a connection that cannot be opened or was lost.
        """
        reply: Reply = self.loop.create_future()
        if self._is_closed:
            reply.set_exception(LostConnectionError("the store is closed"))
            return reply
        self._waiting.append(Asked(command, reply))
        self._wake.set()
        if self._worker is None:
            self._worker = self.loop.create_task(self._work())
        return reply

    async def aclose(self) -> None:
        """Close the connection; what is not answered yet fails."""
        self._is_closed = True
        worker = self._worker
        if worker is not None:
            worker.cancel()
            await asyncio.wait((worker,))

    async def _work(self) -> None:
        """Write what is waiting, over one connection after another, until there is none to keep."""
        try:
            while self._waiting and not self._is_closed:
                await self._use_one_connection()
        finally:
            self._worker = None
            self._fail_waiting(LostConnectionError("the store is closed"))

    async def _use_one_connection(self) -> None:
        try:
            connection = await self._connect()
        except Exception as problem:  # noqa: BLE001  # the driver's or its configuration's: the callers get it
            self._fail_waiting(problem)
            return
        link = Link(connection, patience=self._patience, lost=self._lost)
        try:
            await self._write_until_lost(link)
        finally:
            await link.close()

    async def _write_until_lost(self, link: Link) -> None:
        while True:
            if link.is_open and not self._waiting:
                self._wake.clear()
                await self._wake.wait()
            if await link.is_stale():
                return
            batch = self._take()
            if batch:
                await self._write(link, batch)

    async def _write(self, link: Link, batch: list[Asked]) -> None:
        self._is_writing = True
        try:
            await link.write(batch)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if link.is_open or self._is_closed or task is None:
                raise
            task.uncancel()  # it was `_lost` that asked for it
        finally:
            self._is_writing = False

    def _lost(self) -> None:
        """The connection is lost: look at it, even if a write is waiting for it to take more."""
        self._wake.set()
        if self._is_writing and self._worker is not None:
            self._worker.cancel()

    def _take(self) -> list[Asked]:
        """Give what is to be sent; who was cancelled meanwhile is not asked for."""
        batch, self._waiting = self._waiting, []
        return [asked for asked in batch if not asked.reply.done()]

    def _fail_waiting(self, problem: Exception) -> None:
        batch, self._waiting = self._waiting, []
        fail((asked.reply for asked in batch), problem)
