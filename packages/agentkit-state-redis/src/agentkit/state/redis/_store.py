"""The store on Redis: every verb is one command or one script, and atomic."""

from __future__ import annotations

import builtins
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from redis.exceptions import ResponseError

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
from agentkit.state.redis._errors import translated
from agentkit.state.redis._keys import Keys
from agentkit.state.redis._lane import Lane
from agentkit.state.redis._opening import Client, wire_to
from agentkit.state.redis._seen import Seen
from agentkit.state.redis._wire import Script

__all__ = ["RedisStore"]

_PAGE = 1000

# ARGV: what is expected, the value, the ttl or "".
_SWAP = Script("""\
local kept = redis.call('GET', KEYS[1])
if (kept or 'null') ~= ARGV[1] then return 0 end
if ARGV[3] == '' then
  redis.call('SET', KEYS[1], ARGV[2])
else
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
end
return 1
""")

# ARGV: by, the ttl. The total is text: a number of Lua is exact up to 2**53 only.
_COUNT = Script("""\
redis.call('INCRBY', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) == -1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return redis.call('GET', KEYS[1])
""")


class RedisStore:
    """A `StorePort` on Redis 7 or later, or Valkey: with expiry, for any number of processes.

    It takes a *url* with the driver's options as its query: `redis://` or `unix://` for one server,
    `redis+cluster://host,host` for a cluster, `redis+sentinel://host,host/service` for whichever
    server these sentinels call primary (`rediss` for TLS). Or it takes the settings of your own
    *client*, a `Redis`, a `RedisCluster` or what `Sentinel.master_for` gives, which stays yours and
    unused: the store opens connections of its own, which never retry, so that a write happens at
    most once.

    Calls made in one turn of the event loop share a round trip. `async with RedisStore.open(url)`
    closes at the end; who constructs a store calls `aclose`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        client: Client | None = None,
        namespace: str = "agentkit",
    ) -> None:
        self._keys = Keys(namespace)
        self._wire = wire_to(url, client)
        self._flight = SingleFlight()

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str | None = None,
        *,
        client: Client | None = None,
        namespace: str = "agentkit",
    ) -> AsyncGenerator[RedisStore]:
        """Open the store until the end of the block.

        Raises:
            StoreValueError: *url* is malformed, *client* is one of replicas, or not exactly one of
                the two was given.
            StoreUnavailable: The server cannot be reached, or refuses the credentials.

        """
        store = cls(url, client=client, namespace=namespace)
        try:
            with translated(StoreUnavailable):
                await store._wire.greet()
            yield store
        finally:
            await store.aclose()

    async def aclose(self) -> None:
        """Close the connections; calls not answered yet raise `StoreUnavailable`."""
        await self._wire.aclose()

    async def get(self, key: str) -> Any | None:
        """Give the value at *key*, or None."""
        text = await self._call("GET", self._keys.value(check_key(key)))
        return None if text is None else _decoded(text)

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        """Put *value* at *key*, to expire after *ttl* seconds or never."""
        check_key(key)
        check_ttl(ttl)
        expiry = () if ttl is None else ("EX", ttl)
        await self._call("SET", self._keys.value(key), encode_value(value), *expiry)

    async def get_or_set(
        self, key: str, fn: Callable[[], Awaitable[Any]], *, ttl: int | None = None
    ) -> Any:
        """Give the value at *key*; where nothing is stored, store what one run of *fn* returns."""
        check_key(key)
        check_ttl(ttl)
        text = await self._call("GET", self._keys.value(key))
        if text is None:
            text = await self._flight.run(key, lambda: self._produce(key, fn, ttl))
        return _decoded(text)

    async def delete(self, key: str) -> None:
        """Remove the value at *key*, if there is one."""
        await self._call("UNLINK", self._keys.value(check_key(key)))

    async def append(self, key: str, value: Any) -> None:
        """Add *value* to the end of the log *key*."""
        await self._call("RPUSH", self._keys.log(check_key(key)), encode_value(value))

    async def list(self, key: str) -> builtins.list[Any]:
        """Give the entries of the log *key*, in order."""
        texts = await self._call("LRANGE", self._keys.log(check_key(key)), 0, -1)
        return [_decoded(text) for text in texts]

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        """Put *value* at *key* if it holds *expected*, and tell whether it did."""
        check_key(key)
        check_ttl(ttl)
        arguments = (encode_value(expected), encode_value(value), "" if ttl is None else ttl)
        with translated(StoreUnavailable):
            return bool(await self._wire.run(_SWAP, self._keys.value(key), *arguments))

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        """Add *by* to the counter at *key*, opening a window of *ttl* seconds if none is open."""
        check_key(key)
        check_by(key, by)
        check_ttl(ttl)
        with translated(StoreUnavailable):
            try:
                return await self._count(self._keys.value(key), by, ttl)
            except ResponseError as refusal:
                if not _is_about_the_number(refusal):
                    raise
        raise await self._no_counter(key, by)

    def scan(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[str]:
        """Give the keys of values that begin with *prefix*, at most *limit* of them."""
        return self._scan(check_prefix(prefix), check_limit(limit))

    async def _scan(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        if limit == 0:
            return
        seen = Seen()
        async for found in self._found(self._keys.values_pattern(prefix)):
            if not seen.add(found):
                continue
            yield self._keys.key_of(found)
            if len(seen) == limit:
                return

    async def _found(self, pattern: bytes) -> AsyncIterator[bytes]:
        """Give what matches *pattern* on every server; the same one may come again."""
        with translated(StoreUnavailable):
            servers = [lane async for lane in self._wire.lanes()]
        for lane in servers:
            cursor: bytes | int = 0
            while True:
                cursor, page = await _page(lane, cursor, pattern)
                for found in page:
                    yield found
                if int(cursor) == 0:
                    break

    async def _produce(
        self, key: str, fn: Callable[[], Awaitable[Any]], ttl: int | None
    ) -> bytes | str:
        """Store what *fn* returns unless something is there by now, and give what is stored."""
        text = encode_value(await fn())
        expiry = () if ttl is None else ("EX", ttl)
        there = await self._call("SET", self._keys.value(key), text, "NX", "GET", *expiry)
        return text if there is None else there

    async def _count(self, place: bytes, by: int, ttl: int | None) -> int:
        if ttl is None:
            return int(await self._wire.call("INCRBY", place, by))
        return int(await self._wire.run(_COUNT, place, by, ttl))

    async def _no_counter(self, key: str, by: int) -> StoreValueError:
        """Give the error for what the server refuses to count; it names what is stored."""
        try:
            add_to_counter(key, await self.get(key), by)
        except StoreValueError as problem:
            return problem
        return StoreValueError(
            f"increment on key {key!r} requires a stored integer within signed 64 bits"
        )

    async def _call(self, name: str, place: bytes, *arguments: str | bytes | int) -> Any:
        with translated(StoreUnavailable):
            return await self._wire.call(name, place, *arguments)


async def _page(
    lane: Lane, cursor: bytes | int, pattern: bytes
) -> tuple[bytes | int, builtins.list[bytes]]:
    with translated(StoreUnavailable):
        cursor, page = await lane.send("SCAN", cursor, "MATCH", pattern, "COUNT", _PAGE)
        return cursor, page


def _decoded(text: bytes | str) -> Any:
    try:
        return decode_value(text)
    except (StoreValueError, TypeError) as problem:
        raise StoreUnavailable(f"the server holds something else at this key: {problem}") from None


def _is_about_the_number(refusal: ResponseError) -> bool:
    return any(text in str(refusal) for text in ("not an integer", "would overflow"))
