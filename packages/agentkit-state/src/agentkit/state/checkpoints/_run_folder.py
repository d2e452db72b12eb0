"""The folder of a `FileCheckpointStore`: a folder for each run, a file for each version."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path

from agentkit.core.contracts.checkpoint_rules import CheckpointRow
from agentkit.core.contracts.errors import StoreUnavailable, StoreValueError
from agentkit.core.contracts.ports import CheckpointStatus
from agentkit.core.contracts.store_rules import decode_value, encode_value
from agentkit.state.stores._claimed import ClaimedFolder
from agentkit.state.stores._files import (
    content_of,
    make_folder,
    replace_file,
    sync_folder,
    translated,
)

__all__ = ["RunFolder"]

_FILE = re.compile(r"([0-9]{19})\.json")
_REMOVED = "removed"
_STATUSES = frozenset(status.value for status in CheckpointStatus)


class RunFolder(ClaimedFolder):
    """Rows as files under *root*, which a `FileStore` may share; a run's folder is a hash of it.

    A row is there whole or not at all, and on disk when the call returns; so is a removal. Blocking
    and translating as any `ClaimedFolder`.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        super().__init__(root, "run")
        [self._runs] = self._parts

    def insert(self, row: CheckpointRow) -> CheckpointRow:
        """Keep *row* unless its version is there, and give the row that is."""
        with self.locked():
            there = self.row(row.run_id, row.version)
            if there is not None:
                return there
            path = self._path(row.run_id, row.version)
            with translated(path):
                make_folder(path.parent)
            replace_file(path, _text(row).encode("ascii"))
        return row

    def row(self, run_id: str, version: int) -> CheckpointRow | None:
        """Give the row of *version*, or None."""
        self.check_format()
        path = self._path(run_id, version)
        content = content_of(path)
        if content is None:
            return None
        row = _row(path, content)
        if (row.run_id, row.version) != (run_id, version):
            raise StoreUnavailable(f"{path}: this is no version {version} of run {run_id!r}")
        return row

    def latest(self, run_id: str) -> CheckpointRow | None:
        """Give the row of the highest version, or None."""
        while versions := self.versions(run_id):
            row = self.row(run_id, versions[-1])
            if row is not None:  # else it was removed since
                return row
        return None

    def versions(self, run_id: str) -> list[int]:
        """Give the versions there are, ascending."""
        self.check_format()
        folder = self._folder(run_id)
        with translated(folder):
            try:
                paths = [*folder.iterdir()]
            except FileNotFoundError:
                return []
        return sorted(int(found[1]) for path in paths if (found := _FILE.fullmatch(path.name)))

    def remove(self, run_id: str) -> None:
        """Remove every version: all of them in one step."""
        with self.locked(), translated(self._runs):
            removed = self._runs / _REMOVED
            shutil.rmtree(removed, ignore_errors=True)  # what a writer that died has left
            try:
                self._folder(run_id).rename(removed)
            except FileNotFoundError:
                return
            sync_folder(self._runs)
            shutil.rmtree(removed, ignore_errors=True)  # it is out of sight already

    def _folder(self, run_id: str) -> Path:
        return self._runs / hashlib.sha256(run_id.encode()).hexdigest()

    def _path(self, run_id: str, version: int) -> Path:
        return self._folder(run_id) / f"{version:019}.json"


def _text(row: CheckpointRow) -> str:
    """Give *row* as an object; its state and its metadata are JSON already."""
    return (
        f'{{"run_id":{json.dumps(row.run_id)},"version":{row.version},"status":"{row.status}",'
        f'"created_at":{row.created_at!r},"state":{row.state},"metadata":{row.metadata}}}\n'
    )


def _row(path: Path, content: bytes) -> CheckpointRow:
    try:
        found = decode_value(content)
    except StoreValueError as problem:
        raise StoreUnavailable(f"{path}: torn or damaged: {problem}") from None
    match found:
        case {
            "run_id": str(run_id),
            "version": int(version),
            "status": str(status),
            "created_at": float(created_at),
            "state": dict(),
            "metadata": dict(),
        } if status in _STATUSES:
            texts = encode_value(found["state"]), encode_value(found["metadata"])
            return CheckpointRow(run_id, version, status, created_at, *texts)
        case _:
            raise StoreUnavailable(f"{path}: this is no checkpoint")
