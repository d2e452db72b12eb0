"""A store that keeps JSON text, as every durable one does."""

import builtins
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from agentkit.core.contracts.ports import ClockPort
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
from agentkit.core.runtime import SystemClock

__all__ = ["JsonStore"]

_NULL = encode_value(None)


class JsonStore:
    """A `StorePort` in memory that takes what a durable store takes and nothing more.

    A consumer tested against it meets, in the test, what a serialising store would do to its
    values.
    """

    def __init__(self, *, clock: ClockPort | None = None) -> None:
        self._clock = clock or SystemClock()
        self._texts: dict[str, str] = {}
        self._expiry: dict[str, float] = {}
        self._logs: dict[str, list[str]] = {}
        self._flight = SingleFlight()

    async def get(self, key: str) -> Any | None:
        """Give the value at *key*, or None."""
        return decode_value(self._live(check_key(key)) or _NULL)

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        """Put *value* at *key*."""
        self._put(check_key(key), encode_value(value), check_ttl(ttl))

    async def get_or_set(
        self, key: str, fn: Callable[[], Awaitable[Any]], *, ttl: int | None = None
    ) -> Any:
        """Give the value at *key*, producing it once where there is none."""
        check_key(key)
        check_ttl(ttl)
        text = self._live(key)
        if text is None:
            text = await self._flight.run(key, lambda: self._produce(key, fn, ttl))
        return decode_value(text)

    async def delete(self, key: str) -> None:
        """Remove the value at *key*."""
        self._texts.pop(check_key(key), None)
        self._expiry.pop(key, None)

    async def append(self, key: str, value: Any) -> None:
        """Add *value* to the log *key*."""
        text = encode_value(value)
        self._logs.setdefault(check_key(key), []).append(text)

    async def list(self, key: str) -> builtins.list[Any]:
        """Give the log *key*."""
        return [decode_value(text) for text in self._logs.get(check_key(key), ())]

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        """Put *value* at *key* if it holds *expected*."""
        held, new = encode_value(expected), encode_value(value)
        check_ttl(ttl)
        if (self._live(check_key(key)) or _NULL) != held:
            return False
        self._put(key, new, ttl)
        return True

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        """Add *by* to the counter at *key*; *ttl* opens a window where none is open."""
        check_by(check_key(key), by)
        check_ttl(ttl)
        text = self._live(key)
        total = add_to_counter(key, 0 if text is None else decode_value(text), by)
        expiry = self._expiry.get(key)
        self._put(key, encode_value(total), ttl)
        if expiry is not None:
            self._expiry[key] = expiry
        return total

    async def scan(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[str]:
        """Give the keys that begin with *prefix*."""
        check_prefix(prefix)
        cap = check_limit(limit)
        found = [key for key in list(self._texts) if key.startswith(prefix) and self._live(key)]
        for key in found[:cap]:
            yield key

    async def _produce(self, key: str, fn: Callable[[], Awaitable[Any]], ttl: int | None) -> str:
        text = encode_value(await fn())
        if (written := self._live(key)) is not None:
            return written
        self._put(key, text, ttl)
        return text

    def _live(self, key: str) -> str | None:
        """Give the text at *key* unless it has expired."""
        if self._expiry.get(key, math.inf) <= self._clock.now():
            del self._texts[key], self._expiry[key]
        return self._texts.get(key)

    def _put(self, key: str, text: str, ttl: int | None) -> None:
        self._texts[key] = text
        self._expiry.pop(key, None)
        if ttl is not None:
            self._expiry[key] = self._clock.now() + ttl
