"""Full disks, read-only folders, files of others: one typed error that names the path."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.errors import AgentkitError, CheckpointerError, StoreUnavailable
from agentkit.core.contracts.ports import Checkpoint, CheckpointPort, CheckpointStatus, StorePort
from agentkit.state.checkpoints import SQLiteCheckpointStore
from agentkit.state.stores import SQLiteStore

from .support import Clock, open_file_checkpoints, open_files, with_store

resource = pytest.importorskip("resource", reason="limits and users are those of POSIX")

NOBODY = 65534
LIMIT = 400_000
"""How large a file gets: more than one text below, less than two."""
LARGE = "x" * 300_000


async def set_value(store: StorePort, name: str, text: str) -> None:
    await store.set(name, text)


async def append(store: StorePort, name: str, text: str) -> None:
    await store.append("log", [name, text])


async def save(store: CheckpointPort, name: str, text: str) -> None:
    version = len(await store.list_versions("run")) + 1
    state = {"name": name, "text": text}
    await store.save(Checkpoint("run", version, state, 0.0, CheckpointStatus.RUNNING))


async def keys(store: StorePort) -> list[str]:
    return sorted([key async for key in store.scan("")])


async def entries(store: StorePort) -> list[str]:
    return [name for name, _ in await store.list("log")]


async def saved(store: CheckpointPort) -> list[str]:
    found = [await store.at_version("run", v) for v in await store.list_versions("run")]
    return [checkpoint.state["name"] for checkpoint in found if checkpoint]


@dataclass(frozen=True)
class Durable:
    """An adapter that outlives its process, and how a test writes through it."""

    open: Callable[[Path], Any]
    error: type[AgentkitError]
    write: Callable[[Any, str, str], Awaitable[None]]
    read: Callable[[Any], Awaitable[list[str]]]

    def written(self, folder: Path, name: str, text: str = "") -> None:
        with_store(self.open(folder), lambda store: self.write(store, name, text))

    def names(self, folder: Path) -> list[str]:
        return with_store(self.open(folder), self.read)


def sqlite(folder: Path) -> Any:
    return SQLiteStore.open(folder / "store.sqlite")


def checkpoints(folder: Path) -> Any:
    return SQLiteCheckpointStore.open(folder / "store.sqlite")


def file_checkpoints(folder: Path) -> Any:
    return open_file_checkpoints(folder)


def files(folder: Path) -> Any:
    return open_files(folder, Clock())


DURABLE = {
    "files: set": Durable(files, StoreUnavailable, set_value, keys),
    "files: append": Durable(files, StoreUnavailable, append, entries),
    "sqlite: set": Durable(sqlite, StoreUnavailable, set_value, keys),
    "sqlite: append": Durable(sqlite, StoreUnavailable, append, entries),
    "sqlite: save": Durable(checkpoints, CheckpointerError, save, saved),
    "files: save": Durable(file_checkpoints, CheckpointerError, save, saved),
}
every_durable = pytest.mark.parametrize("durable", DURABLE.values(), ids=DURABLE)


@contextmanager
def full_disk() -> Generator[None, None, None]:
    """Let no file grow beyond LIMIT, as a full disk would: what fits of a write is written."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def unprivileged() -> Generator[None, None, None]:
    """Lose the right to write everywhere, for who has it."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not pytest's: that one is closed to others, with all that is in it."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


@every_durable
def test_a_full_disk_is_told_and_leaves_what_was_there(durable: Durable, folder: Path) -> None:
    async def steps(store: Any) -> list[str]:
        await durable.write(store, "before", "")
        with full_disk(), pytest.raises(durable.error, match=f"{folder}/.*: "):
            await durable.write(store, "lost", LARGE * 2)
        return await durable.read(store)

    assert with_store(durable.open(folder), steps) == ["before"]
    assert durable.names(folder) == ["before"]


@every_durable
def test_after_a_full_disk_the_same_store_goes_on(durable: Durable, folder: Path) -> None:
    async def steps(store: Any) -> None:
        with full_disk(), pytest.raises(durable.error):
            await durable.write(store, "lost", LARGE * 2)
        await durable.write(store, "kept", LARGE)

    with_store(durable.open(folder), steps)
    assert durable.names(folder) == ["kept"]


def test_a_full_disk_leaves_no_part_of_a_file_in_the_way(folder: Path) -> None:
    async def steps(store: Any) -> None:
        with full_disk(), pytest.raises(StoreUnavailable):
            await store.set("k", LARGE * 2)
        with full_disk(), pytest.raises(StoreUnavailable):
            await store.append("k", LARGE * 2)

    with_store(files(folder), steps)
    assert sum(path.stat().st_size for path in folder.rglob("*/*/*")) == 0


@every_durable
def test_a_folder_that_nothing_can_be_made_in_is_named(durable: Durable, folder: Path) -> None:
    folder.chmod(0o555)

    with unprivileged(), pytest.raises(durable.error, match=f"{folder}.*: "):
        durable.written(folder, "name")


@every_durable
def test_a_store_of_another_user_is_named(durable: Durable, folder: Path) -> None:
    durable.written(folder, "before")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)

    with unprivileged(), pytest.raises(durable.error, match=f"{folder}.*: "):
        durable.written(folder, "after")


@pytest.mark.parametrize("part", ["kv", "run/*"])
def test_a_folder_that_cannot_be_listed_is_not_told_to_be_empty(folder: Path, part: str) -> None:
    kind = "files: set" if part == "kv" else "files: save"
    DURABLE[kind].written(folder, "there")
    [unlisted] = (folder / "files").glob(part)
    unlisted.chmod(0o311)

    with unprivileged(), pytest.raises(DURABLE[kind].error, match=f"{unlisted}: "):
        DURABLE[kind].names(folder)


def spoil(folder: Path, *, content: bytes) -> list[Path]:
    """Put *content* where an adapter would open its file."""
    (folder / "files").mkdir()
    spoilt = [folder / "store.sqlite", folder / "files" / "format"]
    for path in spoilt:
        path.write_bytes(content)
    return spoilt


@every_durable
@pytest.mark.parametrize("content", [b"\n", b"text of somebody\n" * 8, b"\xff\0" * 2048])
def test_a_file_of_something_else_is_named_and_left_alone(
    durable: Durable, folder: Path, content: bytes
) -> None:
    spoilt = spoil(folder, content=content)

    with pytest.raises(durable.error, match=rf"{folder}/(store\.sqlite|files/format): "):
        durable.written(folder, "name")
    with pytest.raises(durable.error, match=rf"{folder}/(store\.sqlite|files/format): "):
        durable.names(folder)

    assert {path.read_bytes() for path in spoilt} == {content}


@every_durable
def test_a_pipe_is_named_and_not_waited_for(durable: Durable, folder: Path) -> None:
    (folder / "files").mkdir()
    for path in (folder / "store.sqlite", folder / "files" / "format"):
        os.mkfifo(path)

    with pytest.raises(durable.error, match=rf"{folder}/(store\.sqlite|files/format): "):
        durable.written(folder, "name")


@every_durable
def test_what_a_newer_version_wrote_is_named_and_says_what_to_do(
    durable: Durable, folder: Path
) -> None:
    durable.written(folder, "before")
    for path in folder.rglob("format"):
        path.write_bytes(b"agentkit file store, format 2\n")
    for path in folder.rglob("*.sqlite"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA user_version = 99")

    with pytest.raises(durable.error, match=rf"{folder}/.*newer.*upgrade"):
        durable.names(folder)


def test_a_store_whose_folder_is_taken_away_makes_it_anew(folder: Path) -> None:
    async def steps(store: Any) -> list[str]:
        await store.set("a", 1)
        shutil.rmtree(folder / "files")
        await store.set("b", 1)
        return await keys(store)

    assert with_store(files(folder), steps) == ["b"]
