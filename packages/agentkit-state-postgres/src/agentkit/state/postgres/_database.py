"""Tables of ours in a schema of the user's choice, kept up to date, and statements on them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from agentkit.core.contracts.errors import AgentkitError, StoreValueError
from agentkit.state.postgres._asyncpg import AsyncpgDriver, is_asyncpg_pool
from agentkit.state.postgres._driver import Driver, Trouble
from agentkit.state.postgres._names import quoted, schema_name
from agentkit.state.postgres._psycopg import PsycopgDriver, is_psycopg_pool

__all__ = ["Database", "Part"]

_LOCK = 0x61676B74  # "agkt": who creates or migrates holds it, so that others wait
_TRIES = 50
_NOT_SERIALIZED = ("40001", "40P01")  # the server undid it: running it again does it once


class Part:
    """A set of tables: its name, and the statements that each version added.

    `{schema}` stands for the schema. A released version never changes.
    """

    def __init__(self, name: str, *versions: str) -> None:
        self.name = name
        self.versions = versions


class Database:
    """Runs statements on the tables of one *part* in one *schema*.

    What fails leaves as *unavailable*.
    """

    def __init__(
        self,
        dsn: str | None,
        pool: object | None,
        *,
        schema: str,
        part: Part,
        timeout: float,
        unavailable: type[AgentkitError],
    ) -> None:
        self.schema = quoted(schema_name(schema))
        self._schema_name = schema
        self._driver = _driver(dsn, pool, timeout)
        self._part = part
        self._unavailable = unavailable

    async def init(self) -> None:
        """Connect, and create or migrate the tables; any number of processes may at once."""
        with self.translated():
            await self._driver.open()
            there = await self._version()
            if there > len(self._part.versions):
                raise self.broken(
                    f"the tables of {self._part.name} in schema {self._schema_name!r} have version "
                    f"{there}, newer than {len(self._part.versions)}, the newest that this "
                    "agentkit-state-postgres knows; upgrade it"
                )
            if there < len(self._part.versions):
                await self._migrate()

    async def close(self) -> None:
        """Close the connections, where they are ours."""
        await self._driver.close()

    async def fetch(self, sql: str, *arguments: Any) -> list[Sequence[Any]]:
        """Run one statement, in one round trip, and give its rows."""
        try:
            return await self.attempt(sql, *arguments)
        except Trouble as trouble:
            raise self._unavailable(str(trouble)) from None

    async def attempt(self, sql: str, *arguments: Any) -> list[Sequence[Any]]:
        """Do as `fetch`, and let a `Trouble` leave as it is.

        What the server undid since it met other transactions is run again.
        """
        for _ in range(_TRIES):
            try:
                return await self._driver.fetch(sql, *arguments)
            except Trouble as trouble:
                if trouble.sqlstate not in _NOT_SERIALIZED:
                    raise
        return await self._driver.fetch(sql, *arguments)

    def broken(self, problem: object) -> AgentkitError:
        """Give the error for tables that hold something else than they should."""
        return self._unavailable(str(problem))

    @contextmanager
    def translated(self) -> Generator[None]:
        """Raise the port's error for every `Trouble` inside."""
        try:
            yield
        except Trouble as trouble:
            raise self._unavailable(str(trouble)) from None

    async def _version(self) -> int:
        there = "SELECT to_regclass($1::text)::text, current_setting('server_encoding')"
        [(table, encoding)] = await self.attempt(there, f"{self.schema}.agentkit_schema")
        if encoding != "UTF8":
            raise self.broken(f"the database must be encoded in UTF8; it is in {encoding}")
        if table is None:
            return 0
        versions = f"SELECT version FROM {self.schema}.agentkit_schema WHERE part = $1"  # noqa: S608
        rows = await self.attempt(versions, self._part.name)
        return int(rows[0][0]) if rows else 0

    async def _migrate(self) -> None:
        """Bring the tables to the newest version, whatever others do meanwhile.

        Each step looks under the lock at what is there. It takes the level of isolation at which it
        sees what those who had the lock before have committed.
        """
        steps = [
            self._step(number, statements)
            for number, statements in enumerate(self._part.versions, start=1)
        ]
        script = [
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
            f"SELECT pg_advisory_xact_lock({_LOCK})",
            self._foundation(),
            *steps,
            "COMMIT",
        ]
        await self._driver.script(";\n".join(script))

    def _foundation(self) -> str:
        literal = self._schema_name.replace("'", "''")
        return f"""DO $agentkit$ BEGIN
IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '{literal}') THEN
  CREATE SCHEMA {self.schema};
END IF;
IF to_regclass('{self.schema.replace("'", "''")}.agentkit_schema') IS NULL THEN
  CREATE TABLE {self.schema}.agentkit_schema (part text PRIMARY KEY, version integer NOT NULL);
END IF;
END $agentkit$"""

    def _step(self, number: int, statements: str) -> str:
        table = f"{self.schema}.agentkit_schema"
        return f"""DO $agentkit$ BEGIN
IF coalesce((SELECT version FROM {table} WHERE part = '{self._part.name}'), 0) < {number} THEN
{statements.replace("{schema}", self.schema)}
INSERT INTO {table} (part, version) VALUES ('{self._part.name}', {number})
ON CONFLICT (part) DO UPDATE SET version = EXCLUDED.version;
END IF;
END $agentkit$"""  # noqa: S608


def _driver(dsn: str | None, pool: object | None, timeout: float) -> Driver:
    if (dsn is None) == (pool is None):
        raise StoreValueError("give either a dsn or a pool")
    if pool is None or is_asyncpg_pool(pool):
        return AsyncpgDriver(dsn, pool, timeout=timeout)
    if is_psycopg_pool(pool):
        known: Any = pool
        return PsycopgDriver(known, timeout=timeout)
    raise StoreValueError(
        "a pool must be an asyncpg.Pool or a psycopg_pool.AsyncConnectionPool; "
        f"got {type(pool).__qualname__}"
    )
