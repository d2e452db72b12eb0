"""Checkpoints in files: what is on the disk, and what becomes of it."""

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agentkit.core.contracts.errors import CheckpointerError, StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.checkpoints import FileCheckpointStore
from agentkit.state.checkpoints._run_folder import RunFolder

T = TypeVar("T")
FIRST = Checkpoint("run-1", 1, {"turn": [1]}, 1.7e9, CheckpointStatus.RUNNING, {"by": "\ud800"})


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


def saved(folder: Path) -> Path:
    """Save one checkpoint in *folder*, and give its file."""
    run(FileCheckpointStore(folder).save(FIRST))
    [path] = folder.glob("run/*/*.json")
    return path


def test_a_version_is_a_file_of_plain_json(tmp_path: Path) -> None:
    path = saved(tmp_path)

    assert path.name == "0000000000000000001.json"
    assert json.loads(path.read_bytes()) == {
        "run_id": "run-1", "version": 1, "status": "running", "created_at": 1.7e9,
        "state": {"turn": [1]}, "metadata": {"by": "\ud800"},
    }  # fmt: skip


def test_making_one_makes_no_folder(tmp_path: Path) -> None:
    store = FileCheckpointStore(tmp_path / "none")

    assert run(store.latest("run-1")) is None
    assert not (tmp_path / "none").exists()


def test_a_path_that_no_folder_has_is_refused() -> None:
    with pytest.raises(StoreValueError, match="NUL"):
        FileCheckpointStore("a\0b")


@pytest.mark.parametrize(
    ("part", "other"),
    [
        (b'"by":"\\ud800"}}', b""),
        (b'"state":{"turn":[1]}', b'"state":[1]'),
        (b"running", b"unheard of"),
        (b"1700000000.0", b"null"),
        (b"run-1", b"run-2"),
        (b'"version":1', b'"version":2'),
    ],
    ids=["torn", "state", "status", "created_at", "run", "version"],
)
def test_a_damaged_file_is_named_and_makes_no_object(
    tmp_path: Path, part: bytes, other: bytes
) -> None:
    path = saved(tmp_path)
    path.write_bytes(path.read_bytes().replace(part, other))

    with pytest.raises(CheckpointerError, match=str(path)):
        run(FileCheckpointStore(tmp_path).latest("run-1"))


def test_what_is_no_version_is_passed_over(tmp_path: Path) -> None:
    path = saved(tmp_path)
    for name in ("incoming", "2.json", "0000000000000000002.json.bak"):
        path.with_name(name).touch()

    assert run(FileCheckpointStore(tmp_path).list_versions("run-1")) == [1]


def test_what_a_killed_remover_left_is_in_nobodys_way(tmp_path: Path) -> None:
    path = saved(tmp_path)
    path.parent.with_name("removed").mkdir()
    (path.parent.with_name("removed") / "old.json").touch()
    run(FileCheckpointStore(tmp_path).delete("run-1"))

    assert list((tmp_path / "run").iterdir()) == []


def test_a_run_removed_while_it_is_looked_up_is_not_there(tmp_path: Path) -> None:
    class Raced(RunFolder):
        """Another process removes the version once it is listed."""

        def versions(self, run_id: str) -> list[int]:
            found = super().versions(run_id)
            path.unlink(missing_ok=True)
            return found

    path = saved(tmp_path)

    assert Raced(tmp_path).latest("run-1") is None
