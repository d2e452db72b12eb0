"""Checkpoints on PostgreSQL: a version of a run is written once, and whole."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from agentkit.core.contracts.checkpoint_rules import (
    CheckpointRow,
    can_exist,
    conflict,
    from_row,
    to_row,
)
from agentkit.core.contracts.errors import CheckpointerError
from agentkit.core.contracts.ports import Checkpoint
from agentkit.core.contracts.store_rules import check_key
from agentkit.state.postgres._checkpoint_sql import CHECKPOINTS, Statements, length_of_parts
from agentkit.state.postgres._database import Database

__all__ = ["PostgresCheckpointStore"]


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
            part=CHECKPOINTS,
            timeout=timeout,
            unavailable=CheckpointerError,
        )
        self._sql = Statements(self._database.schema)

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
        while not await self._is_new(row):
            there = await self._found(row.run_id, row.version)
            if there is not None and there != row:
                raise conflict(row)
            if there is not None:
                return

    async def latest(self, run_id: str) -> Checkpoint | None:
        """Give the highest version of *run_id*, or None."""
        return self._decoded(await self._found(check_key(run_id), None))

    async def at_version(self, run_id: str, version: int) -> Checkpoint | None:
        """Give this *version* of *run_id*, or None."""
        check_key(run_id)
        if not can_exist(version):
            return None
        return self._decoded(await self._found(run_id, version))

    async def list_versions(self, run_id: str) -> list[int]:
        """Give the versions of *run_id*, ascending."""
        rows = await self._database.fetch(self._sql.versions, check_key(run_id))
        return [version for (version,) in rows]

    async def delete(self, run_id: str) -> None:
        """Remove every version of *run_id*, all in one step."""
        await self._database.fetch(self._sql.delete, check_key(run_id))

    async def _is_new(self, row: CheckpointRow) -> bool:
        """Write *row* unless its version is there, and tell whether it was not."""
        length = length_of_parts(row.run_id, row.state)
        if not length:
            return bool(await self._database.fetch(self._sql.save, *row))
        split = (*row._replace(state=""), row.state.encode(), length)
        return bool(await self._database.fetch(self._sql.save_in_parts, *split))

    async def _found(self, run_id: str, version: int | None) -> CheckpointRow | None:
        """Give the row of this version, or of the highest, with its state in one piece."""
        while rows := await self._database.fetch(self._sql.find, run_id, version):
            row = CheckpointRow(*rows[0])
            if row.state:
                return row
            # Asked for once more beside its parts: both are of one moment.
            found = await self._database.fetch(self._sql.find_in_parts, run_id, row.version)
            if found:
                return _joined(found)
        return None

    def _decoded(self, row: CheckpointRow | None) -> Checkpoint | None:
        if row is None:
            return None
        try:
            return from_row(row)
        except (ValueError, TypeError) as problem:
            raise self._database.broken(
                f"the table holds something else at a version of run {row.run_id!r}: {problem}"
            ) from None


def _joined(rows: list[Sequence[Any]]) -> CheckpointRow:
    """Give the row that all *rows* have, each of which has a part of its state, if it is long."""
    row = CheckpointRow(*rows[0][:-2])
    parts = sorted((number, part) for *_, number, part in rows if part is not None)
    return row._replace(state=row.state + "".join([part for _, part in parts]))
