"""RedisStore: what it stores, what it takes, and what it says when it cannot."""

import asyncio
import importlib.metadata
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
import redis
from redis.asyncio import Redis
from redis.asyncio import RedisCluster as ClusterClient

from agentkit.core.contracts.errors import CheckpointerError, StoreUnavailable, StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.redis import RedisCheckpointStore, RedisStore
from agentkit.testing.servers import RedisServer, Server, redis_binary

ASYNC_CLIENT: Any = Redis  # whose methods are not typed
CLIENT: Any = redis.Redis  # whose methods are not typed

RUNNING = CheckpointStatus.RUNNING
README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
[STORES, CHECKPOINTS, *_] = re.findall(r"`((?:[A-Z]+\s)+[A-Z]+)`", README)


@pytest.fixture
def key() -> str:
    return f"key-{uuid4().hex[:8]}"


@pytest.fixture
def raw(redis_server: Server) -> Any:
    with CLIENT.from_url(redis_server.url) as client:
        yield client


def played(server: Server, play: Callable[[RedisStore], Awaitable[None]], **options: Any) -> None:
    async def run() -> None:
        async with RedisStore.open(server.url, **options) as store:
            await play(store)

    asyncio.run(run())


def test_a_value_is_canonical_json_at_its_key(redis_server: Server, key: str, raw: Any) -> None:
    played(redis_server, lambda store: store.set(key, {"b": "é\x00", "a": [1, None]}))

    assert raw.get(f"agentkit:kv:{key}") == b'{"a":[1,null],"b":"\\u00e9\\u0000"}'


def test_a_log_is_a_list_of_canonical_json(redis_server: Server, key: str, raw: Any) -> None:
    played(redis_server, lambda store: store.append(key, {"b": 1, "a": 2}))

    assert raw.lrange(f"agentkit:log:{key}", 0, -1) == [b'{"a":2,"b":1}']


def test_a_counter_is_the_number_that_redis_counts(
    redis_server: Server, key: str, raw: Any
) -> None:
    async def play(store: RedisStore) -> None:
        await store.increment(key, 2**53)
        assert await store.increment(key, ttl=60) == 2**53 + 1

    played(redis_server, play)
    assert raw.get(f"agentkit:kv:{key}") == b"9007199254740993"
    assert 59 <= raw.ttl(f"agentkit:kv:{key}") <= 60


def test_a_checkpoint_is_a_field_of_its_runs_hash(redis_server: Server, key: str, raw: Any) -> None:
    async def run() -> None:
        async with RedisCheckpointStore.open(redis_server.url) as store:
            await store.save(Checkpoint(key, 12, {"turn": 1}, 1.5, RUNNING))

    asyncio.run(run())
    assert raw.hgetall(f"agentkit:run:{{{key}}}") == {
        b"0000000000000000012": b'{"created_at":1.5,"metadata":{},"state":{"turn":1},'
        b'"status":"running"}',
        b"latest": b"0000000000000000012",
    }


@pytest.mark.parametrize("stored", [True, None, "1", 1.5, [1], 2**63])
def test_what_is_no_counter_is_named(redis_server: Server, key: str, stored: Any) -> None:
    async def play(store: RedisStore) -> None:
        await store.set(key, stored)
        for ttl in (None, 60):
            with pytest.raises(StoreValueError, match=repr(key)):
                await store.increment(key, -1, ttl=ttl)
        assert await store.get(key) == stored

    played(redis_server, play)


@pytest.mark.parametrize("by", [1, -1])
def test_a_counter_does_not_leave_64_bits(redis_server: Server, key: str, by: int) -> None:
    async def play(store: RedisStore) -> None:
        edge = 2**63 - 1 if by > 0 else -(2**63)
        await store.set(key, edge)
        with pytest.raises(StoreValueError, match="would leave signed 64 bits"):
            await store.increment(key, by)
        assert await store.get(key) == edge

    played(redis_server, play)


