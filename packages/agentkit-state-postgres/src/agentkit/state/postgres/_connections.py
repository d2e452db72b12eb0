"""Connections of our own: lent at the cost of a list, and given back as they are."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import asyncpg  # type: ignore[import-untyped,unused-ignore]

__all__ = ["MOST", "Connections"]

MOST = 10
"""How many connections there are at most."""

_ASYNCPG: Any = asyncpg  # it has no types


class Connections:
    """Up to ten connections to *dsn*: what asyncpg's own pool does, without what it costs.

    That clears a session when a connection comes back, with a round trip, and does so in a task.
    Nothing of ours is ever set in a session.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._free = asyncio.Semaphore(MOST)
        self._idle: list[Any] = []
        self._is_closed = False

    async def acquire(self, *, timeout: float) -> Any:  # noqa: ASYNC109  # as asyncpg's pool has it
        """Lend a connection: the last that came back, or a new one."""
        if self._free.locked():
            async with asyncio.timeout(timeout):
                await self._free.acquire()
        else:
            await self._free.acquire()  # at once
        try:
            connection = await self._idle_one(timeout)
            if connection is None:
                connection = await _ASYNCPG.connect(
                    self._dsn, timeout=timeout, statement_cache_size=0
                )
        except BaseException:
            self._free.release()
            raise
        return connection

    async def release(self, connection: Any, *, timeout: float) -> None:  # noqa: ARG002, ASYNC109
        """Take *connection* back.

        One whose statement was cancelled is lent again after all others.
        """
        if connection.is_closed():
            pass
        elif self._is_closed:
            connection.terminate()
        elif connection._protocol._is_cancelling():  # noqa: SLF001  # as asyncpg's own pool asks
            self._idle.insert(0, connection)
        else:
            self._idle.append(connection)
        self._free.release()

    async def close(self) -> None:
        """Close the idle ones; those that are lent are when they come back."""
        self._is_closed = True
        while self._idle:
            connection = self._idle.pop()
            with suppress(OSError, EOFError, _ASYNCPG.PostgresError, _ASYNCPG.InterfaceError):
                await connection.close(timeout=1)

    async def _idle_one(self, timeout: float) -> Any | None:  # noqa: ASYNC109  # as above
        """Take an idle connection, if there is one.

        The server has had its word on what was cancelled there: who is lent it is not struck by
        that, nor by the end of a connection on which cancelling failed.
        """
        while self._idle:
            connection = self._idle.pop()
            if connection._protocol._is_cancelling():  # noqa: SLF001  # as asyncpg's own pool asks
                await self._settled(connection, timeout)
            if not connection.is_closed():
                return connection
        return None

    async def _settled(self, connection: Any, timeout: float) -> None:  # noqa: ASYNC109  # as above
        """Return when the server has had its word; *connection* is idle again if that fails."""
        try:
            await connection._protocol._wait_for_cancellation(timeout)  # noqa: SLF001  # as above
        except TimeoutError:
            connection.terminate()
            raise
        except BaseException:  # this caller was cancelled
            self._idle.insert(0, connection)
            raise
