"""PostgresStore and PostgresCheckpointStore: what is in the tables, and what is refused."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest
from psycopg_pool import AsyncConnectionPool

from agentkit.core.contracts.errors import CheckpointerError, StoreUnavailable, StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.core.contracts.types import Scope
from agentkit.state.postgres import PgVectorStore, PostgresCheckpointStore, PostgresStore
from agentkit.testing.servers import Server

from .support import ASYNCPG, rows

RUNNING = CheckpointStatus.RUNNING
Play = Callable[[PostgresStore], Awaitable[object]]


@pytest.fixture
def schema() -> str:
    return f"tests-{uuid4().hex[:8]}"


def played(server: Server, play: Play, **options: Any) -> Any:
    async def run() -> Any:
        async with PostgresStore.open(server.url, **options) as store:
            return await play(store)

    return asyncio.run(run())


def test_a_value_is_canonical_json_in_its_row(postgres_server: Server, schema: str) -> None:
    played(
        postgres_server, lambda store: store.set("k", {"b": "é\0", "a": [1, None]}), schema=schema
    )

    text = r'{"a":[1,null],"b":"\u00e9\u0000"}'
    sql = f'SELECT key, value, expires_at FROM "{schema}".agentkit_kv'  # noqa: S608
    assert rows(postgres_server, sql) == [("k", text, None)]


def test_a_log_is_numbered_rows(postgres_server: Server, schema: str) -> None:
    async def play(store: PostgresStore) -> None:
        await store.append("l", "first")
        await store.append("l", "second")

    played(postgres_server, play, schema=schema)
    sql = f'SELECT key, seq, value FROM "{schema}".agentkit_log ORDER BY seq'  # noqa: S608
    assert rows(postgres_server, sql) == [("l", 1, '"first"'), ("l", 2, '"second"')]


def test_a_checkpoint_is_a_row(postgres_server: Server, schema: str) -> None:
    async def run() -> None:
        async with PostgresCheckpointStore.open(postgres_server.url, schema=schema) as store:
            await store.save(Checkpoint("r", 12, {"turn": 1}, 1.5, RUNNING))

    asyncio.run(run())
    sql = f'SELECT * FROM "{schema}".agentkit_checkpoints'  # noqa: S608
    assert rows(postgres_server, sql) == [("r", 12, "running", 1.5, '{"turn":1}', "{}")]


@pytest.mark.parametrize("ttl", [1, 0, -1, True])
def test_a_ttl_is_refused_before_anything_is_written(postgres_server: Server, ttl: int) -> None:
    async def play(store: PostgresStore) -> None:
        for call in (
            lambda: store.set("t", 1, ttl=ttl),
            lambda: store.increment("t", ttl=ttl),
            lambda: store.compare_and_set("t", None, 1, ttl=ttl),
            lambda: store.get_or_set("t", lambda: asyncio.sleep(0, 1), ttl=ttl),
        ):
            with pytest.raises(NotImplementedError, match="expiry=True"):
                await call()
        assert await store.get("t") is None

    played(postgres_server, play)


def test_what_has_expired_is_purged(postgres_server: Server, schema: str) -> None:
    async def play(store: PostgresStore) -> int:
        for n in range(3):
            await store.set(f"k{n}", n, ttl=60)
        await store.set("kept", 1)
        await store.set("later", 1, ttl=60)
        connection = await ASYNCPG.connect(postgres_server.url)
        past = "expires_at = now() - interval '1 second' WHERE key LIKE 'k_'"
        await connection.execute(f'UPDATE "{schema}".agentkit_kv SET {past}')  # noqa: S608
        await connection.close()
        return await store.purge_expired()

    assert played(postgres_server, play, schema=schema, expiry=True) == 3
    left = rows(postgres_server, f'SELECT key FROM "{schema}".agentkit_kv ORDER BY key')  # noqa: S608
    assert left == [("kept",), ("later",)]


def test_every_256th_write_removes_what_has_expired(postgres_server: Server, schema: str) -> None:
    async def play(store: PostgresStore) -> None:
        await store.set("over", 1, ttl=60)
        connection = await ASYNCPG.connect(postgres_server.url)
        await connection.execute(f'UPDATE "{schema}".agentkit_kv SET expires_at = now()')  # noqa: S608
        await connection.close()
        for _ in range(255):
            await store.increment("count")

    played(postgres_server, play, schema=schema, expiry=True)
    left = rows(postgres_server, f'SELECT key FROM "{schema}".agentkit_kv')  # noqa: S608
    assert left == [("count",)]


def test_nothing_is_left_in_a_session(postgres_server: Server, schema: str) -> None:
    left = """SELECT name FROM pg_prepared_statements WHERE name <> ''
