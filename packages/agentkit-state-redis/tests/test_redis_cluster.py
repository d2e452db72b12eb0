"""A store on a cluster follows its keys, wherever they move."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
import redis
from redis.asyncio import RedisCluster as ClusterClient
from redis.crc import key_slot

from agentkit.core.contracts.errors import StoreUnavailable
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.redis import RedisCheckpointStore, RedisStore
from agentkit.testing.servers import RedisCluster, RedisServer, redis_binary

CLIENT: Any = redis.Redis  # whose methods are not typed

SLOTS = 16384


@pytest.fixture(scope="module")
def cluster() -> Iterator[RedisCluster]:
    with RedisCluster(redis_binary) as cluster:
        yield cluster


@pytest.fixture
def key() -> str:
    return f"key-{uuid4().hex[:8]}"


class Move:
    """A slot that is on its way from the node that has it to the next."""

    def __init__(self, cluster: RedisCluster, key: str, *, place: str = "") -> None:
        self.slot = key_slot((place or f"agentkit:kv:{key}").encode())
        self._nodes = cluster.nodes
        number = next(n for n in range(3) if self.slot < SLOTS * (n + 1) // 3)
        self._source, self._target = self._nodes[number], self._nodes[(number + 1) % 3]
        self._names = {node: self._tell(node, "MYID") for node in self._nodes}

    def begin(self) -> None:
        self._set(self._target, "IMPORTING", self._names[self._source])
        self._set(self._source, "MIGRATING", self._names[self._target])

    def end(self) -> None:
        for node in (self._target, self._source, *self._nodes):
            self._set(node, "NODE", self._names[self._target])

    def back(self) -> None:
        self._source, self._target = self._target, self._source
        for node in self._nodes:
            with CLIENT(port=node.port) as client:
                client.flushall()
        self.end()

    def _set(self, node: RedisServer, state: str, name: str) -> None:
        self._tell(node, "SETSLOT", str(self.slot), state, name)

    def _tell(self, node: RedisServer, *words: str) -> str:
        with CLIENT(port=node.port, decode_responses=True) as client:
            return str(client.execute_command("CLUSTER", *words))


def played(cluster: RedisCluster, play: Callable[[RedisStore], Awaitable[None]]) -> None:
    async def run() -> None:
        client = ClusterClient.from_url(cluster.url)
        async with asyncio.timeout(20), RedisStore.open(client=client) as store:
            await play(store)

    asyncio.run(run())


def test_keys_of_every_node_are_written_read_and_scanned(cluster: RedisCluster, key: str) -> None:
    async def play(store: RedisStore) -> None:
        names = [f"{key}/{number}" for number in range(100)]
        await asyncio.gather(*(store.set(name, name) for name in names))

        assert await asyncio.gather(*map(store.get, names)) == names
        assert sorted([name async for name in store.scan(f"{key}/")]) == sorted(names)

    played(cluster, play)


def test_a_key_with_braces_is_a_key_like_any(cluster: RedisCluster, key: str) -> None:
    async def play(store: RedisStore) -> None:
        for name in ("{", "}", "{}", "{a}", "}{", "a{b}c{d}"):
            await store.set(f"{key}{name}", name)
            assert await store.compare_and_set(f"{key}{name}", name, 1) is True
            assert await store.increment(f"{key}{name}", ttl=60) == 2

    played(cluster, play)


def test_a_call_is_asked_of_the_node_that_its_slot_moves_to(
    cluster: RedisCluster, key: str
) -> None:
    move = Move(cluster, key)

    async def play(store: RedisStore) -> None:
        await store.get(key)
        move.begin()
        assert await store.increment(key) == 1
        assert await store.increment(key, ttl=60) == 2
        assert await store.compare_and_set(key, 2, 3) is True

    played(cluster, play)
    move.end()
    move.back()


def test_a_call_follows_a_slot_that_has_moved(cluster: RedisCluster, key: str) -> None:
    move = Move(cluster, key)

    async def play(store: RedisStore) -> None:
        await store.get(key)
        move.begin()
        move.end()
        assert await store.increment(key) == 1
        assert await store.increment(key) == 2

    played(cluster, play)
    move.back()


def test_a_run_is_deleted_while_its_slot_moves(cluster: RedisCluster, key: str) -> None:
    move = Move(cluster, key, place=f"agentkit:run:{{{key}}}")

    async def run() -> None:
        async with RedisCheckpointStore.open(urls(cluster)) as store:
            await store.save(Checkpoint(key, 1, {}, 0.0, CheckpointStatus.RUNNING))
            move.begin()
            await store.delete(key)
            assert await store.latest(key) is None
            await store.delete(key)

    asyncio.run(run())
    move.end()
    move.back()


def test_a_url_names_some_nodes_of_a_cluster(cluster: RedisCluster, key: str) -> None:
    async def run(url: str) -> None:
        async with RedisStore.open(url) as store:
            names = [f"{key}/{number}" for number in range(30)]
            await asyncio.gather(*(store.set(name, name) for name in names))
            assert await asyncio.gather(*map(store.get, names)) == names

    asyncio.run(run(urls(cluster)))
    asyncio.run(run(urls(cluster).replace("//", "//127.0.0.1:1,")))  # one that is gone


def urls(cluster: RedisCluster) -> str:
    hosts = ",".join(f"127.0.0.1:{node.port}" for node in cluster.nodes)
    return f"redis+cluster://{hosts}?socket_timeout=2"


def test_a_node_that_is_gone_is_told_and_the_others_serve(key: str) -> None:
    async def play(store: RedisStore) -> None:
        names = [f"{key}/{number}" for number in range(40)]
        await asyncio.gather(*(store.set(name, 1) for name in names))
        small.nodes[1].kill()
        found = await asyncio.gather(*map(store.get, names), return_exceptions=True)
        assert {type(each) for each in found} == {int, StoreUnavailable}

        small.nodes[1].start()
        async with asyncio.timeout(10):
            while not await served(store, names):  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.05)

    with RedisCluster(redis_binary) as small:
        played(small, play)


async def served(store: RedisStore, names: list[str]) -> bool:
    found = await asyncio.gather(*map(store.get, names), return_exceptions=True)
    return not any(isinstance(each, StoreUnavailable) for each in found)
