"""Stores in memory and in SQLite keep StorePort."""

import sqlite3
import time
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

import pytest

from agentkit.core.testing import FakeClock, JsonStore
from agentkit.state.stores import InMemoryStore, SQLiteStore
from agentkit.testing import Opener, StoreSuite


class TestInMemoryStore(StoreSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.clock = FakeClock()
        store = InMemoryStore(clock=self.clock.now)
        return lambda: nullcontext(store)

    async def advance(self, seconds: float) -> None:
        await self.clock.sleep(seconds)


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