UNION ALL SELECT name FROM pg_settings WHERE name LIKE 'hnsw.%' AND source = 'session'"""

    async def run() -> list[Any]:
        pool = await ASYNCPG.create_pool(postgres_server.url, min_size=1, max_size=1)
        options: dict[str, Any] = {"pool": pool, "schema": schema}
        async with pool, PostgresStore.open(**options) as store, PgVectorStore.open(**options) as v:
            await store.increment("k")
            await store.get("k")
            await v.search(Scope("tests"), "red")
            async with pool.acquire() as connection:
                found: list[Any] = await (await connection.prepare(left, name="")).fetch()
                return found

    assert asyncio.run(run()) == []


def test_a_pool_without_a_cache_of_statements_does(postgres_server: Server, schema: str) -> None:
    async def run() -> int:
        async with (
            ASYNCPG.create_pool(postgres_server.url, min_size=1, statement_cache_size=0) as pool,
            PostgresStore.open(pool=pool, schema=schema) as store,
        ):
            return [await store.increment("k") for _ in range(3)][-1]

    assert asyncio.run(run()) == 3


def test_a_pool_of_psycopg_that_opens_transactions_does(
    postgres_server: Server, schema: str
) -> None:
    async def run() -> tuple[int, Any]:
        pool: AsyncConnectionPool[Any] = AsyncConnectionPool(postgres_server.url, open=False)
        async with pool, PostgresStore.open(pool=pool, schema=schema) as store:
            count = await store.increment("k")
        async with PostgresStore.open(postgres_server.url, schema=schema) as other:
            return count, await other.get("k")

    assert asyncio.run(run()) == (1, 1)


def test_a_pool_of_yours_stays_open(postgres_server: Server) -> None:
    async def run() -> int:
        async with ASYNCPG.create_pool(postgres_server.url, min_size=1) as pool:
            async with PostgresStore.open(pool=pool):
                pass
            return int(await pool.fetchval("SELECT 1"))

    assert asyncio.run(run()) == 1


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({}, "either a dsn or a pool"),
        ({"dsn": "postgres://x", "pool": object()}, "either a dsn or a pool"),
        ({"pool": object()}, "must be an asyncpg.Pool"),
        ({"dsn": "postgres://x", "schema": ""}, "schema's name"),
        ({"dsn": "postgres://x", "schema": "a\0b"}, "schema's name"),
        ({"dsn": "postgres://x", "schema": "é" * 32}, "at most 63 bytes"),
    ],
)
def test_what_no_store_is_made_of_is_refused(options: dict[str, Any], what: str) -> None:
    with pytest.raises(StoreValueError, match=what):
        PostgresStore(**options)


@pytest.mark.parametrize(
    "dsn",
    [
        "nonsense",
        "postgres:secret",
        "mysql://user:secret@host/db",
        "postgres://h:port/x",
        "postgres://user:sec/ret@host/db",  # its password is not percent-encoded
    ],
)
def test_a_malformed_url_is_refused_without_being_told(dsn: str) -> None:
    async def run() -> None:
        async with PostgresStore.open(dsn):
            pass

    with pytest.raises(StoreValueError, match="no URL of a PostgreSQL server") as told:
        asyncio.run(run())
    assert "sec" not in f"{told.value!r} {told.value.__cause__!r}"


def test_a_server_that_is_not_there_is_told_without_the_password() -> None:
    async def run() -> None:
        async with PostgresCheckpointStore.open("postgres://me:secret@127.0.0.1:1/db"):
            pass

    with pytest.raises(CheckpointerError, match="no connection") as told:
        asyncio.run(run())
    assert told.value.__cause__ is None
    assert "secret" not in str(told.value)


def test_a_store_that_was_not_opened_says_so(postgres_server: Server) -> None:
    with pytest.raises(StoreUnavailable, match="call init"):
        asyncio.run(PostgresStore(postgres_server.url).get("k"))


def test_tables_that_are_not_there_are_told(postgres_server: Server, schema: str) -> None:
    async def run() -> None:
        async with ASYNCPG.create_pool(postgres_server.url, min_size=1) as pool:
            await PostgresStore(pool=pool, schema=schema).get("k")

    with pytest.raises(StoreUnavailable, match="call init"):
        asyncio.run(run())


def test_a_value_that_is_no_json_is_told(postgres_server: Server, schema: str) -> None:
    played(postgres_server, lambda store: store.set("k", 1), schema=schema)
    rows(postgres_server, f"UPDATE \"{schema}\".agentkit_kv SET value = 'nonsense'")  # noqa: S608

    with pytest.raises(StoreUnavailable, match="holds something else"):
        played(postgres_server, lambda store: store.get("k"), schema=schema)
