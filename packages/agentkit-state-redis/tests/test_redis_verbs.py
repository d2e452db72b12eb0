"""Each verb does its work; the conformance kit says the rest."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest
import redis

from agentkit.core.contracts.errors import CheckpointConflict, StoreUnavailable
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.redis import RedisCheckpointStore, RedisStore
from agentkit.testing.servers import Server

CLIENT: Any = redis.Redis  # whose methods are not typed


@pytest.fixture
def key() -> str:
    return f"key-{uuid4().hex[:8]}"


def played(server: Server, play: Callable[[Any], Awaitable[None]], kind: Any = RedisStore) -> None:
    async def run() -> None:
        async with kind.open(server.url) as store:
            await play(store)

    asyncio.run(run())


def test_a_value_is_produced_once_for_all_who_ask(redis_server: Server, key: str) -> None:
    runs: list[int] = []

    async def produce() -> str:
        runs.append(1)
        await asyncio.sleep(0.01)
        return "made"

    async def play(store: RedisStore) -> None:
        asked = (store.get_or_set(key, produce, ttl=60) for _ in range(20))
        assert await asyncio.gather(*asked) == ["made"] * 20
        assert await store.get_or_set(key, produce) == "made"

    played(redis_server, play)
    assert len(runs) == 1


def test_who_writes_first_has_written_for_all(redis_server: Server, key: str) -> None:
    async def play(store: RedisStore) -> None:
        async def produce() -> str:
            await store.set(key, "theirs")
            return "mine"

        assert await store.get_or_set(key, produce) == "theirs"

    played(redis_server, play)


def test_a_deleted_value_is_gone_and_its_log_stays(valkey_server: Server, key: str) -> None:
    async def play(store: RedisStore) -> None:
        await store.set(key, 1)
        await store.append(key, 2)
        await store.delete(key)

        assert await store.get(key) is None
        assert await store.list(key) == [2]

    played(valkey_server, play)


@pytest.mark.parametrize("limit", [0, 3, None, 9])
def test_a_scan_gives_as_many_as_are_wanted(
    redis_server: Server, key: str, limit: int | None
) -> None:
    async def play(store: RedisStore) -> None:
        for number in range(5):
            await store.set(f"{key}/{number}", number)
        found = [name async for name in store.scan(key, limit=limit)]

        assert len(found) == min(5, 9 if limit is None else limit)

    played(redis_server, play)


def test_a_forgotten_script_is_sent_again(redis_server: Server, key: str) -> None:
    async def play(store: RedisStore) -> None:
        for total in (1, 2):
            assert await store.increment(key, ttl=60) == total
            with CLIENT.from_url(redis_server.url) as other:
                other.script_flush()

    played(redis_server, play)


def test_a_replica_refuses_and_its_connection_is_given_up(valkey_server: Server, key: str) -> None:
    async def play(store: RedisStore) -> None:
        with CLIENT.from_url(valkey_server.url) as other:
            other.replicaof("127.0.0.1", "1")
            with pytest.raises(StoreUnavailable, match="replica"):
                await store.set(key, 1)
            other.replicaof("NO", "ONE")
        await store.set(key, 2)

        assert await store.get(key) == 2

    played(valkey_server, play)


def saved(run: str, version: int, by: str = "one") -> Checkpoint:
    return Checkpoint(run, version, {"by": by}, 0.0, CheckpointStatus.RUNNING)


def test_a_run_has_its_versions_in_order_and_its_latest(redis_server: Server, key: str) -> None:
    async def play(store: RedisCheckpointStore) -> None:
        for version in (2, 10, 9):
            await store.save(saved(key, version))

        assert await store.list_versions(key) == [2, 9, 10]
        assert await store.latest(key) == saved(key, 10)
        assert await store.at_version(key, 9) == saved(key, 9)
        assert await store.at_version(key, 3) is await store.at_version(key, 0) is None

    played(redis_server, play, RedisCheckpointStore)


def test_a_version_is_saved_once(valkey_server: Server, key: str) -> None:
    async def play(store: RedisCheckpointStore) -> None:
        await store.save(saved(key, 1))
        await store.save(saved(key, 1))
        with pytest.raises(CheckpointConflict, match="another writer") as caught:
            await store.save(saved(key, 1, by="other"))

        assert (caught.value.run_id, caught.value.version) == (key, 1)
        assert await store.latest(key) == saved(key, 1)

    played(valkey_server, play, RedisCheckpointStore)


def test_a_deleted_run_may_start_again(redis_server: Server, key: str) -> None:
    async def play(store: RedisCheckpointStore) -> None:
        for version in range(1, 200):
            await store.save(saved(key, version))
        await store.delete(key)
        assert await store.latest(key) is None
        await store.save(saved(key, 1, by="other"))

        assert await store.list_versions(key) == [1]

    played(redis_server, play, RedisCheckpointStore)
