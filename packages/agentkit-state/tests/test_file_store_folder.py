"""A folder of a running FileStore that something else has changed."""

import asyncio
import shutil
from pathlib import Path

import pytest

from agentkit.core.contracts.errors import StoreUnavailable
from agentkit.state.stores import FileStore

FORMAT = b"agentkit file store, format 1\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(root: Path) -> FileStore:
    used = FileStore(root)
    asyncio.run(used.append("k", 1))
    return used


@pytest.mark.parametrize("content", [b'"other"\n1\n', b'{"torn\n1\n'], ids=["other", "damaged"])
def test_nothing_is_added_to_a_log_that_cannot_be_read(
    store: FileStore, root: Path, content: bytes
) -> None:
    log = next((root / "log").iterdir())
    log.write_bytes(content)

    with pytest.raises(StoreUnavailable, match=log.name):
        asyncio.run(store.append("k", 2))
    assert log.read_bytes() == content


def test_a_folder_that_was_removed_is_made_anew_with_its_format(
    store: FileStore, root: Path
) -> None:
    shutil.rmtree(root)
    asyncio.run(store.set("k", 1))

    assert (root / "format").read_bytes() == FORMAT


def test_a_folder_that_a_newer_version_has_claimed_since_is_not_written(
    store: FileStore, root: Path
) -> None:
    (root / "format").write_bytes(b"agentkit file store, format 9\n")

    with pytest.raises(StoreUnavailable, match="format 9"):
        asyncio.run(store.set("k", 2))
    assert not list((root / "kv").iterdir())
