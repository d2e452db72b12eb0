"""What is on PostgreSQL against raw asyncpg: verbs, checkpoints, and a filtered search."""

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import asyncpg  # type: ignore[import-untyped,unused-ignore]
from measuring import Row, seconds_of_await
from pgvector import Vector

from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.state.postgres import PgVectorStore, PostgresCheckpointStore, PostgresStore
from agentkit.testing.servers import PostgresServer, postgres_18

__all__ = ["filtered_search", "postgres_ratios"]

VALUE = {"text": "x" * 80, "count": 7}
TIMES = 200
ROWS = 100_000
DIMENSIONS = 128
QUERIES = 50
SCOPE = Scope("benchmark")
ASYNCPG: Any = asyncpg  # it has no types

Work = Callable[[], Awaitable[object]]

SET = """INSERT INTO raw (key, value) VALUES ($1, $2)
ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value"""
COUNT = """INSERT INTO counts (key, value) VALUES ($1, 1)
ON CONFLICT (key) DO UPDATE SET value = counts.value + 1 RETURNING value"""
SAVE = "INSERT INTO saved (run, version, state) VALUES ($1, $2, $3::jsonb)"
LATEST = "SELECT state FROM saved WHERE run = $1 ORDER BY version DESC LIMIT 1"
INDEX = "SELECT pg_get_indexdef('agentkit_vectors_hnsw'::regclass)"
TABLES = """
CREATE TABLE raw (key text PRIMARY KEY, value text);
CREATE TABLE counts (key text PRIMARY KEY, value bigint);
CREATE TABLE saved (run text, version bigint, state jsonb, PRIMARY KEY (run, version));
"""


async def postgres_ratios(stack: AsyncExitStack) -> list[Row]:
    """Give the rows of the store and the checkpoints."""
    server = stack.enter_context(PostgresServer(postgres_18))
    store = await stack.enter_async_context(PostgresStore.open(server.url))
    checkpoints = await stack.enter_async_context(PostgresCheckpointStore.open(server.url))
    pool = await stack.enter_async_context(ASYNCPG.create_pool(server.url, min_size=1))
    await pool.execute(TABLES)
    connection = await pool.acquire()
    stack.push_async_callback(pool.release, connection)
    # The second keeps prepared statements in one session, which no pooler lets it: for comparison.
    floors = (("asyncpg pool", pool, 1.1), ("asyncpg connection", connection, None))
    verbs = [
        _row(f"PostgreSQL {verb}", ours, floor, against=against, at_most=at_most)
        for against, raw, at_most in floors
        for verb, ours, floor in _verbs(store, raw)
    ]
    saves = [row for size in (10_000, 1_000_000) for row in _saves(checkpoints, pool, size)]
    return [*verbs, *saves, await _many_versions(checkpoints)]


def _row(what: str, ours: Work, floor: Work, *, against: str, at_most: float | None) -> Row:
    times = 20 if "1000 KB" in what else TIMES
    return Row(
        what=what,
        ours=seconds_of_await(ours, times=times),
        floor=seconds_of_await(floor, times=times),
        against=against,
        at_most=at_most,
    )


def _verbs(store: PostgresStore, raw: Any) -> list[tuple[str, Work, Work]]:
    async def produce() -> object:
        return VALUE

    async def get() -> object:
        return json.loads(await raw.fetchval("SELECT value FROM raw WHERE key = $1", "k"))

    return [
        ("set", lambda: store.set("k", VALUE), lambda: raw.execute(SET, "k", json.dumps(VALUE))),
        ("get", lambda: store.get("k"), get),
        ("increment", lambda: store.increment("c"), lambda: raw.fetchval(COUNT, "c")),
        ("get_or_set (hit)", lambda: store.get_or_set("k", produce), get),
    ]


