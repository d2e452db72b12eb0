"""What each call costs on the wire: its round trips, its commands, the bytes that come back."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
import redis

from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.redis import RedisCheckpointStore, RedisStore
from agentkit.testing.faults import TcpProxy, Way
from agentkit.testing.servers import RedisServer, Server, redis_binary, valkey_binary

CLIENT: Any = redis.Redis  # whose methods are not typed


@pytest.fixture
def key() -> str:
    return f"key-{uuid4().hex[:8]}"


class Scene:
    """A store and a checkpoint store, whose way to *server* leads through one proxy."""

    def __init__(
        self, proxy: TcpProxy, store: RedisStore, checkpoints: RedisCheckpointStore
    ) -> None:
        self.proxy, self.store, self.checkpoints = proxy, store, checkpoints

    async def trips(self, call: Awaitable[Any]) -> int:
        before = self.proxy.exchanges
        await call
        return self.proxy.exchanges - before

    async def saved(self, run: str, count: int) -> None:
        versions = range(1, count + 1)
        await asyncio.gather(*(self.checkpoints.save(checkpoint(run, each)) for each in versions))


def checkpoint(run: str, version: int) -> Checkpoint:
    return Checkpoint(run, version, {"turn": version}, 0.0, CheckpointStatus.RUNNING)


@asynccontextmanager
async def through_a_proxy(url: str) -> AsyncGenerator[Scene]:
    place = urlsplit(url)
    async with TcpProxy(place.port or 6379, host=place.hostname or "127.0.0.1") as proxy:
        there = place._replace(netloc=place.netloc.replace(str(place.port), str(proxy.port)))
        async with (
            RedisStore.open(there.geturl()) as store,
            RedisCheckpointStore.open(there.geturl()) as checkpoints,
        ):
            yield Scene(proxy, store, checkpoints)


def played(server: Server, play: Callable[[Scene], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(60), through_a_proxy(server.url) as scene:
            await play(scene)

    asyncio.run(run())


async def made() -> str:
    return "made"


CALLS: dict[str, Callable[[Scene, str], Awaitable[Any]]] = {
    "get": lambda scene, key: scene.store.get(key),
    "set": lambda scene, key: scene.store.set(key, 1),
    "set with ttl": lambda scene, key: scene.store.set(key, 1, ttl=60),
    "get_or_set, hit": lambda scene, key: scene.store.get_or_set(f"{key}/there", made),
    "delete": lambda scene, key: scene.store.delete(key),
    "append": lambda scene, key: scene.store.append(key, 1),
    "list": lambda scene, key: scene.store.list(key),
    "compare_and_set": lambda scene, key: scene.store.compare_and_set(key, None, 1, ttl=60),
    "increment": lambda scene, key: scene.store.increment(f"{key}/count"),
    "increment with ttl": lambda scene, key: scene.store.increment(f"{key}/count", ttl=60),
    "save": lambda scene, key: scene.checkpoints.save(checkpoint(key, 1)),
    "latest": lambda scene, key: scene.checkpoints.latest(key),
    "at_version": lambda scene, key: scene.checkpoints.at_version(key, 1),
    "list_versions": lambda scene, key: scene.checkpoints.list_versions(key),
    "delete a run": lambda scene, key: scene.checkpoints.delete(key),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_one_round_trip_from_the_first(redis_server: Server, key: str, call: str) -> None:
    async def play(scene: Scene) -> None:
        await scene.store.set(f"{key}/there", 1)

        assert await scene.trips(CALLS[call](scene, key)) == 1
        assert await scene.trips(CALLS[call](scene, key)) == 1

    played(redis_server, play)


def test_a_value_that_is_produced_takes_two_round_trips(redis_server: Server, key: str) -> None:
    async def play(scene: Scene) -> None:
        assert await scene.trips(scene.store.get_or_set(key, made, ttl=60)) == 2

    played(redis_server, play)


@pytest.mark.parametrize("count", [0, 1, 100, 101, 1000])
def test_a_run_is_deleted_a_hundred_versions_at_a_time(
    valkey_server: Server, key: str, count: int
) -> None:
    async def play(scene: Scene) -> None:
        await scene.saved(key, count)

        assert await scene.trips(scene.checkpoints.delete(key)) == max(1, -(-count // 100))
        assert await scene.checkpoints.list_versions(key) == []

    played(valkey_server, play)


@pytest.mark.parametrize("binary", [redis_binary, valkey_binary], ids=["redis", "valkey"])
def test_a_function_is_sent_once_and_a_deletion_leaves_nothing(binary: Any, key: str) -> None:
    async def play(scene: Scene) -> None:
        await scene.saved(key, 250)
        await scene.checkpoints.delete(key)
        for _ in range(5):
            await scene.store.increment(f"{key}/count", ttl=60)

    with RedisServer(binary) as server, CLIENT.from_url(server.url) as raw:
        played(server, play)
        calls = {name: told["calls"] for name, told in raw.info("commandstats").items()}
        assert calls["cmdstat_eval"] == 3  # one each to save, delete and count
        assert calls["cmdstat_evalsha"] == 249 + 2 + 4
        assert calls["cmdstat_hdel"] == 1 + 3
        assert raw.keys() == [f"agentkit:kv:{key}/count".encode()]


def test_a_run_is_out_of_sight_before_all_of_it_is_removed(redis_server: Server, key: str) -> None:
    async def play(scene: Scene) -> None:
        await scene.saved(key, 250)
        scene.proxy.delay(0.2)
        deleting = asyncio.create_task(scene.checkpoints.delete(key))
        await asyncio.sleep(0.1)  # the first hundred are removed, and nobody was told yet
        async with RedisCheckpointStore.open(redis_server.url) as other:
            assert await other.latest(key) is None
            await other.save(checkpoint(key, 7))
            await deleting

            assert await other.list_versions(key) == [7]

    played(redis_server, play)


def test_a_deletion_that_was_cut_is_completed_by_the_next(redis_server: Server, key: str) -> None:
    async def play(scene: Scene) -> None:
        await scene.saved(key, 250)
        scene.proxy.delay(5)
        deleting = asyncio.create_task(scene.checkpoints.delete(key))
        await asyncio.sleep(0.1)
        deleting.cancel()
        async with RedisCheckpointStore.open(redis_server.url) as other:
            await other.save(checkpoint(key, 7))
            await other.delete(key)
            assert await other.list_versions(key) == []
        scene.proxy.cut()

    played(redis_server, play)
    with CLIENT.from_url(redis_server.url) as raw:
        assert raw.exists(f"agentkit:run:{{{key}}}", f"agentkit:gone:{{{key}}}") == 0


def test_what_a_deletion_leaves_behind_expires(redis_server: Server, key: str) -> None:
    async def play(scene: Scene) -> None:
        await scene.saved(key, 250)
        scene.proxy.delay(5)
        deleting = asyncio.create_task(scene.checkpoints.delete(key))
        await asyncio.sleep(0.1)
        deleting.cancel()
        scene.proxy.cut()

    played(redis_server, play)
    with CLIENT.from_url(redis_server.url) as raw:
        assert raw.hlen(f"agentkit:gone:{{{key}}}") == 150
        assert 0 < raw.ttl(f"agentkit:gone:{{{key}}}") <= 86400


def test_a_scan_loads_no_values(redis_server: Server, key: str) -> None:
    async def play(scene: Scene) -> None:
        names = {f"{key}/{number}" for number in range(2000)}
        await asyncio.gather(*(scene.store.set(name, "x" * 1000) for name in names))
        before = scene.proxy.passed[Way.TO_CLIENT]

        assert {name async for name in scene.store.scan(f"{key}/")} == names
        assert scene.proxy.passed[Way.TO_CLIENT] - before < 2000 * 100

    played(redis_server, play)
