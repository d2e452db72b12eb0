"""A SQLite store on a file that others lock, open, and take away."""

import asyncio
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreUnavailable
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.checkpoints import SQLiteCheckpointStore
from agentkit.state.stores import SQLiteStore

from .support import with_store

Steps = Callable[[SQLiteStore], Awaitable[Any]]


async def _first(store: SQLiteStore) -> Any:
    [value] = [await store.get(key) async for key in store.scan("")]
    return value


READS: dict[str, Steps] = {
    "get": lambda store: store.get("k"),
    "get_or_set": lambda store: store.get_or_set("k", lambda: asyncio.sleep(0, 3)),
    "scan": _first,
}
CHECKPOINT = Checkpoint("run", 1, {}, 0.0, CheckpointStatus.RUNNING)


def _removed(path: Path) -> None:
    path.unlink()


def _replaced(path: Path) -> None:
    path.rename(path.with_suffix(".aside"))
    path.touch()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def test_a_foreign_lock_is_waited_for(path: Path) -> None:
    async def steps(store: SQLiteStore) -> Any:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            writing = asyncio.ensure_future(store.set("k", 1))
            assert await store_is_waiting(writing)
            other.execute("COMMIT")
            await writing
        return await store.get("k")

    async def store_is_waiting(writing: asyncio.Future[None]) -> bool:
        await asyncio.sleep(0)
        return not writing.done()

    assert with_store(SQLiteStore.open(path), steps) == 1


@pytest.mark.parametrize("read", READS)
def test_a_read_does_not_wait_for_a_write_that_waits_for_a_foreign_lock(
    path: Path, read: str
) -> None:
    async def steps(store: SQLiteStore) -> None:
        await store.set("k", 1)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            writing = asyncio.ensure_future(store.set("k", 2))
            assert await asyncio.wait_for(READS[read](store), 10) == 1
            other.execute("COMMIT")
            await writing

    with_store(SQLiteStore.open(path), steps)


def test_a_latest_checkpoint_does_not_wait_for_a_save_that_waits(path: Path) -> None:
    async def steps() -> None:
        async with SQLiteCheckpointStore.open(path) as store:
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                saving = asyncio.ensure_future(store.save(CHECKPOINT))
                assert await asyncio.wait_for(store.latest("run"), 10) is None
                other.execute("COMMIT")
                await saving

    asyncio.run(steps())


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
@pytest.mark.parametrize("happens", [_removed, _replaced])
def test_a_write_to_a_file_that_was_taken_away_is_not_acknowledged(
    path: Path, happens: Callable[[Path], None]
) -> None:
    async def steps(store: SQLiteStore) -> None:
        await store.set("k", 1)
        happens(path)
        with pytest.raises(StoreUnavailable, match=r"store\.sqlite: it was removed or replaced"):
            await store.set("k", 2)

    with_store(SQLiteStore.open(path), steps)


def test_a_store_follows_nobody_who_goes_to_another_folder(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps(store: SQLiteStore) -> Any:
        monkeypatch.chdir("/")
        await store.set("k", 1)
        return await store.get("k")

    monkeypatch.chdir(path.parent)
    assert with_store(SQLiteStore.open(path.name), steps) == 1


def test_opening_while_another_opens_waits(path: Path) -> None:
    async def steps() -> list[Any]:
        async def count() -> int:
            async with SQLiteStore.open(path) as store:
                return await store.increment("k")

        return sorted(await asyncio.gather(*(count() for _ in range(8))))

    assert asyncio.run(steps()) == list(range(1, 9))
