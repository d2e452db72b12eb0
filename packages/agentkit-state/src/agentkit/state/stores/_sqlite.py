"""The embedded durable store: a SQLite file that several processes may share."""

from __future__ import annotations

import builtins
import os
import sqlite3
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
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
from agentkit.state.stores._database import Database, transaction

__all__ = ["SQLiteStore"]

_SWEEP_EVERY = 256
_SWEEP_AT_MOST = 1000
_PAGE = 500
_LAST_CODE_POINT = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)

_GET = (
    "SELECT value, expires_at FROM agentkit_kv"
    " WHERE key = :key AND (expires_at IS NULL OR expires_at > :now)"
)
_PUT = (
    "INSERT INTO agentkit_kv (key, value, expires_at) VALUES (:key, :value, :expires_at)"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at"
)
_PUT_IF_ABSENT = f"{_PUT} WHERE agentkit_kv.expires_at <= :now"
_PUT_IF_NONE = f"{_PUT_IF_ABSENT} OR agentkit_kv.value = 'null'"
_PUT_IF_EQUAL = (
    "UPDATE agentkit_kv SET value = :value, expires_at = :expires_at"
    " WHERE key = :key AND value = :expected AND (expires_at IS NULL OR expires_at > :now)"
)
_DELETE = "DELETE FROM agentkit_kv WHERE key = :key"
_APPEND = "INSERT INTO agentkit_log (key, value) VALUES (:key, :value)"
_LIST = "SELECT value FROM agentkit_log WHERE key = :key ORDER BY seq"
_SCAN = (
    "SELECT key FROM agentkit_kv WHERE key >= :start AND key > :after"
    " AND (:end IS NULL OR key < :end) AND (expires_at IS NULL OR expires_at > :now)"
    " ORDER BY key LIMIT :page"
)
_PURGE = (
    "DELETE FROM agentkit_kv WHERE rowid IN"
    " (SELECT rowid FROM agentkit_kv WHERE expires_at <= :now LIMIT :at_most)"
)


