"""Tables are made once, whoever is first, brought up to date, and never down."""

import asyncio
from typing import Any
from uuid import uuid4

import asyncpg  # type: ignore[import-untyped,unused-ignore]
import pytest

from agentkit.core.contracts.errors import StoreUnavailable, StoreValueError
from agentkit.state.postgres import PgVectorStore, PostgresStore
from agentkit.state.postgres._database import Database, Part
from agentkit.testing.servers import Server

ASYNCPG: Any = asyncpg  # it has no types

FIRST = "CREATE TABLE {schema}.things (a int);"
SECOND = "ALTER TABLE {schema}.things ADD COLUMN b int;"


@pytest.fixture
def schema() -> str:
    return f"Sche\"ma's {uuid4().hex[:8]}"


def database(server: Server, schema: str, *versions: str) -> Database:
    part = Part("things", *versions)
    return Database(
        server.url, None, schema=schema, part=part, timeout=30, unavailable=StoreUnavailable
    )


async def initialised(server: Server, schema: str, *versions: str) -> None:
    tables = database(server, schema, *versions)
    try:
        await tables.init()
    finally:
        await tables.close()


async def columns(server: Server, schema: str) -> list[str]:
    connection = await ASYNCPG.connect(server.url)
    sql = "SELECT column_name::text FROM information_schema.columns WHERE table_schema = $1 AND "
    found = await connection.fetch(sql + "table_name = 'things' ORDER BY 1", schema)
    await connection.close()
    return [name for (name,) in found]


def test_a_newer_version_is_reached_step_by_step(postgres_server: Server, schema: str) -> None:
    async def run() -> list[list[str]]:
        await initialised(postgres_server, schema, FIRST)
        first = await columns(postgres_server, schema)
        await initialised(postgres_server, schema, FIRST, SECOND)
        return [first, await columns(postgres_server, schema)]

    assert asyncio.run(run()) == [["a"], ["a", "b"]]


def test_a_newer_version_than_known_is_refused(postgres_server: Server, schema: str) -> None:
    async def run() -> None:
        await initialised(postgres_server, schema, FIRST, SECOND)
        await initialised(postgres_server, schema, FIRST)

    with pytest.raises(StoreUnavailable, match=r"version 2, newer than 1.*upgrade"):
        asyncio.run(run())


def test_a_failed_step_undoes_all(postgres_server: Server, schema: str) -> None:
    async def run() -> list[str]:
        with pytest.raises(StoreUnavailable, match="refused the statement"):
            await initialised(postgres_server, schema, FIRST, "SELECT nonsense;")
        return await columns(postgres_server, schema)

    assert asyncio.run(run()) == []


def test_many_may_be_first(postgres_server: Server, schema: str) -> None:
    async def one() -> None:
        async with (
            PostgresStore.open(postgres_server.url, schema=schema, timeout=30) as store,
            PgVectorStore.open(postgres_server.url, schema=schema, timeout=30),
        ):
            await store.increment("k")

    async def run() -> Any:
        await asyncio.gather(*(one() for _ in range(8)))
        async with PostgresStore.open(postgres_server.url, schema=schema) as store:
            return await store.get("k")

    assert asyncio.run(run()) == 8


def test_who_may_create_nothing_may_use_what_is_there(postgres_server: Server, schema: str) -> None:
    role, name = f"role_{uuid4().hex[:8]}", schema.replace('"', '""')

    async def run() -> int:
        owner = await ASYNCPG.connect(postgres_server.url)
        await initialised_store(postgres_server.url, schema)
        await owner.execute(
            f'CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA "{name}" TO {role};'
            f'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "{name}" TO {role}'
        )
        await owner.close()
        url = postgres_server.url.replace("//agentkit@", f"//{role}@")
        async with PostgresStore.open(url, schema=schema) as store:
            return await store.increment("k")

    assert asyncio.run(run()) == 1


async def initialised_store(url: str, schema: str) -> None:
    async with PostgresStore.open(url, schema=schema):
        pass


def test_vectors_of_another_length_need_another_schema(
    postgres_server: Server, schema: str
) -> None:
    async def run() -> None:
        for dim in (8, 16):
            async with PgVectorStore.open(postgres_server.url, schema=schema, dim=dim):
                pass

    with pytest.raises(StoreValueError, match="holds vectors of 8 dimensions, not of 16"):
        asyncio.run(run())


@pytest.mark.parametrize("dim", [0, -1, 4001, True])
def test_no_index_takes_so_many_dimensions(dim: int) -> None:
    with pytest.raises(StoreValueError, match="1 to 4000 dimensions"):
        PgVectorStore("postgres://x", dim=dim)
