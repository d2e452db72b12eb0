"""RedisStore against redis-py with json, and what a scan of a million keys costs."""

import asyncio
import json
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from measuring import Row, Sample
from redis.asyncio import Redis

from agentkit.state.redis import RedisStore
from agentkit.testing.faults import TcpProxy, Way
from agentkit.testing.servers import RedisServer, redis_binary, valkey_binary

__all__ = ["ratios", "scan_of_many"]

VALUE = {"text": "x" * 80, "count": 7}
TASKS = 50
MANY = 1_000_000

Work = Callable[[int], Awaitable[object]]


async def ratios(stack: AsyncExitStack) -> list[Row]:
    """Give the rows of both servers, for one task and for fifty."""
    rows = []
    for binary in (redis_binary, valkey_binary):
        server = stack.enter_context(RedisServer(binary))
        store = await stack.enter_async_context(RedisStore.open(server.url))
        raw = await stack.enter_async_context(Redis.from_url(server.url))
        rows += _rows(server.version, _ours(store), _floors(raw))
    return rows


def _rows(server: str, ours: dict[str, Work], floors: dict[str, Work]) -> list[Row]:
    return [
        Row(
            what=f"{server} {verb}, {tasks} task{'s' * (tasks > 1)}",
            ours=_seconds(ours[verb], tasks=tasks),
            floor=_seconds(floors[verb], tasks=tasks),
            against="redis-py",
            at_most=at_most,
        )
        for tasks, at_most in ((1, 1.1), (TASKS, 0.6))
        for verb in ours
    ]


def _ours(store: RedisStore) -> dict[str, Work]:
    async def produce() -> object:
        return VALUE

    return {
        "set": lambda task: store.set(f"k{task}", VALUE),
        "get": lambda task: store.get(f"k{task}"),
        "increment": lambda task: store.increment(f"c{task}"),
        "get_or_set (hit)": lambda task: store.get_or_set(f"k{task}", produce),
    }


def _floors(raw: Redis) -> dict[str, Work]:
    async def get(task: int) -> object:
        text = await raw.get(f"k{task}")
        return json.loads(text or "null")

    return {
        "set": lambda task: raw.set(f"k{task}", json.dumps(VALUE)),
        "get": get,
        "increment": lambda task: raw.incrby(f"c{task}", 1),
        "get_or_set (hit)": get,
    }


def _seconds(work: Work, *, tasks: int) -> Sample:
    """Give what measures one call of *work* while *tasks* make them one after another."""
    calls = 200 if tasks == 1 else 10

    async def worker(task: int) -> None:
        for _ in range(calls):
            await work(task)

    async def sample() -> float:
        start = time.perf_counter()
        await asyncio.gather(*map(worker, range(tasks)))
        return (time.perf_counter() - start) / calls / tasks

    return sample


async def scan_of_many() -> list[str]:
    """Give what a scan of a million keys takes: time, memory, traffic, and others' patience."""
    with RedisServer(redis_binary) as server:
        await _fill(server)
        async with TcpProxy(server.port) as proxy:
            url = f"redis://127.0.0.1:{proxy.port}"
            async with RedisStore.open(url) as store, RedisStore.open(server.url) as other:
                return await _scan(store, other, proxy)


async def _fill(server: RedisServer) -> None:
    async with RedisStore.open(server.url) as store:
        for start in range(0, MANY, 5000):
            await asyncio.gather(
                *(store.set(f"k{n}", "x" * 100) for n in range(start, start + 5000))
            )


async def _scan(store: RedisStore, other: RedisStore, proxy: TcpProxy) -> list[str]:
    waits: list[float] = []
    watching = asyncio.create_task(_watch(other, waits))
    begun, found = time.perf_counter(), 0
    async for _ in store.scan(""):
        found += 1
    seconds = time.perf_counter() - begun
    watching.cancel()
    tracemalloc.start()
    async for _ in store.scan(""):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    read = proxy.passed[Way.TO_CLIENT] / 2
    costs = f"{read / found:.1f} B read and {peak / found:.1f} B held per key"
    return [
        f"scan of {found:,} keys: {seconds:.1f} s, {costs}",
        f"the longest that another client waited meanwhile: {max(waits) * 1000:.1f} ms",
    ]


async def _watch(store: RedisStore, waits: list[float]) -> None:
    while True:
        begun = time.perf_counter()
        await store.get("k0")
        waits.append(time.perf_counter() - begun)
        await asyncio.sleep(0.001)
