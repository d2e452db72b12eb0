"""A path that keeps nothing, or that no file can have, is refused before anything is opened."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.state.checkpoints import SQLiteCheckpointStore, open_checkpoints
from agentkit.state.stores import FileStore, SQLiteStore, open_store

IMPOSSIBLE = ["", "a\0b", "\ud800x"]
NO_FILE = [":memory:", "file:x.db", "file:x.db?mode=memory", "FILE:x.db", Path("file:x.db")]
OPENERS = [SQLiteStore.open, SQLiteCheckpointStore.open]


async def enter(opening: Any) -> None:
    async with opening:
        pass


@pytest.fixture(autouse=True)
def nothing_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    yield
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("opener", OPENERS, ids=["values", "checkpoints"])
@pytest.mark.parametrize("path", IMPOSSIBLE + NO_FILE, ids=ascii)
def test_sqlite_takes_the_path_of_a_file_alone(opener: Callable[..., Any], path: Any) -> None:
    with pytest.raises(StoreValueError, match="path"):
        asyncio.run(enter(opener(path)))


@pytest.mark.parametrize("opener", [open_store, open_checkpoints], ids=["values", "checkpoints"])
@pytest.mark.parametrize("url", ["sqlite::memory:", "sqlite:file:x.db", "sqlite:%00"])
def test_a_url_of_no_file_is_refused_at_once(opener: Callable[[str], Any], url: str) -> None:
    with pytest.raises(StoreValueError, match="path"):
        opener(url)


@pytest.mark.parametrize("path", IMPOSSIBLE, ids=ascii)
def test_a_folder_that_cannot_be_is_refused_as_the_store_is_made(path: str) -> None:
    with pytest.raises(StoreValueError, match="path"):
        FileStore(path)


@pytest.mark.parametrize("make", [FileStore, SQLiteStore.open], ids=["folder", "file"])
@pytest.mark.parametrize("path", [b"x", 7, None], ids=repr)
def test_what_is_no_path_is_a_type_error(make: Callable[[Any], Any], path: Any) -> None:
    async def use() -> None:
        await enter(make(path))

    with pytest.raises(TypeError, match=r"path|Path"):
        asyncio.run(use())