def test_foreign_content_is_told_as_such(redis_server: Server, key: str, raw: Any) -> None:
    raw.set(f"agentkit:kv:{key}", b"\xff no JSON")
    raw.rpush(f"agentkit:kv:{key}/list", "entry")
    raw.hset(f"agentkit:run:{{{key}}}", "0000000000000000001", "{}")

    async def play(store: RedisStore) -> None:
        with pytest.raises(StoreUnavailable, match="holds something else"):
            await store.get(key)
        with pytest.raises(StoreUnavailable, match="WRONGTYPE"):
            await store.get(f"{key}/list")
        async with RedisCheckpointStore.open(redis_server.url) as checkpoints:
            with pytest.raises(CheckpointerError, match="holds something else at version 1"):
                await checkpoints.at_version(key, 1)

    played(redis_server, play)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "redis:",
        "redis:hunter2",
        "http://host",
        "redis://host:hunter2",
        "redis://host/hunter2",
        "redis://host/-1",
        "redis://user:hunter2/x@host/0",  # its password is not percent-encoded
        "redis://user:12/hunter2@host/0",
        "redis://:hunter2@[::1/0",
        "redis://host?socket_timeout=hunter2",
        "redis://host?nosuch=hunter2",
        "rediss://host?ssl_cert_reqs=hunter2",
        "redis://:pw#hunter2@host",
        "redis://host/0#hunter2",
        "unix+cluster://hunter2",
        "redis+other://hunter2",
        "redis+cluster://",
        "redis+cluster://host,,hunter2",
        "redis+cluster://host,:6379",
        "redis+cluster://host:hunter2",
        "redis+cluster://host/1",
        "redis+cluster://host?db=1",
        "redis+cluster://host?nosuch=hunter2",
        "redis+sentinel://host",
        "redis+sentinel://host/",
        "redis+sentinel://,/service",
        "redis+sentinel://host/service/hunter2",
        "redis+sentinel://host/service?hunter2",
        "redis+sentinel://host/service?sentinel_nosuch=hunter2",
    ],
)
def test_a_malformed_url_is_refused_without_being_told(url: str) -> None:
    with pytest.raises(StoreValueError, match="no URL of a Redis server") as refused:
        RedisStore(url)

    assert "hunter2" not in f"{refused.value!r} {refused.value.__cause__!r}"


def test_a_store_takes_a_url_or_a_client() -> None:
    for arguments in ({}, {"url": "redis://host", "client": Redis()}):
        with pytest.raises(StoreValueError, match="either a url or a client"):
            RedisStore(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [{"decode_responses": True}, {"protocol": 2}, {"protocol": 3}, {"client_name": "named"}],
    ids=str,
)
def test_any_client_will_do(redis_server: Server, key: str, options: dict[str, Any]) -> None:
    async def run() -> None:
        client = ASYNC_CLIENT.from_url(redis_server.url, **options)
        async with RedisStore.open(client=client) as store:
            await store.set(key, ["é", None])
            assert await store.get(key) == ["é", None]
            assert await store.compare_and_set(key, ["é", None], 1) is True
            assert [found async for found in store.scan(key)] == [key]
        await client.aclose()

    asyncio.run(run())


def test_a_client_stays_its_owners(redis_server: Server, key: str) -> None:
    async def run() -> None:
        async with ASYNC_CLIENT.from_url(redis_server.url) as client:
            async with RedisStore.open(client=client) as store:
                await store.set(key, 1)
            assert await client.get(f"agentkit:kv:{key}") == b"1"

    asyncio.run(run())


def test_a_unix_socket_is_a_way_too(key: str) -> None:
    async def run(url: str) -> None:
        async with RedisStore.open(url) as store:
            assert await store.increment(key) == 1

    with RedisServer(redis_binary, "--unixsocket", "socket") as server:
        asyncio.run(run(f"unix://{server.folder}/socket"))


def test_a_store_serves_one_event_loop_after_another(redis_server: Server, key: str) -> None:
    store = RedisStore(redis_server.url)

    assert [asyncio.run(store.increment(key)) for _ in range(3)] == [1, 2, 3]


def test_a_closed_store_says_so(redis_server: Server, key: str) -> None:
    async def run() -> None:
        store = RedisStore(redis_server.url)
        await store.get(key)
        await store.aclose()
        with pytest.raises(StoreUnavailable, match="no connection"):
            await store.get(key)

    asyncio.run(run())


def test_a_server_that_is_not_there_is_told_on_opening() -> None:
    async def run(kind: Any) -> None:
        async with kind.open("redis://127.0.0.1:1"):
            pass

    with pytest.raises(StoreUnavailable, match="no connection"):
        asyncio.run(run(RedisStore))
    with pytest.raises(CheckpointerError, match="no connection"):
        asyncio.run(run(RedisCheckpointStore))


