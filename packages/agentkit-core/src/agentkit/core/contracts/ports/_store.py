"""The seam to a key-value store."""

import builtins
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol, runtime_checkable

__all__ = ["StorePort"]


@runtime_checkable
class StorePort(Protocol):
    """The one durable key-value seam: caches, idempotency, audit, counters ride on it.

    Keys are non-empty text of at most 1,024 UTF-8 bytes without NUL and lone surrogates. Values are
    JSON: None, bool, int, finite float, str, list, dict with str keys; a store in memory also keeps
    other objects, by reference. What goes in and what comes out is never aliased. A ttl is a whole
    number of seconds from 1 to 2**31 - 1, and the backend's clock decides. Values and logs are two
    namespaces.

    Every method raises `StoreValueError` for an argument that breaks these rules, before anything
    is touched; `StoreUnavailable` when the backend cannot be reached; and, given a ttl, a store
    without expiry raises `NotImplementedError` before anything is written or warns once that it
    ignores it.
    """

    async def get(self, key: str) -> Any | None:
        """Give the value at *key*, or None where there is none (or where None is stored)."""
        ...

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        """Put *value* at *key*; without *ttl* an earlier expiry is cleared."""
        ...

    async def get_or_set(
        self, key: str, fn: Callable[[], Awaitable[Any]], *, ttl: int | None = None
    ) -> Any:
        """Give the value at *key*, producing it with *fn* where nothing is stored.

        Presence decides, not truthiness: a stored None is a hit. Concurrent callers in one process
        share one producer. Cancelling one caller disturbs no other; when the last one is gone the
        producer is cancelled. A producer that raises stores nothing: its own caller gets the error,
        and the next waiter runs its own producer. Across processes each may produce, one write
        wins, and everyone gets the stored value.

        Raises:
            RuntimeError: The producer asks for its own key, directly or through another.

        """
        ...

    async def delete(self, key: str) -> None:
        """Remove the value at *key*, if there is one; a log of that name stays."""
        ...

    async def append(self, key: str, value: Any) -> None:
        """Add *value* to the end of the log *key*."""
        ...

    async def list(self, key: str) -> builtins.list[Any]:
        """Give the log *key* in order; an unknown log is empty and is not created."""
        ...

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        """Put *value* at *key* only if it still holds *expected*, and tell whether it did.

        Equality is that of canonical JSON: the order of keys is irrelevant, `True` is not `1`, `1`
        is not `1.0`. An absent key equals None. A refused call changes nothing, the expiry
        included.
        """
        ...

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        """Add *by* to the counter at *key* and give the new total; absent counts as zero.

        *ttl* opens a window on a counter that has none and never moves one that is open; counter
        and window are written together.

        Raises:
            StoreValueError: *by* or what is stored (None included) is no whole number, or the total
                would leave signed 64 bits; nothing changes.

        """
        ...

    def scan(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[str]:
        """Give the full keys of values that begin with *prefix*, each once, in no promised order.

        A key equal to *prefix* is included, logs and expired keys never are. *limit* caps how many
        are given: 0 gives none.

        Raises:
            ValueError: *limit* is negative.

        """
        ...
