"""The store on PostgreSQL: every verb is one statement, and atomic."""

from __future__ import annotations

import builtins
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from agentkit.core.contracts.errors import StoreUnavailable, StoreValueError
from agentkit.core.contracts.store_rules import (
    add_to_counter,
    check_by,
    check_key,
    check_limit,
    check_prefix,
    check_ttl,
    decode_value,
    encode_value,
)
from agentkit.core.execution import SingleFlight
from agentkit.state.postgres._database import Database
from agentkit.state.postgres._driver import Trouble
from agentkit.state.postgres._looks import Looks
from agentkit.state.postgres._store_sql import STORE, Statements

__all__ = ["PostgresStore"]

_PAGE = 1000
_SWEEP_EVERY = 256
_SWEPT_AT_ONCE = 1000
_OUT_OF_RANGE = "22003"


class PostgresStore:
    """A `StorePort` on PostgreSQL 14 or later, for any number of processes.

    It takes a *dsn* (`postgresql://user@host/database`), or a *pool* of yours, an `asyncpg.Pool` or
    a `psycopg_pool.AsyncConnectionPool`, which stays yours to close; give the latter a short
    `reconnect_timeout` and a short `connect_timeout` (in its kwargs), within which it stops looking
    for a server that is not there, and waiting for one that does not answer. The tables are in
    *schema*, and a statement may take *timeout* seconds. Nothing is left in a session, so that
    poolers which lend a connection for a transaction do as well.

    A ttl raises `NotImplementedError`, unless the store is made with *expiry*: then keys expire by
    the server's clock, and every 256th write removes up to 1,000 that have.

    `async with PostgresStore.open(dsn)` creates the tables and closes at the end; who constructs a
    store calls `init` and `aclose`.

    Raises:
        StoreValueError: Not exactly one of dsn and pool was given, or *schema* names none.

    """

    def __init__(
        self,
        dsn: str | None = None,
        *,
        pool: object | None = None,
        schema: str = "public",
        expiry: bool = False,
        timeout: float = 10.0,
    ) -> None:
        self._database = Database(
            dsn, pool, schema=schema, part=STORE, timeout=timeout, unavailable=StoreUnavailable
        )
        self._sql = Statements(self._database.schema)
        self._timed = Statements(self._database.schema, timed=True)
        self._expiry = expiry
        self._flight = SingleFlight()
        self._produced: set[str] = set()
        self._looks = Looks()
        self._writes = 0

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        dsn: str | None = None,
        *,
        pool: object | None = None,
        schema: str = "public",
        expiry: bool = False,
        timeout: float = 10.0,  # noqa: ASYNC109  # of each statement, not of this call
    ) -> AsyncGenerator[PostgresStore]:
        """Open the store until the end of the block, creating or migrating its tables.

        Raises:
            StoreValueError: *dsn* is malformed, or what the class says.
            StoreUnavailable: The server cannot be reached, refuses the credentials or to create the
                tables, or these are of a newer version.

        """
        store = cls(dsn, pool=pool, schema=schema, expiry=expiry, timeout=timeout)
        try:
            await store.init()
            yield store
        finally:
            await store.aclose()

    async def init(self) -> None:
        """Connect, and create or migrate the tables; many processes may at once, and again."""
        await self._database.init()

    async def aclose(self) -> None:
        """Close the connections, where they are the store's own."""
        await self._database.close()

    async def get(self, key: str) -> Any | None:
        """Give the value at *key*, or None."""
        text = await self._text(check_key(key))
        return None if text is None else self._decoded(text)

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        """Put *value* at *key*, to expire after *ttl* seconds or never."""
        check_key(key)
        self._check_ttl(ttl)
        sql, timing = self._sql_for(ttl)
        await self._database.fetch(sql.set, key, encode_value(value), *timing)
        await self._written()

    async def get_or_set(
        self, key: str, fn: Callable[[], Awaitable[Any]], *, ttl: int | None = None
    ) -> Any:
        """Give the value at *key*; where nothing is stored, store what one run of *fn* returns."""
        check_key(key)
        self._check_ttl(ttl)
        # Who comes while it is produced waits for that, and need not look first.
        there = None if key in self._produced else await self._looks.look(key, self._text)
        if there is None:
            there = await self._flight.run(key, lambda: self._produce(key, fn, ttl))
        return self._decoded(there)

    async def delete(self, key: str) -> None:
        """Remove the value at *key*, if there is one."""
        await self._database.fetch(self._sql.delete, check_key(key))

    async def append(self, key: str, value: Any) -> None:
        """Add *value* to the end of the log *key*."""
        await self._database.fetch(self._sql.append, check_key(key), encode_value(value))

    async def list(self, key: str) -> builtins.list[Any]:
        """Give the entries of the log *key*, in the order in which they were committed."""
        rows = await self._database.fetch(self._sql.list, check_key(key))
        return [self._decoded(text) for (text,) in rows]

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        """Put *value* at *key* if it holds *expected*, and tell whether it did."""
        check_key(key)
        self._check_ttl(ttl)
        wanted, text = encode_value(expected), encode_value(value)
        sql, timing = self._sql_for(ttl)
        if expected is None:
            rows = await self._database.fetch(sql.set_if_null, key, text, *timing)
        else:
            rows = await self._database.fetch(sql.swap, key, text, *timing, wanted)
        await self._written()
        return bool(rows)

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        """Add *by* to the counter at *key*, opening a window of *ttl* seconds if none is open."""
        check_key(key)
        check_by(key, by)
        self._check_ttl(ttl)
        with self._database.translated():
            try:
                [(total,)] = await self._database.attempt(self._sql.increment, key, by, ttl)
            except Trouble as trouble:
                if trouble.sqlstate != _OUT_OF_RANGE:
                    raise
                total = None
        if total is None:
            raise await self._no_counter(key, by)
        await self._written()
        return int(total)

    def scan(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[str]:
        """Give the keys of values that begin with *prefix*, at most *limit* of them."""
        return self._scan(check_prefix(prefix), check_limit(limit))

    async def purge_expired(self) -> int:
        """Remove what has expired, and give how many values that were."""
        removed = 0
        while True:
            rows = await self._database.fetch(self._sql.purge, _SWEPT_AT_ONCE)
            removed += len(rows)
            if len(rows) < _SWEPT_AT_ONCE:
                return removed

    async def _scan(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        last, end, left = "", _after(prefix), limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(left, _PAGE)
            page = await self._database.fetch(self._sql.scan, prefix, last, end, size)
            for (key,) in page:
                yield key
            if len(page) < size:
                return
            last = page[-1][0]
            left = None if left is None else left - size

    async def _text(self, key: str) -> str | None:
        rows = await self._database.fetch(self._sql.get, key)
        return rows[0][0] if rows else None

    async def _produce(self, key: str, fn: Callable[[], Awaitable[Any]], ttl: int | None) -> str:
        """Store what *fn* returns unless something is there by now, and give what is stored."""
        self._produced.add(key)
        try:
            text = encode_value(await fn())
            sql, timing = self._sql_for(ttl)
            [(there,)] = await self._database.fetch(sql.set_new, key, text, *timing)
        finally:
            self._produced.discard(key)
            self._looks.stored(key)
        await self._written()
        return str(there)

    async def _no_counter(self, key: str, by: int) -> StoreValueError:
        """Give the error for what the server refuses to count; it names what is stored."""
        try:
            add_to_counter(key, await self.get(key), by)
        except StoreValueError as problem:
            return problem
        return StoreValueError(
            f"increment on key {key!r} requires a stored integer within signed 64 bits"
        )

    async def _written(self) -> None:
        """Count a write; every 256th removes some of what has expired."""
        self._writes += 1
        if not self._expiry or self._writes % _SWEEP_EVERY:
            return
        try:
            await self._database.fetch(self._sql.purge, _SWEPT_AT_ONCE)
        except StoreUnavailable:
            return  # the write is done: the next call will tell that the server is gone

    def _sql_for(self, ttl: int | None) -> tuple[Statements, tuple[int, ...]]:
        """Give the statements that write with *ttl*, and what they take of it."""
        return (self._sql, ()) if ttl is None else (self._timed, (ttl,))

    def _check_ttl(self, ttl: int | None) -> None:
        if ttl is not None and not self._expiry:
            raise NotImplementedError(
                "this PostgresStore keeps no ttl: make it with expiry=True, or leave ttl out"
            )
        check_ttl(ttl)

    def _decoded(self, text: str) -> Any:
        try:
            return decode_value(text)
        except (StoreValueError, TypeError) as problem:
            raise self._database.broken(
                f"the server holds something else at this key: {problem}"
            ) from None


def _after(prefix: str) -> str | None:
    """Give the least text after all that begin with *prefix*, or None where there is none."""
    for end in range(len(prefix), 0, -1):
        code = ord(prefix[end - 1]) + 1
        if code <= 0x10FFFF:  # noqa: PLR2004  # the last code point
            # No text may hold what lies between; it is skipped.
            return prefix[: end - 1] + chr(0xE000 if 0xD800 <= code <= 0xDFFF else code)  # noqa: PLR2004
    return None
