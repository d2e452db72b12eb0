"""A store that sentinels lead to whichever server is primary."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis
from redis.asyncio.sentinel import Sentinel

from agentkit.core.contracts.errors import CheckpointerError, StoreUnavailable, StoreValueError
from agentkit.state.redis import RedisCheckpointStore, RedisStore
from agentkit.testing.servers import RedisSentinel, RedisServer, redis_binary, valkey_binary

ANY_SENTINEL: Any = Sentinel  # whose methods are not typed
CLIENT: Any = redis.Redis  # whose methods are not typed


@pytest.fixture(scope="module", params=[redis_binary, valkey_binary], ids=["redis", "valkey"])
def watched(request: pytest.FixtureRequest) -> Iterator[RedisSentinel]:
    with RedisSentinel(request.param) as watched:
        yield watched


@pytest.fixture
def key() -> str:
    return f"key-{uuid4().hex[:8]}"


def played(url: str, play: Callable[[RedisStore], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(30), RedisStore.open(url) as store:
            await play(store)

    asyncio.run(run())


async def set_once_there(store: RedisStore, key: str, value: object) -> None:
    while True:
        with suppress(StoreUnavailable):
            await store.set(key, value)
            return
        await asyncio.sleep(0.02)


def kept_by(server: RedisServer, key: str) -> bytes | None:
    with CLIENT.from_url(server.url) as client:
        kept: bytes | None = client.get(f"agentkit:kv:{key}")
        return kept


def test_a_url_of_sentinels_leads_to_the_primary(watched: RedisSentinel, key: str) -> None:
    played(watched.url, lambda store: store.set(key, 1))

    assert kept_by(watched.primary, key) == b"1"


def test_sentinels_that_are_gone_are_passed_over(watched: RedisSentinel, key: str) -> None:
    url = watched.url.replace("://", "://127.0.0.1:1,")

    played(url, lambda store: store.set(key, 1))


@pytest.mark.parametrize("kind", [RedisStore, RedisCheckpointStore])
def test_a_client_of_sentinels_gives_its_settings(watched: RedisSentinel, kind: Any) -> None:
    async def run() -> list[Any]:
        manager = ANY_SENTINEL([("127.0.0.1", watched.port)], decode_responses=True)
        client = manager.master_for(watched.service)
        async with kind.open(client=client):
            return [*client.connection_pool._available_connections, *unused(manager)]

    assert asyncio.run(run()) == []  # the client opened nothing


def unused(manager: Any) -> list[Any]:
    [sentinel] = manager.sentinels
    return list(sentinel.connection_pool._available_connections)


def test_a_client_of_replicas_is_refused() -> None:
    client = ANY_SENTINEL([("127.0.0.1", 1)]).slave_for("agentkit")

    with pytest.raises(StoreValueError, match="replicas, which take no writes"):
        RedisStore(client=client)


@pytest.mark.parametrize("kind", [RedisStore, RedisCheckpointStore])
def test_a_service_that_no_sentinel_knows_is_told(watched: RedisSentinel, kind: Any) -> None:
    async def run() -> None:
        async with kind.open(f"redis+sentinel://127.0.0.1:{watched.port}/other"):
            pass

    with pytest.raises((StoreUnavailable, CheckpointerError), match="no sentinel knows a primary"):
        asyncio.run(run())


def test_sentinels_that_are_all_gone_are_told() -> None:
    with pytest.raises(StoreUnavailable, match="no connection"):
        played("redis+sentinel://127.0.0.1:1,127.0.0.1:2/agentkit", lambda store: store.get("key"))


def test_who_is_called_primary_and_is_none_gets_no_call(key: str) -> None:
    with RedisSentinel(redis_binary) as watched:
        with CLIENT.from_url(watched.primary.url) as other:
            other.replicaof("127.0.0.1", "1")

        with pytest.raises(StoreUnavailable, match="replica and takes no writes"):
            played(watched.url, lambda store: store.get(key))


@pytest.mark.parametrize("binary", [redis_binary, valkey_binary], ids=["redis", "valkey"])
def test_after_a_promotion_the_next_calls_go_to_the_new_primary(
    binary: Callable[[], Path], key: str
) -> None:
    async def play(store: RedisStore) -> None:
        await store.set(key, "before")
        await asyncio.to_thread(pair.promote)
        with pytest.raises(StoreUnavailable, match="replica and takes no writes"):
            await store.set(key, "lost")
        await set_once_there(store, f"{key}/after", "after")

        assert kept_by(pair.replica, f"{key}/after") == b'"after"'
        assert await store.get(key) == "before"

    with RedisSentinel(binary) as pair:
        played(pair.url, play)


def test_a_primary_that_is_killed_is_told_and_its_replica_takes_over(key: str) -> None:
    async def play(store: RedisStore) -> None:
        await store.set(key, "before")
        pair.primary.kill()
        with pytest.raises(StoreUnavailable, match="no connection"):
            await store.set(key, "meanwhile")
        await set_once_there(store, key, "after")

        assert kept_by(pair.replica, key) == b'"after"'

    with RedisSentinel(redis_binary) as pair:
        played(pair.url, play)
