"""The driver asyncpg: statements without a name, each in one round trip."""

from __future__ import annotations

import asyncio
import select
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import asyncpg  # type: ignore[import-untyped,unused-ignore]
from asyncpg.prepared_stmt import (  # type: ignore[import-untyped,unused-ignore]
    PreparedStatement,
)

from agentkit.core.contracts.errors import StoreValueError
from agentkit.state.postgres._connections import Connections
from agentkit.state.postgres._driver import Trouble
from agentkit.state.postgres._troubles import late, lost, refused

__all__ = ["AsyncpgDriver", "is_asyncpg_pool"]

T = TypeVar("T")

_ASYNCPG: Any = asyncpg  # it has no types
_STATEMENT: Any = PreparedStatement
_ANSWERS: Any = asyncpg.PostgresError
_FAILURES: tuple[Any, ...] = (
    _ASYNCPG.InterfaceError,
    _ASYNCPG.InternalClientError,
    OSError,
    EOFError,
)

_PROBLEMS: tuple[Any, ...] = (_ANSWERS, *_FAILURES)  # a TimeoutError is an OSError
_NO_URL = "this is no URL of a PostgreSQL server, as postgresql://user@host/database"
_TURNS = 20  # of the event loop, within which it has read that a connection was closed


class AsyncpgDriver:
    """Runs statements on *pool*, or on one of our own to *dsn*; each takes *timeout* seconds."""

    def __init__(self, dsn: str | None, pool: Any, *, timeout: float) -> None:
        self._dsn = dsn
        self._pool: Any = pool
        self._timeout = timeout
        # What the server told of each statement's types, for each connection.
        self._told: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()

    async def open(self) -> None:
        """Connect, where the pool is ours."""
        if self._dsn is None or self._pool is not None:
            return
        if "://" not in self._dsn:  # the driver would take its defaults in the place of a server
            raise StoreValueError(_NO_URL)
        pool = Connections(self._dsn)
        try:
            await pool.release(await pool.acquire(timeout=self._timeout), timeout=0)
        except (ValueError, _ASYNCPG.exceptions.ClientConfigurationError):
            raise StoreValueError(_NO_URL) from None
        except _PROBLEMS as problem:
            raise _told(problem) from None
        self._pool = pool

    async def close(self) -> None:
        """Close the connections, where the pool is ours."""
        if self._dsn is None or self._pool is None:
            return
        pool, self._pool = self._pool, None
        await pool.close()

    async def fetch(self, sql: str, *arguments: Any) -> list[Sequence[Any]]:
        """Run one statement and give its rows."""

        async def run(connection: Any) -> list[Sequence[Any]]:
            statement = await self._unnamed(connection, sql)
            rows: list[Sequence[Any]] = await statement.fetch(*arguments, timeout=self._timeout)
            return rows

        return await self._lend(run)

    async def script(self, sql: str) -> None:
        """Run statements that begin and end a transaction; undo it if one fails."""

        async def run(connection: Any) -> None:
            try:
                await connection.execute(sql, timeout=self._timeout)
            except BaseException:
                connection.terminate()  # which undoes what was begun, however far it came
                raise

        await self._lend(run)

    async def _unnamed(self, connection: Any, sql: str) -> Any:
        """Give the statement, to be parsed by the server where it is run: in one round trip.

        The server keeps nothing of it, and a cancelled or failed one leaves nothing behind.
        """
        raw = _raw(connection)  # a statement kept by a pool's proxy dies with it
        told = self._told.setdefault(raw, {})
        if sql not in told:
            described = await connection.prepare(sql, name="", timeout=self._timeout)
            state = described._state  # noqa: SLF001  # the types, which outlive the statement
            state.mark_unprepared()
            told[sql] = state
        return _STATEMENT(raw, sql, told[sql])

    async def _lend(self, work: Callable[[Any], Awaitable[T]]) -> T:
        """Run *work* with a connection that is not known to be dead."""
        pool = self._pool
        if pool is None:
            raise Trouble("the store is not open: call init(), or use `async with ….open(…)`")
        try:
            connection = await self._alive(pool)
            try:
                return await work(connection)
            except TimeoutError:
                connection.terminate()  # who is not there would not answer to a goodbye either
                raise
            finally:
                await pool.release(connection, timeout=self._timeout)
        except _PROBLEMS as problem:
            raise _told(problem) from None

    async def _alive(self, pool: Any) -> Any:
        while True:
            connection = await pool.acquire(timeout=self._timeout)
            is_alive = False
            try:
                is_alive = not await _is_dead(connection)
            finally:
                if not is_alive:  # or the caller was cancelled meanwhile
                    await pool.release(connection, timeout=self._timeout)
            if is_alive:
                return connection


def is_asyncpg_pool(pool: object) -> bool:
    """Whether *pool* is one of asyncpg."""
    return isinstance(pool, _ASYNCPG.Pool)


async def _is_dead(connection: Any) -> bool:
    """Whether the other end has hung up, also where the event loop has yet to tell."""
    raw = _raw(connection)
    if not _has_news(raw._transport.get_extra_info("socket")):  # noqa: SLF001
        return False
    for _ in range(_TURNS):
        if raw.is_closed():
            return True
        await asyncio.sleep(0)
    return False


def _raw(connection: Any) -> Any:
    """Give the connection itself, which a pool of asyncpg hides."""
    return getattr(connection, "_con", connection)


def _has_news(sock: Any) -> bool:
    """Whether something came on an idle connection: its end, most likely."""
    if sock is None or sock.fileno() < 0:
        return True
    watch = select.poll()
    watch.register(sock, select.POLLIN)
    return bool(watch.poll(0))


def _told(problem: Any) -> Trouble:
    if isinstance(problem, _ANSWERS):
        return refused(str(problem.sqlstate), str(problem.args[0] if problem.args else ""))
    return late() if isinstance(problem, TimeoutError) else lost()