SCHEMES = [
    f"{scheme}{kind}" for scheme in ("redis", "rediss") for kind in ("", "+cluster", "+sentinel")
]


@pytest.mark.parametrize("group", ["agentkit.stores", "agentkit.checkpoints"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_scheme_opens_what_it_names(redis_server: Server, group: str, scheme: str) -> None:
    [entry] = importlib.metadata.entry_points(group=group, name=scheme)

    async def run() -> str:
        async with entry.load()(redis_server.url) as opened:
            return type(opened).__name__

    assert asyncio.run(run()) in {"RedisStore", "RedisCheckpointStore"}


def limited(server: Server, raw: Any, commands: str) -> str:
    """Give the URL of a user who may run *commands*, on keys of the namespace `mine`."""
    allowed = [f"+{name.lower()}" for name in commands.split()]
    raw.acl_setuser(
        "limited", enabled=True, reset=True, passwords=["+hunter2"], keys=["mine:*"],
        commands=allowed,
    )  # fmt: skip
    return as_user(server, "limited")


def as_user(server: Server, name: str) -> str:
    """Give the URL of database 0 for the user *name*; another would need SELECT."""
    place = urlsplit(server.url)
    return f"{place.scheme}://{name}:hunter2@{place.hostname}:{place.port}"


def test_a_user_needs_the_commands_that_are_told(redis_server: Server, key: str, raw: Any) -> None:
    url = limited(redis_server, raw, STORES)

    async def run() -> None:
        async with RedisStore.open(url, namespace="mine") as store:
            await store.set(key, 1, ttl=60)
            assert await store.get_or_set(key, lambda: asyncio.sleep(0, 2)) == 1
            assert await store.increment(key) == 2
            assert await store.increment(key, ttl=60) == 3
            assert await store.compare_and_set(key, 3, 4, ttl=60) is True
            await store.append(key, 1)
            assert await store.list(key) == [1]
            assert [name async for name in store.scan("")] == [key]
            await store.delete(key)

    asyncio.run(run())


def test_a_user_needs_the_commands_that_are_told_for_checkpoints(
    redis_server: Server, key: str, raw: Any
) -> None:
    url = limited(redis_server, raw, CHECKPOINTS)

    async def run() -> None:
        async with RedisCheckpointStore.open(url, namespace="mine") as store:
            await store.save(Checkpoint(key, 1, {}, 0.0, RUNNING))
            assert await store.latest(key) == await store.at_version(key, 1)
            assert await store.list_versions(key) == [1]
            await store.delete(key)

    asyncio.run(run())


def test_what_a_user_may_not_do_is_told(redis_server: Server, key: str, raw: Any) -> None:
    url = limited(redis_server, raw, "get")

    async def run() -> None:
        async with RedisStore.open(url, namespace="mine") as store:
            with pytest.raises(StoreUnavailable, match="may not run this command"):
                await store.increment(key)
        async with RedisStore.open(url, namespace="others") as store:
            with pytest.raises(StoreUnavailable, match="may not run this command on this key"):
                await store.get(key)

    asyncio.run(run())


def test_refused_credentials_are_told_and_kept_secret(redis_server: Server) -> None:
    url = as_user(redis_server, "nobody")

    async def run() -> None:
        async with RedisStore.open(url):
            pass

    with pytest.raises(StoreUnavailable, match="refused the credentials") as caught:
        asyncio.run(run())
    assert "hunter2" not in str(caught.getrepr(style="long", showlocals=False).reprcrash)


def test_a_scan_gives_a_thousand_pages_no_key_twice(redis_server: Server, key: str) -> None:
    async def play(store: RedisStore) -> None:
        names = {f"{key}/{number}" for number in range(5000)}
        await asyncio.gather(*(store.set(name, 1) for name in names))
        found = [name async for name in store.scan(f"{key}/")]

        assert len(found) == 5000
        assert set(found) == names

    played(redis_server, play)


def test_a_cluster_is_named_by_its_client() -> None:
    client = ClusterClient(host="127.0.0.1", port=1)

    async def run() -> None:
        async with RedisStore.open(client=client):
            pass

    with pytest.raises(StoreUnavailable, match="no connection"):
        asyncio.run(run())
