"""Checkpoints in a SQLite file that several processes may share."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

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
from agentkit.state.stores._database import Database, transaction

__all__ = ["SQLiteCheckpointStore"]

_COLUMNS = "run_id, version, status, created_at, state, metadata"
_INSERT = (
    f"INSERT INTO agentkit_checkpoints ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608
    " ON CONFLICT DO NOTHING"
)
_AT = f"SELECT {_COLUMNS} FROM agentkit_checkpoints WHERE run_id = ? AND version = ?"  # noqa: S608
_LATEST = (
    f"SELECT {_COLUMNS} FROM agentkit_checkpoints WHERE run_id = ?"  # noqa: S608
    " ORDER BY version DESC LIMIT 1"
)
_VERSIONS = "SELECT version FROM agentkit_checkpoints WHERE run_id = ? ORDER BY version"
_DELETE = "DELETE FROM agentkit_checkpoints WHERE run_id = ?"


class SQLiteCheckpointStore:
    """A `CheckpointPort` in a SQLite file: durable, insert-only, safe for several processes.

    Made by `SQLiteCheckpointStore.open`, whose block owns the file; a `SQLiteStore` may use the
    same one. A checkpoint is on disk when `save` returns.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    @asynccontextmanager
    async def open(
        cls, path: str | os.PathLike[str]
    ) -> AsyncGenerator[SQLiteCheckpointStore, None]:
        """Open the file at *path*, creating it if needed, until the end of the block.

        Raises:
            CheckpointerError: The file cannot be opened or written, is no SQLite file, belongs to
                another application, or was made by a newer version. The message names *path*.
            StoreValueError: No file can have *path*, or it is `:memory:` or a `file:` URI, which
                would keep nothing; nothing is opened.

        """
        async with Database.open(path, unavailable=CheckpointerError) as database:
            yield cls(database)

    async def save(self, cp: Checkpoint) -> None:
        """Write *cp*; an equal one is there already or none is, else `CheckpointConflict`."""
        row = to_row(cp)
        there = await self._database.call(lambda connection: _insert(connection, row))
        if there != row:
            raise conflict(row)

    async def latest(self, run_id: str) -> Checkpoint | None:
        """Give the highest version of *run_id*, or None."""
        check_key(run_id)
        return await self._one(_LATEST, run_id)

    async def at_version(self, run_id: str, version: int) -> Checkpoint | None:
        """Give this *version* of *run_id*, or None."""
        check_key(run_id)
        return await self._one(_AT, run_id, version) if can_exist(version) else None

    async def list_versions(self, run_id: str) -> list[int]:
        """Give the versions of *run_id*, ascending."""
        check_key(run_id)
        rows = await self._database.read(
            lambda connection: connection.execute(_VERSIONS, (run_id,)).fetchall()
        )
        return [version for (version,) in rows]

    async def delete(self, run_id: str) -> None:
        """Remove every version of *run_id*."""
        check_key(run_id)
        await self._database.call(
            lambda connection: connection.execute(_DELETE, (run_id,)).rowcount
        )

    async def _one(self, statement: str, *values: str | int) -> Checkpoint | None:
        row = await self._database.read(
            lambda connection: connection.execute(statement, values).fetchone()
        )
        try:
            return None if row is None else from_row(row)
        except (ValueError, TypeError) as problem:
            raise self._database.broken(problem) from None


def _insert(connection: sqlite3.Connection, row: CheckpointRow) -> CheckpointRow:
    """Insert *row* unless its version is there, and give the row that is."""
    with transaction(connection):
        if connection.execute(_INSERT, row).rowcount:
            return row
        return CheckpointRow(*connection.execute(_AT, (row.run_id, row.version)).fetchone())
