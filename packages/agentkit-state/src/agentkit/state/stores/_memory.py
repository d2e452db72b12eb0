"""The reference store: a dict with expiry, gone with the process."""

from __future__ import annotations

import builtins
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.store_rules import (
    add_to_counter,
    check_by,
    check_key,
    check_limit,
    check_prefix,
    check_ttl,
    equal_values,
)
from agentkit.core.execution import SingleFlight
from agentkit.state.stores._copies import MasterCopy

__all__ = ["InMemoryStore"]

_SWEEP_EVERY = 256
_ABSENT: Any = object()
_SCALARS = frozenset({str, int, float, bool, type(None)})


class InMemoryStore:
    """A `StorePort` in memory, which every durable store answers like.

    Dicts and lists of text and numbers, all JSON that is, are copied on the way in and on the way
    out; what is or holds any other object is kept by reference.
    A ttl is honoured, measured by *clock* in seconds: an expired key is gone at once, and its
    memory is reclaimed on every 256th write.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._values: dict[str, Any] = {}
        self._deadlines: dict[str, float] = {}  # of the keys that have one
        self._logs: dict[str, list[Any]] = {}
        self._writes = 0
        self._flight = SingleFlight()

    async def get(self, key: str) -> Any | None:
        """Give a copy of the value at *key*, or None."""
        kept = self._kept(check_key(key))
        return None if kept is _ABSENT else _copy_out(kept)

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        """Put a copy of *value* at *key*, to expire after *ttl* seconds or never."""
        check_key(key)
        check_ttl(ttl)
        self._put(key, _copy_in(value), ttl)

    async def get_or_set(
        self, key: str, fn: Callable[[], Awaitable[Any]], *, ttl: int | None = None
    ) -> Any:
        """Give the value at *key*; where nothing is stored, store what one run of *fn* returns."""
        check_key(key)
        check_ttl(ttl)
        kept = self._kept(key)
        if kept is _ABSENT:
            kept = await self._flight.run(key, lambda: self._produce(key, fn, ttl))
        return _copy_out(kept)

    async def delete(self, key: str) -> None:
        """Remove the value at *key*, if there is one."""
        self._forget(check_key(key))

    async def append(self, key: str, value: Any) -> None:
        """Add a copy of *value* to the end of the log *key*."""
        self._logs.setdefault(check_key(key), []).append(_copy_in(value))

    async def list(self, key: str) -> builtins.list[Any]:
        """Give copies of the entries of the log *key*, in order."""
        return [_copy_out(kept) for kept in self._logs.get(check_key(key), ())]

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        """Put *value* at *key* if it holds *expected*, and tell whether it did."""
        check_key(key)
        check_ttl(ttl)
        incoming = _copy_in(value)
        kept = self._kept(key)
        if not _equal(None if kept is _ABSENT else kept, _copy_in(expected)):
            return False
        self._put(key, incoming, ttl)
        return True

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        """Add *by* to the counter at *key*, opening a window of *ttl* seconds if none is open."""
        check_key(key)
        check_by(key, by)
        check_ttl(ttl)
        kept = self._kept(key)
        total = add_to_counter(key, 0 if kept is _ABSENT else _copy_out(kept), by)
        deadline = self._deadlines.get(key)
        self._put(key, total, ttl)
        if deadline is not None:
            self._deadlines[key] = deadline
        return total

    def scan(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[str]:
        """Give the keys of values that begin with *prefix*, at most *limit* of them."""
        return self._scan(check_prefix(prefix), check_limit(limit))

    def purge_expired(self) -> int:
        """Reclaim what has expired, and give how many keys that were."""
        now = self._clock()
        expired = [key for key, deadline in self._deadlines.items() if deadline <= now]
        for key in expired:
            self._forget(key)
        return len(expired)

    async def _scan(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        keys = [key for key in self._values if key.startswith(prefix)]
        given = 0
        for key in keys:
            if given == limit:
                return
            if self._kept(key) is not _ABSENT:
                given += 1
                yield key

    async def _produce(self, key: str, fn: Callable[[], Awaitable[Any]], ttl: int | None) -> Any:
        kept = self._kept(key)
        if kept is not _ABSENT:
            return kept
        produced = _copy_in(await fn())
        kept = self._kept(key)  # who wrote meanwhile has won
        if kept is not _ABSENT:
            return kept
        self._put(key, produced, ttl)
        return produced

    def _kept(self, key: str) -> Any:
        if self._deadlines:
            deadline = self._deadlines.get(key)
            if deadline is not None and deadline <= self._clock():
                self._forget(key)
        return self._values.get(key, _ABSENT)

    def _put(self, key: str, kept: Any, ttl: int | None) -> None:
        self._values[key] = kept
        if ttl is not None:
            self._deadlines[key] = self._clock() + ttl
        elif self._deadlines:
            self._deadlines.pop(key, None)
        self._writes += 1
        if self._writes % _SWEEP_EVERY == 0 and self._deadlines:
            self.purge_expired()

    def _forget(self, key: str) -> None:
        self._values.pop(key, None)
        self._deadlines.pop(key, None)


class _Opaque:
    """What is neither text, a number, nor made of such in dicts and lists; kept by reference."""

    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held

    def copy(self) -> Any:
        return self.held


def _copy_in(value: Any) -> Any:
    """Give the form a value is kept in: itself where it cannot change, else one that is copied."""
    if type(value) in _SCALARS:
        return value
    return MasterCopy.of(value) or _Opaque(value)


def _copy_out(kept: Any) -> Any:
    return kept if type(kept) in _SCALARS else kept.copy()


def _equal(kept: Any, expected: Any) -> bool:
    left, right = _copy_out(kept), _copy_out(expected)
    if type(kept) is _Opaque or type(expected) is _Opaque:
        return bool(left == right)
    if type(left) is not type(right):
        return False  # no two JSON types have a text in common
    try:
        return equal_values(left, right)
    except StoreValueError:  # a number or a key that JSON does not have
        return bool(left == right)
