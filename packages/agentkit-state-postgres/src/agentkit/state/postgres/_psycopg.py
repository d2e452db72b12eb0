"""The driver psycopg 3: statements without a name, each in one round trip."""

from __future__ import annotations

import asyncio
import os
import select
import socket
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

from agentkit.state.postgres._driver import Trouble
from agentkit.state.postgres._troubles import late, lost, refused

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg_pool import AsyncConnectionPool

__all__ = ["PsycopgDriver", "is_psycopg_pool"]


class PsycopgDriver:
    """Runs statements on *pool*, which is its owner's to open and close."""

    def __init__(self, pool: AsyncConnectionPool[Any], *, timeout: float) -> None:
        self._psycopg = _psycopg()
        self._pool = pool
        self._timeout = timeout

    async def open(self) -> None:
        """Do nothing: the pool is its owner's."""

    async def close(self) -> None:
        """Do nothing: the pool is its owner's."""

    async def fetch(self, sql: str, *arguments: Any) -> list[Sequence[Any]]:
        """Run one statement and give its rows."""
        async with self._lent() as connection:
            cursor: Any = self._psycopg.AsyncRawCursor(connection, row_factory=_tuples)
            await cursor.execute(sql, arguments, prepare=False)
            rows: list[Sequence[Any]] = await cursor.fetchall() if cursor.description else []
            return rows

    async def script(self, sql: str) -> None:
        """Run statements that begin and end a transaction; undo it if one fails."""
        async with self._lent() as connection:
            try:
                await connection.execute(sql.encode())
            except self._psycopg.Error:
                with suppress(self._psycopg.Error):
                    await connection.rollback()
                raise

    @asynccontextmanager
    async def _lent(self) -> AsyncGenerator[AsyncConnection[Any]]:
        """Lend a connection that is not dead, and end it if its time is over."""
        with self._neutral():
            connection = await self._alive()
            clock = _Clock(connection, self._timeout)
            try:
                async with connection:  # a pool's connection stays open; its transaction ends
                    yield connection
            except self._psycopg.OperationalError:
                if clock.is_over:
                    raise late() from None
                raise
            finally:
                clock.stop()
                await self._pool.putconn(connection)

    async def _alive(self) -> AsyncConnection[Any]:
        while True:
            asked = _cancels()
            connection: AsyncConnection[Any] = await self._pool.getconn(self._timeout)
            if _cancels() > asked:  # the pool took that for its own
                await self._pool.putconn(connection)
                raise asyncio.CancelledError
            if _is_alive(connection):
                return connection
            try:
                await connection.close()
            finally:
                await self._pool.putconn(connection)

    @contextmanager
    def _neutral(self) -> Generator[None]:
        asked = _cancels()
        try:
            yield
        except self._psycopg.Error as problem:
            if _cancels() > asked:
                raise asyncio.CancelledError from None
            if problem.sqlstate is None:
                raise _without_code(problem) from None
            raise refused(problem.sqlstate, problem.diag.message_primary or "") from None
        except OSError:
            raise lost() from None


class _Clock:
    """Hangs up on the server once *seconds* are over: the driver alone would wait for ever."""

    def __init__(self, connection: AsyncConnection[Any], seconds: float) -> None:
        self.is_over = False
        self._connection = connection
        self._alarm = asyncio.get_running_loop().call_later(seconds, self._ring)

    def stop(self) -> None:
        """Ring no more."""
        self._alarm.cancel()

    def _ring(self) -> None:
        self.is_over = True
        with suppress(OSError, self._connection.OperationalError):
            end = socket.socket(fileno=os.dup(self._connection.fileno()))
            with end:
                end.shutdown(socket.SHUT_RDWR)


def _cancels() -> int:
    """Give how often this task was asked to end."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


def is_psycopg_pool(pool: object) -> bool:
    """Whether *pool* is an async one of psycopg 3."""
    return any(
        base.__module__.partition(".")[0] == "psycopg_pool" and "Async" in base.__name__
        for base in type(pool).__mro__
    )


def _is_alive(connection: AsyncConnection[Any]) -> bool:
    """Whether the other end has not hung up; what else it says meanwhile is taken in."""
    watch = select.poll()
    try:
        watch.register(connection.fileno(), select.POLLIN)
        while watch.poll(0):
            connection.pgconn.consume_input()
    except (connection.OperationalError, OSError):
        return False
    return True


def _tuples(_: object) -> Any:
    """Give what makes a row: a tuple, however the owner of the pool likes them."""
    return tuple


def _without_code(problem: Exception) -> Trouble:
    """Give the trouble that the driver, not the server, tells of."""
    return late() if type(problem).__name__ == "PoolTimeout" else lost()


def _psycopg() -> ModuleType:
    try:
        import psycopg  # noqa: PLC0415  # an extra
    except ImportError as problem:
        raise ImportError(
            f"{problem}: install agentkit-state-postgres[psycopg]", name=problem.name
        ) from None
    return psycopg
