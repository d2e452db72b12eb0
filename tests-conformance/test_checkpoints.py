"""Checkpoint stores in memory and in SQLite keep CheckpointPort."""

import sqlite3
from contextlib import nullcontext
from pathlib import Path

import pytest

from agentkit.core.testing import MemoryCheckpoints
from agentkit.state.checkpoints.adapters import InMemoryCheckpointStore, SQLiteCheckpointStore
from agentkit.testing import CheckpointSuite, Opener


class TestInMemoryCheckpointStore(CheckpointSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        store = InMemoryCheckpointStore()
        return lambda: nullcontext(store)


class TestSQLiteCheckpointStore(CheckpointSuite):
    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Opener:
        self.folder = tmp_path
        return lambda: SQLiteCheckpointStore.open(tmp_path / "one.sqlite")

    def other_namespace(self) -> Opener:
        return lambda: SQLiteCheckpointStore.open(self.folder / "other.sqlite")

    async def backend_version(self) -> str:
        return f"SQLite {sqlite3.sqlite_version}"


class TestMemoryCheckpoints(CheckpointSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        store = MemoryCheckpoints()
        return lambda: nullcontext(store)
