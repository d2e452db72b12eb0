"""The driver asyncpg: statements without a name, each in one round trip."""

from __future__ import annotations

import asyncio
import select
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any
from weakref import WeakKeyDictionary

import asyncpg  # type: ignore[import-untyped,unused-ignore]
from asyncpg.prepared_stmt import (  # type: ignore[import-untyped,unused-ignore]
    PreparedStatement,
)

from agentkit.core.contracts.errors import StoreValueError
from agentkit.state.postgres._driver import Trouble
from agentkit.state.postgres._troubles import late, lost, refused

__all__ = ["AsyncpgDriver", "is_asyncpg_pool"]

_ASYNCPG: Any = asyncpg  # it has no types
_STATEMENT: Any = PreparedStatement
_CONNECTION: Any = asyncpg.Connection
_ANSWERS: Any = asyncpg.PostgresError
_FAILURES: tuple[Any, ...] = (
    _ASYNCPG.InterfaceError,
    _ASYNCPG.InternalClientError,
    OSError,
    EOFError,
)

_TURNS = 20  # of the event loop, within which it has read that a connection was closed


class _Plain(_CONNECTION):  # type: ignore[misc]
    """A connection that is given back as it is: nothing is ever set in its session."""

    def get_reset_query(self) -> str:
        """Give nothing to run when it goes back to its pool."""
        return ""


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
        if self._pool is not None:
            return
        with _neutral():
            try:
                self._pool = await _ASYNCPG.create_pool(
                    self._dsn,
                    min_size=1,
                    timeout=self._timeout,
                    statement_cache_size=0,
                    connection_class=_Plain,
                )
            except (ValueError, _ASYNCPG.exceptions.ClientConfigurationError):
                raise StoreValueError(
                    "this is no URL of a PostgreSQL server, as postgresql://user@host/database"
                ) from None

    async def close(self) -> None:
        """Close the connections, where the pool is ours; calls under way have *timeout* left."""
        if self._dsn is None or self._pool is None:
            return
        pool, self._pool = self._pool, None
        try:
            async with asyncio.timeout(self._timeout):
                await pool.close()
        except (TimeoutError, *_FAILURES, _ANSWERS):
            pool.terminate()

    async def fetch(self, sql: str, *arguments: Any) -> list[Sequence[Any]]:
        """Run one statement and give its rows."""
        async with self._lent() as connection:
            statement = await self._unnamed(connection, sql)
            rows: list[Sequence[Any]] = await statement.fetch(*arguments, timeout=self._timeout)
            return rows

    async def script(self, sql: str) -> None:
        """Run statements that begin and end a transaction; undo it if one fails."""
        async with self._lent() as connection:
            try:
                await connection.execute(sql, timeout=self._timeout)
            except _ANSWERS:
                with suppress(_ANSWERS, *_FAILURES):
                    await connection.execute("ROLLBACK", timeout=self._timeout)
                raise

    async def _unnamed(self, connection: Any, sql: str) -> Any:
        """Give the statement, to be parsed by the server where it is run: in one round trip.

        The server keeps nothing of it, and a cancelled or failed one leaves nothing behind.
        """
        raw = connection._con  # noqa: SLF001  # a statement kept by the pool's proxy dies with it
        told = self._told.setdefault(raw, {})
        if sql not in told:
            described = await connection.prepare(sql, name="", timeout=self._timeout)
            state = described._state  # noqa: SLF001  # the types, which outlive the statement
            state.mark_unprepared()
            told[sql] = state
        return _STATEMENT(raw, sql, told[sql])

    @asynccontextmanager
    async def _lent(self) -> AsyncGenerator[Any]:
        """Lend a connection that is not known to be dead."""
        with _neutral():
            connection = await self._alive()
            try:
                yield connection
            except TimeoutError:
                connection.terminate()  # who is not there would not answer to a goodbye either
                raise
            finally:
                await self._pool.release(connection, timeout=self._timeout)

    async def _alive(self) -> Any:
        if self._pool is None:
            raise Trouble("the store is not open: call init(), or use `async with ….open(…)`")
        while True:
            connection = await self._pool.acquire(timeout=self._timeout)
            if not await _is_dead(connection):
                return connection
            await self._pool.release(connection, timeout=self._timeout)


def is_asyncpg_pool(pool: object) -> bool:
    """Whether *pool* is one of asyncpg."""
    return isinstance(pool, _ASYNCPG.Pool)


async def _is_dead(connection: Any) -> bool:
    """Whether the other end has hung up, also where the event loop has yet to tell."""
    raw = connection._con  # noqa: SLF001  # a proxy says nothing of that
    if not _has_news(raw._transport.get_extra_info("socket")):  # noqa: SLF001
        return False
    for _ in range(_TURNS):
        if raw.is_closed():
            return True
        await asyncio.sleep(0)
    return False


def _has_news(sock: Any) -> bool:
    """Whether something came on an idle connection: its end, most likely."""
    if sock is None or sock.fileno() < 0:
        return True
    watch = select.poll()
    watch.register(sock, select.POLLIN)
    return bool(watch.poll(0))


@contextmanager
def _neutral() -> Generator[None]:
    try:
        yield
    except _ANSWERS as answer:
        raise refused(str(answer.sqlstate), str(answer.args[0] if answer.args else "")) from None
    except TimeoutError:
        raise late() from None
    except _FAILURES:
        raise lost() from None
