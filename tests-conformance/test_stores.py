"""Every store that ships keeps StorePort."""

import sqlite3
import time
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

import pytest

from agentkit.core.testing import FakeClock, JsonStore
from agentkit.state.stores import FileStore, InMemoryStore, SQLiteStore
from agentkit.testing import Feature, Opener, StoreSuite


class TestInMemoryStore(StoreSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.clock = FakeClock()
        store = InMemoryStore(clock=self.clock.now)
        return lambda: nullcontext(store)

    async def advance(self, seconds: float) -> None:
        await self.clock.sleep(seconds)


class TestFileStore(StoreSuite, ignores={Feature.TTL}):
    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Opener:
        self.folder = tmp_path
        return lambda: nullcontext(FileStore(tmp_path / "one"))

    async def advance(self, seconds: float) -> None:
        """Do nothing: no clock is read."""

    def other_namespace(self) -> Opener:
        return lambda: nullcontext(FileStore(self.folder / "other"))

    async def break_connection(self) -> None:
        """Put a file where the folder was, as an unmounted disk leaves nothing to write to."""
        if (self.folder / "one").exists():
            (self.folder / "one").rename(self.folder / "away")
        (self.folder / "one").touch()

    async def restore(self) -> None:
        (self.folder / "one").unlink()
        if (self.folder / "away").exists():
            (self.folder / "away").rename(self.folder / "one")


class TestSQLiteStore(StoreSuite):
    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Opener:
        self.clock = FakeClock(start=time.time())
        self.folder = tmp_path
        return lambda: self.open("one")

    def open(self, name: str) -> AbstractAsyncContextManager[SQLiteStore]:
        return SQLiteStore.open(self.folder / f"{name}.sqlite", clock=self.clock.now)

    async def advance(self, seconds: float) -> None:
        await self.clock.sleep(seconds)

    def other_namespace(self) -> Opener:
        return lambda: self.open("other")

    async def backend_version(self) -> str:
        return f"SQLite {sqlite3.sqlite_version}"


class TestJsonStore(StoreSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.clock = FakeClock()
        store = JsonStore(clock=self.clock)
        return lambda: nullcontext(store)

    async def advance(self, seconds: float) -> None:
        await self.clock.sleep(seconds)