class SQLiteStore:
    """A `StorePort` in a SQLite file: durable, with expiry, safe for several processes.

    Made by `SQLiteStore.open`, whose block owns the file. Every write is one transaction and on
    disk when it returns. Expiry is decided by *clock*, unix seconds, which every process that
    shares the file must agree on.

    Writes are done in the order they were asked for. While another process holds the file's write
    lock, a write waits for it, up to a minute, and so do those after it; a read waits for none but
    a write that has begun and whose caller was cancelled.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._writes = 0
        self._flight = SingleFlight()

    @classmethod
    @asynccontextmanager
    async def open(
        cls, path: str | os.PathLike[str], *, clock: Callable[[], float] = time.time
    ) -> AsyncGenerator[SQLiteStore, None]:
        """Open the file at *path*, creating it if needed, until the end of the block.

        Raises:
            StoreUnavailable: The file cannot be opened or written, is no SQLite file, belongs to
                another application, or was made by a newer version. The message names *path*.
            StoreValueError: No file can have *path*, or it is `:memory:` or a `file:` URI, which
                would keep nothing; nothing is opened.

        """
        async with Database.open(path, unavailable=StoreUnavailable) as database:
            yield cls(database, clock=clock)

    async def get(self, key: str) -> Any | None:
        """Give the value at *key*, or None."""
        check_key(key)
        text = await self._database.read(lambda connection: self._read(connection, key))
        return None if text is None else self._decoded(text)

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        """Put *value* at *key*, to expire after *ttl* seconds or never."""
        check_key(key)
        check_ttl(ttl)
        await self._write(_PUT, key, ttl, value=encode_value(value))

    async def get_or_set(
        self, key: str, fn: Callable[[], Awaitable[Any]], *, ttl: int | None = None
    ) -> Any:
        """Give the value at *key*; where nothing is stored, store what one run of *fn* returns."""
        check_key(key)
        check_ttl(ttl)
        return self._decoded(await self._flight.run(key, lambda: self._produce(key, fn, ttl)))

    async def delete(self, key: str) -> None:
        """Remove the value at *key*, if there is one."""
        check_key(key)
        await self._database.call(
            lambda connection: connection.execute(_DELETE, {"key": key}).rowcount
        )

    async def append(self, key: str, value: Any) -> None:
        """Add *value* to the end of the log *key*."""
        entry = {"key": check_key(key), "value": encode_value(value)}
        await self._database.call(lambda connection: connection.execute(_APPEND, entry).rowcount)

    async def list(self, key: str) -> builtins.list[Any]:
        """Give the entries of the log *key*, in order."""
        name = {"key": check_key(key)}
        rows = await self._database.read(
            lambda connection: connection.execute(_LIST, name).fetchall()
        )
        return [self._decoded(text) for (text,) in rows]

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        """Put *value* at *key* if it holds *expected*, and tell whether it did."""
        check_key(key)
        check_ttl(ttl)
        texts = {"value": encode_value(value), "expected": encode_value(expected)}
        statement = _PUT_IF_NONE if expected is None else _PUT_IF_EQUAL
        return await self._write(statement, key, ttl, **texts) > 0

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        """Add *by* to the counter at *key*, opening a window of *ttl* seconds if none is open."""
        check_key(key)
        check_by(key, by)
        check_ttl(ttl)
        return await self._database.call(
            lambda connection: self._count(connection, key, by=by, ttl=ttl)
        )

    def scan(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[str]:
        """Give the keys of values that begin with *prefix*, at most *limit* of them."""
        return self._scan(check_prefix(prefix), check_limit(limit))

    async def purge_expired(self) -> int:
        """Reclaim what has expired, and give how many keys that were."""
        return await self._database.call(lambda connection: self._purge(connection, at_most=-1))

    async def _scan(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        after, end, left = "", _end_of(prefix), limit
        while left is None or left > 0:
            page = _PAGE if left is None else min(_PAGE, left)
            bounds = {"start": prefix, "end": end, "after": after, "page": page}
            keys = await self._database.read(partial(self._page, bounds=bounds))
            for key in keys:
                yield key
            if len(keys) < page:
                return
            after = keys[-1]
            left = None if left is None else left - page

    def _page(
        self, connection: sqlite3.Connection, *, bounds: dict[str, Any]
    ) -> builtins.list[str]:
        rows = connection.execute(_SCAN, bounds | {"now": self._clock()}).fetchall()
        return [key for (key,) in rows]

    async def _produce(self, key: str, fn: Callable[[], Awaitable[Any]], ttl: int | None) -> str:
        found = await self._database.read(lambda connection: self._read(connection, key))
        if found is not None:
            return found
        text = encode_value(await fn())
        return await self._database.call(
            lambda connection: self._put_unless_there(connection, key, text, ttl=ttl)
        )

    async def _write(self, statement: str, key: str, ttl: int | None, **texts: str) -> int:
        """Run one writing *statement*, and give how many rows it wrote."""
        return await self._database.call(
            lambda connection: self._put(connection, statement, key=key, ttl=ttl, **texts)
        )

    # The rest runs in the database's threads.

    def _read(self, connection: sqlite3.Connection, key: str) -> str | None:
        row = connection.execute(_GET, {"key": key, "now": self._clock()}).fetchone()
        return None if row is None else row[0]

    def _put(
        self,
        connection: sqlite3.Connection,
        statement: str,
        *,
        ttl: int | None,
        **values: str,
    ) -> int:
        self._sweep(connection)
        now = self._clock()
        times = {"now": now, "expires_at": None if ttl is None else now + ttl}
        return connection.execute(statement, values | times).rowcount

    def _put_unless_there(
        self, connection: sqlite3.Connection, key: str, text: str, *, ttl: int | None
    ) -> str:
        with transaction(connection):
            self._put(connection, _PUT_IF_ABSENT, ttl=ttl, key=key, value=text)
            stored = self._read(connection, key)
        return text if stored is None else stored

    def _count(self, connection: sqlite3.Connection, key: str, *, by: int, ttl: int | None) -> int:
        with transaction(connection):
            self._sweep(connection)
            now = self._clock()
            row = connection.execute(_GET, {"key": key, "now": now}).fetchone()
            text, expires_at = row or ("0", None)
            total = add_to_counter(key, self._decoded(text), by)
            if expires_at is None and ttl is not None:
                expires_at = now + ttl
            connection.execute(_PUT, {"key": key, "value": str(total), "expires_at": expires_at})
        return total

    def _sweep(self, connection: sqlite3.Connection) -> None:
        """Reclaim some of what expired, now and then; before a write, which fails if this does."""
        self._writes += 1
        if self._writes % _SWEEP_EVERY == 0:
            self._purge(connection, at_most=_SWEEP_AT_MOST)

    def _purge(self, connection: sqlite3.Connection, *, at_most: int) -> int:
        return connection.execute(_PURGE, {"now": self._clock(), "at_most": at_most}).rowcount

    def _decoded(self, text: str) -> Any:
        try:
            return decode_value(text)
        except (StoreValueError, TypeError) as problem:
            raise self._database.broken(problem) from None


def _end_of(prefix: str) -> str | None:
    """Give the lowest text above all that begin with *prefix*; None where there is none."""
    for length in range(len(prefix), 0, -1):
        code = ord(prefix[length - 1]) + 1
        if code in _SURROGATES:
            code = _SURROGATES.stop
        if code <= _LAST_CODE_POINT:
            return prefix[: length - 1] + chr(code)
    return None
