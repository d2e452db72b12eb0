"""A StorePort over the journal."""

import asyncio
import builtins
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from acme_journal._journal import Journal
from agentkit.core.contracts.store_rules import (
    add_to_counter,
    check_by,
    check_key,
    check_limit,
    check_prefix,
    decode_value,
    encode_value,
)
from agentkit.core.execution import SingleFlight

T = TypeVar("T")


class JournalStore:
    """A store in one append-only file, which processes may share.

    A write is on disk when its call returns. There is no expiry: a ttl is refused.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._flight = SingleFlight()

    @classmethod
    @asynccontextmanager
    async def open(cls, path: str | os.PathLike[str]) -> AsyncGenerator["JournalStore", None]:
        """Open the file at *path*, creating it if needed, until the end of the block."""
        journal = await asyncio.to_thread(Journal, Path(path))
        try:
            yield cls(journal)
        finally:
            journal.close()

    async def get(self, key: str) -> Any | None:
        """Give the value at *key*, or None."""
        check_key(key)
        text = await self._locked(lambda: self._journal.values.get(key))
        return None if text is None else decode_value(text)

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        """Put *value* at *key*."""
        check_key(key)
        _refuse(ttl)
        text = encode_value(value)
        await self._locked(lambda: self._journal.write("set", key, text))

    async def delete(self, key: str) -> None:
        """Remove the value at *key*, if there is one."""
        check_key(key)
        await self._locked(lambda: self._journal.write("delete", key, ""))

    async def append(self, key: str, value: Any) -> None:
        """Add *value* to the end of the log *key*."""
        check_key(key)
        text = encode_value(value)
        await self._locked(lambda: self._journal.write("append", key, text))

    async def list(self, key: str) -> builtins.list[Any]:
        """Give the entries of the log *key*, in order."""
        check_key(key)
        texts = await self._locked(lambda: [*self._journal.logs.get(key, ())])
        return [decode_value(text) for text in texts]

    def scan(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[str]:
        """Give the keys of values that begin with *prefix*, at most *limit* of them."""
        return self._scan(check_prefix(prefix), check_limit(limit))

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        """Put *value* at *key* if it holds *expected*, and tell whether it did."""
        check_key(key)
        _refuse(ttl)
        before, after = encode_value(expected), encode_value(value)

        def swap() -> bool:
            if self._journal.values.get(key, "null") != before:
                return False
            self._journal.write("set", key, after)
            return True

        return await self._locked(swap)

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        """Add *by* to the counter at *key* and give the total."""
        check_key(key)
        check_by(key, by)
        _refuse(ttl)

        def count() -> int:
            current = decode_value(self._journal.values.get(key, "0"))
            total = add_to_counter(key, current, by)
            self._journal.write("set", key, str(total))
            return total

        return await self._locked(count)

    async def get_or_set(
        self, key: str, fn: Callable[[], Awaitable[Any]], *, ttl: int | None = None
    ) -> Any:
        """Give the value at *key*; where nothing is stored, store what one run of *fn* returns."""
        check_key(key)
        _refuse(ttl)
        return decode_value(await self._flight.run(key, lambda: self._produce(key, fn)))

    async def _produce(self, key: str, fn: Callable[[], Awaitable[Any]]) -> str:
        found = await self._locked(lambda: self._journal.values.get(key))
        if found is not None:
            return found
        text = encode_value(await fn())

        def put_unless_there() -> str:
            if key not in self._journal.values:
                self._journal.write("set", key, text)
            return self._journal.values[key]

        return await self._locked(put_unless_there)

    async def _scan(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        keys = await self._locked(lambda: [*self._journal.values])
        for key in [key for key in keys if key.startswith(prefix)][:limit]:
            yield key

    async def _locked(self, job: Callable[[], T]) -> T:
        return await asyncio.to_thread(self._journal.locked, job)


def _refuse(ttl: int | None) -> None:
    if ttl is not None:
        raise NotImplementedError("JournalStore has no expiry; leave ttl out")
