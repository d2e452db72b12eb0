"""The store without a dependency: durable JSON files in a folder."""

from __future__ import annotations

import asyncio
import builtins
import os
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

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
from agentkit.state.stores._folder import Folder

__all__ = ["FileStore"]

T = TypeVar("T")


class FileStore:
    """A `StorePort` in JSON files under *base_dir*: durable, and safe for several processes.

    A write is on disk when it returns. The folder is made by the first write. There is no expiry:
    a ttl is ignored, and the first write that carries one warns. A file that something else has
    damaged raises `StoreUnavailable`, naming it. `scan` reads every file: for many keys take
    `SQLiteStore`.

    Raises:
        StoreValueError: *base_dir* is empty, or no folder can have that path.

    """

    def __init__(self, base_dir: str | os.PathLike[str]) -> None:
        self._folder = Folder(base_dir)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="agentkit-files")
        self._has_warned = False
        self._flight = SingleFlight()

    async def get(self, key: str) -> Any | None:
        """Give the value at *key*, or None."""
        check_key(key)
        _, value = await self._run(lambda: self._folder.read(key))
        return value

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        """Put *value* at *key*; *ttl* is ignored."""
        check_key(key)
        check_ttl(ttl)
        text = encode_value(value)
        await self._run(lambda: self._put(key, text))
        self._warn_of(ttl)

    async def get_or_set(
        self, key: str, fn: Callable[[], Awaitable[Any]], *, ttl: int | None = None
    ) -> Any:
        """Give the value at *key*; where nothing is stored, store what one run of *fn* returns."""
        check_key(key)
        check_ttl(ttl)
        text = await self._flight.run(key, lambda: self._produce(key, fn, ttl))
        return decode_value(text)

    async def delete(self, key: str) -> None:
        """Remove the value at *key*, if there is one."""
        check_key(key)
        await self._run(lambda: self._remove(key))

    async def append(self, key: str, value: Any) -> None:
        """Add *value* to the end of the log *key*."""
        check_key(key)
        text = encode_value(value)
        await self._run(lambda: self._append(key, text))

    async def list(self, key: str) -> builtins.list[Any]:
        """Give the entries of the log *key*, in order."""
        check_key(key)
        return await self._run(lambda: self._folder.entries(key))

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        """Put *value* at *key* if it holds *expected*, and tell whether it did."""
        check_key(key)
        check_ttl(ttl)
        texts = encode_value(expected), encode_value(value)
        applied = await self._run(lambda: self._replace(key, *texts))
        if applied:
            self._warn_of(ttl)
        return applied

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        """Add *by* to the counter at *key* and give the total; *ttl* is ignored."""
        check_key(key)
        check_by(key, by)
        check_ttl(ttl)
        total = await self._run(lambda: self._count(key, by))
        self._warn_of(ttl)
        return total

    def scan(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[str]:
        """Give the keys of values that begin with *prefix*, at most *limit* of them."""
        return self._scan(check_prefix(prefix), check_limit(limit))

    async def _scan(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        if limit == 0:
            return
        stored = await self._run(lambda: list(self._folder.stored_keys()))
        for key in [key for key in stored if key.startswith(prefix)][:limit]:
            yield key

    async def _produce(self, key: str, fn: Callable[[], Awaitable[Any]], ttl: int | None) -> str:
        found, value = await self._run(lambda: self._folder.read(key))
        if found:
            return encode_value(value)
        text = encode_value(await fn())
        stored = await self._run(lambda: self._put_unless_there(key, text))
        self._warn_of(ttl)
        return stored

    async def _run(self, job: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, job)

    def _warn_of(self, ttl: int | None) -> None:
        if ttl is None or self._has_warned:
            return
        self._has_warned = True
        warnings.warn(
            "FileStore has no expiry: it ignores every ttl and keeps what is written. "
            "SQLiteStore and InMemoryStore honour one",
            stacklevel=3,
        )

    # The rest runs in the store's thread.

    def _put(self, key: str, text: str) -> None:
        with self._folder.locked():
            self._folder.write(key, text)

    def _remove(self, key: str) -> None:
        with self._folder.locked():
            self._folder.remove(key)

    def _append(self, key: str, text: str) -> None:
        with self._folder.locked():
            self._folder.append(key, text)

    def _put_unless_there(self, key: str, text: str) -> str:
        with self._folder.locked():
            found, value = self._folder.read(key)
            if found:
                return encode_value(value)
            self._folder.write(key, text)
        return text

    def _replace(self, key: str, expected: str, text: str) -> bool:
        with self._folder.locked():
            _, value = self._folder.read(key)
            if encode_value(value) != expected:
                return False
            self._folder.write(key, text)
        return True

    def _count(self, key: str, by: int) -> int:
        with self._folder.locked():
            found, value = self._folder.read(key)
            total = add_to_counter(key, value if found else 0, by)
            self._folder.write(key, str(total))
        return total