def _saves(checkpoints: PostgresCheckpointStore, raw: Any, size: int) -> list[Row]:
    state = {
        "messages": [{"role": "user", "content": _prose(150 + n % 101)} for n in range(size // 230)]
    }
    run, versions = f"run-{size}", iter(range(1, 10**9))

    async def save() -> None:
        saved = Checkpoint(run, next(versions), state, 0.0, CheckpointStatus.RUNNING)
        await checkpoints.save(saved)

    async def latest() -> object:
        return json.loads(await raw.fetchval(LATEST, run))

    of_size = f"{size // 1000} KB"
    floor = "asyncpg jsonb"
    return [
        _row(
            f"checkpoint save, {of_size}",
            save,
            lambda: raw.execute(SAVE, run, next(versions), json.dumps(state)),
            against=floor,
            at_most=1.0,
        ),
        _row(
            f"checkpoint latest, {of_size}",
            lambda: checkpoints.latest(run),
            latest,
            against=floor,
            at_most=1.0,
        ),
    ]


async def _many_versions(checkpoints: PostgresCheckpointStore) -> Row:
    """Give how the latest of ten thousand versions compares with that of one."""
    for run, count in (("one", 1), ("many", 10_000)):
        for start in range(1, count + 1, 100):
            versions = range(start, min(start + 100, count + 1))
            made = [Checkpoint(run, v, VALUE, 0.0, CheckpointStatus.RUNNING) for v in versions]
            await asyncio.gather(*map(checkpoints.save, made))
    return _row(
        "checkpoint latest of 10,000 versions",
        lambda: checkpoints.latest("many"),
        lambda: checkpoints.latest("one"),
        against="of one version",
        at_most=1.1,
    )


def _prose(length: int) -> str:
    chance = random.Random(length)  # noqa: S311  # the same every time
    return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz    ", k=length))


class _Clustered(PgVectorStore):
    """The index with vectors like a model's: in clusters, each text's own."""

    def _embed(self, text: str) -> list[float]:
        return clustered(text)


def clustered(text: str) -> list[float]:
    """Give a vector near the middle of one of a thousand clusters."""
    chance = random.Random(text)  # noqa: S311  # the same every time
    middle = random.Random(chance.randrange(1000))  # noqa: S311  # the same every time
    return [middle.gauss(0, 1) + chance.gauss(0, 0.5) for _ in range(DIMENSIONS)]


async def filtered_search() -> list[str]:
    """Give how a search among 100,000 chunks does whose filter keeps one in a hundred."""
    with PostgresServer(postgres_18, "maintenance_work_mem=512MB", "shared_buffers=1GB") as server:
        options: dict[str, Any] = {"dim": DIMENSIONS, "timeout": 120}
        async with _Clustered.open(server.url, **options) as index:
            raw = await ASYNCPG.connect(server.url)
            index_made = await raw.fetchval(INDEX)
            await raw.execute("DROP INDEX agentkit_vectors_hnsw")  # filling is not what is measured
            for start in range(0, ROWS, 1000):
                numbers = range(start, start + 1000)
                chunks = [Chunk(f"c{n}", f"chunk {n}", {"part": n % 100}) for n in numbers]
                await index.upsert(SCOPE, chunks)
            await raw.execute(index_made)
            await raw.execute("ANALYZE agentkit_vectors")
            lines = [await _searched(index, raw, part) for part in (7, None)]
            await raw.close()
            return lines


async def _searched(index: PgVectorStore, raw: Any, part: int | None) -> str:
    where = None if part is None else {"part": part}
    fact = "true" if part is None else f"""facts @> ARRAY['["part",{part}]']"""
    order = "ORDER BY (embedding <=> $1::text::vector)"
    exact = f"SELECT id FROM agentkit_vectors WHERE {fact} {order} + 0 LIMIT 10"  # noqa: S608
    plain = (
        f"SELECT id, text, metadata, embedding <=> $1::text::vector FROM agentkit_vectors "  # noqa: S608
        f"WHERE scope = 'org\"benchmark\":domNone' AND {fact} {order} LIMIT 10"
    )
    await raw.execute("SET hnsw.iterative_scan = strict_order; SET hnsw.ef_search = 100")
    found = hits = raw_hits = 0
    ours: list[float] = []
    floor: list[float] = []
    for number in range(QUERIES):
        query = f"query {number}"
        got: list[tuple[float, Chunk]] = []
        rows: list[Any] = []
        for is_ours in (True, False) if number % 2 else (False, True):  # who is first warms up
            begun = time.perf_counter()
            if is_ours:
                got = await index.search(SCOPE, query, 10, where)
            else:
                rows = await raw.fetch(plain, Vector(clustered(query)).to_text())
            (ours if is_ours else floor).append(time.perf_counter() - begun)
        best = {row[0] for row in await raw.fetch(exact, Vector(clustered(query)).to_text())}
        found += len(got)
        hits += len(best & {chunk.id for _, chunk in got})
        raw_hits += len(best & {row[0] for row in rows})
    ratio = sorted(a / b for a, b in zip(ours, floor, strict=True))[QUERIES // 2]
    what = "no filter" if part is None else "filter keeps 1 %"
    return (
        f"search among {ROWS:,} chunks, {what}: {found} of {QUERIES * 10} returned, recall@10 "
        f"{hits / QUERIES / 10:.3f} (raw SQL {raw_hits / QUERIES / 10:.3f}), "
        f"{sorted(ours)[QUERIES // 2] * 1000:.1f} ms, {ratio:.2f} times raw SQL"
    )
