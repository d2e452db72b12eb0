"""Checkpoints on PostgreSQL: a version of a run is a row, and written once."""

# ruff: noqa: S608 - what is put in is a quoted name

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from agentkit.core.contracts.errors import CheckpointerError
from agentkit.core.contracts.ports import Checkpoint
from agentkit.core.contracts.store_rules import check_key
from agentkit.state.postgres._database import Database, Part
from agentkit.state.postgres._records import can_exist, conflict, from_row, to_row

__all__ = ["PostgresCheckpointStore"]

_CHECKPOINTS = Part(
    "checkpoints",
    """
CREATE TABLE {schema}.agentkit_checkpoints (
  run_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  status text NOT NULL,
  created_at float8 NOT NULL,
  state text NOT NULL,
  metadata text NOT NULL,
  PRIMARY KEY (run_id, version)
);
-- The compression of old takes longer than all else; where there is no other, space is cheaper.
BEGIN
  ALTER TABLE {schema}.agentkit_checkpoints ALTER COLUMN state SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
  ALTER TABLE {schema}.agentkit_checkpoints ALTER COLUMN state SET STORAGE EXTERNAL;
END;
""",
)

_COLUMNS = "run_id, version, status, created_at, state, metadata"
_GIVEN = "($1::text, $2::bigint, $3::text, $4::float8, $5::text, $6::text)"


class PostgresCheckpointStore:
    """A `CheckpointPort` on PostgreSQL 14 or later: insert-only, for any number of processes.

    *pool*, *dsn*, *schema* and *timeout* are those of `PostgresStore`, which may share them. A
    checkpoint is as durable when `save` returns as the server's configuration makes a commit.

    Raises:
        StoreValueError: Not exactly one of pool and dsn was given, or *schema* names none.

    """

    def __init__(
        self,
        pool: object | None = None,
        *,
        dsn: str | None = None,
        schema: str = "public",
        timeout: float = 10.0,
    ) -> None:
        self._database = Database(
            dsn,
            pool,
            schema=schema,
            part=_CHECKPOINTS,
            timeout=timeout,
            unavailable=CheckpointerError,
        )
        table = f"{self._database.schema}.agentkit_checkpoints"
        of_run = f"FROM {table} WHERE run_id = $1::text"
        self._save = (
            f"INSERT INTO {table} ({_COLUMNS}) VALUES {_GIVEN} ON CONFLICT DO NOTHING "
            "RETURNING true"
        )
        self._latest = f"SELECT {_COLUMNS} {of_run} ORDER BY version DESC LIMIT 1"
        self._at_version = f"SELECT {_COLUMNS} {of_run} AND version = $2::bigint"
        self._versions = f"SELECT version {of_run} ORDER BY version"
        self._delete = f"DELETE {of_run}"

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        dsn: str | None = None,
        *,
        pool: object | None = None,
        schema: str = "public",
        timeout: float = 10.0,  # noqa: ASYNC109  # of each statement, not of this call
    ) -> AsyncGenerator[PostgresCheckpointStore]:
        """Open the store until the end of the block, creating or migrating its table.

        Raises:
            StoreValueError: *dsn* is malformed, or what the class says.
            CheckpointerError: The server cannot be reached, refuses the credentials or to create
                the table, or this is of a newer version.

        """
        store = cls(pool, dsn=dsn, schema=schema, timeout=timeout)
        try:
            await store.ensure_schema()
            yield store
        finally:
            await store.aclose()

    async def ensure_schema(self) -> None:
        """Connect, and create or migrate the table; many processes may at once, and again."""
        await self._database.init()

    async def aclose(self) -> None:
        """Close the connections, where they are the store's own."""
        await self._database.close()

    async def save(self, cp: Checkpoint) -> None:
        """Write *cp*; an equal one is there already or none is, else `CheckpointConflict`."""
        row = to_row(cp)
        while not await self._database.fetch(self._save, *row):
            there = await self._database.fetch(self._at_version, row.run_id, row.version)
            if there and tuple(there[0]) != row:
                raise conflict(row)
            if there:
                return

    async def latest(self, run_id: str) -> Checkpoint | None:
        """Give the highest version of *run_id*, or None."""
        return self._decoded(await self._database.fetch(self._latest, check_key(run_id)))

    async def at_version(self, run_id: str, version: int) -> Checkpoint | None:
        """Give this *version* of *run_id*, or None."""
        check_key(run_id)
        if not can_exist(version):
            return None
        return self._decoded(await self._database.fetch(self._at_version, run_id, version))

    async def list_versions(self, run_id: str) -> list[int]:
        """Give the versions of *run_id*, ascending."""
        rows = await self._database.fetch(self._versions, check_key(run_id))
        return [version for (version,) in rows]

    async def delete(self, run_id: str) -> None:
        """Remove every version of *run_id*, all in one step."""
        await self._database.fetch(self._delete, check_key(run_id))

    def _decoded(self, rows: list[Sequence[Any]]) -> Checkpoint | None:
        if not rows:
            return None
        try:
            return from_row(rows[0])
        except (ValueError, TypeError) as problem:
            raise self._database.broken(
                f"the table holds something else at a version of run {rows[0][0]!r}: {problem}"
            ) from None
