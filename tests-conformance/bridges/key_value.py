"""A store of py-key-value, presented as a StorePort: what its protocol can do of it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

from agentkit.core.contracts.errors import StoreUnavailable
from agentkit.core.contracts.store_rules import check_key, check_ttl, decode_value, encode_value
from agentkit.core.execution import SingleFlight

__all__ = ["KeyValueBridge", "KeyValueStore"]


class KeyValueStore(AbstractAsyncContextManager[Any], Protocol):
    """What is used of `key_value.aio.protocols.AsyncKeyValueProtocol`, with its keyword names."""

    async def get(self, key: str) -> dict[str, Any] | None:
        """Give the document at *key*, or None."""

    async def put(self, key: str, value: Mapping[str, Any], *, ttl: float | None = None) -> None:
        """Put the document *value* at *key*."""

    async def delete(self, key: str) -> object:
        """Remove the document at *key*, if there is one."""


class KeyValueBridge:
    """Four verbs of a `StorePort` over *inner*, whose protocol has no other.

    It can neither enumerate keys nor write on a condition, so `scan`, `compare_and_set` and
    `increment` are missing, and a log would lose entries. A value is put into a document as text:
    the protocol takes mappings only, and each of its stores keeps numbers and text in its own way.
    """

    def __init__(self, inner: KeyValueStore) -> None:
        self._inner = inner
        self._flight = SingleFlight()

    @classmethod
    @asynccontextmanager
    async def over(cls, inner: KeyValueStore) -> AsyncGenerator["KeyValueBridge", None]:
        """Open *inner* until the end of the block."""
        async with inner:
            yield cls(inner)

    async def get(self, key: str) -> Any | None:
        """Give the value at *key*, or None."""
        text = await self._text(check_key(key))
        return None if text is None else decode_value(text)

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        """Put *value* at *key*, to expire after *ttl* seconds or never."""
        check_key(key)
        check_ttl(ttl)
        await self._put(key, encode_value(value), ttl)

    async def get_or_set(
        self, key: str, fn: Callable[[], Awaitable[Any]], *, ttl: int | None = None
    ) -> Any:
        """Give the value at *key*; where nothing is stored, store what one run of *fn* returns."""
        check_key(key)
        check_ttl(ttl)
        return decode_value(await self._flight.run(key, lambda: self._produce(key, fn, ttl)))

    async def delete(self, key: str) -> None:
        """Remove the value at *key*, if there is one."""
        await self._inner.delete(check_key(key))

    async def _produce(self, key: str, fn: Callable[[], Awaitable[Any]], ttl: int | None) -> str:
        found = await self._text(key)
        if found is not None:
            return found
        text = encode_value(await fn())
        found = await self._text(key)  # who wrote meanwhile has won, as far as can be told
        if found is None:
            await self._put(key, text, ttl)
        return text if found is None else found

    async def _put(self, key: str, text: str, ttl: int | None) -> None:
        await self._inner.put(key, {"json": text}, ttl=ttl)

    async def _text(self, key: str) -> str | None:
        match await self._inner.get(key):
            case None:
                return None
            case {"json": str(text)}:
                return text
            case other:
                raise StoreUnavailable(f"{key!r} holds what no KeyValueBridge wrote: {other!r}")
