"""Every checkpoint store that ships keeps CheckpointPort."""

import sqlite3
from contextlib import nullcontext
from pathlib import Path

import pytest

from agentkit.core.testing import MemoryCheckpoints
from agentkit.state.checkpoints.adapters import (
    FileCheckpointStore,
    InMemoryCheckpointStore,
    SQLiteCheckpointStore,
)
from agentkit.testing import CheckpointSuite, Opener


class TestInMemoryCheckpointStore(CheckpointSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        store = InMemoryCheckpointStore()
        return lambda: nullcontext(store)


class TestFileCheckpointStore(CheckpointSuite):
    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Opener:
        self.folder = tmp_path
        return lambda: nullcontext(FileCheckpointStore(tmp_path / "one"))

    def other_namespace(self) -> Opener:
        return lambda: nullcontext(FileCheckpointStore(self.folder / "other"))

    async def break_connection(self) -> None:
        """Put a file where the folder was, as an unmounted disk leaves nothing to write to."""
        if (self.folder / "one").exists():
            (self.folder / "one").rename(self.folder / "away")
        (self.folder / "one").touch()

    async def restore(self) -> None:
        (self.folder / "one").unlink()
        if (self.folder / "away").exists():
            (self.folder / "away").rename(self.folder / "one")


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
