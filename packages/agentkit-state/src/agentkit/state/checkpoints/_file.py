"""Checkpoints in JSON files that several processes may share."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from agentkit.core.contracts.checkpoint_rules import (
    CheckpointRow,
    can_exist,
    conflict,
    from_row,
    to_row,
)
from agentkit.core.contracts.errors import CheckpointerError, StoreUnavailable
from agentkit.core.contracts.ports import Checkpoint
from agentkit.core.contracts.store_rules import check_key
from agentkit.state.checkpoints._run_folder import RunFolder

__all__ = ["FileCheckpointStore"]

T = TypeVar("T")


class FileCheckpointStore:
    """A `CheckpointPort` in JSON files under *base_dir*: durable, and safe for several processes.

    A version is a file of its own, on disk when `save` returns, and never written again. The folder
    is made by the first save; a `FileStore` may use the same one. A file that something else has
    damaged raises `CheckpointerError`, naming it.

    Raises:
        StoreValueError: *base_dir* is empty, or no folder can have that path.

    """

    def __init__(self, base_dir: str | os.PathLike[str]) -> None:
        self._folder = RunFolder(base_dir)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="agentkit-files")

    async def save(self, cp: Checkpoint) -> None:
        """Write *cp*; an equal one is there already or none is, else `CheckpointConflict`."""
        row = to_row(cp)
        if await self._run(lambda: self._folder.insert(row)) != row:
            raise conflict(row)

    async def latest(self, run_id: str) -> Checkpoint | None:
        """Give the highest version of *run_id*, or None."""
        check_key(run_id)
        return await self._run(lambda: _checkpoint(self._folder.latest(run_id)))

    async def at_version(self, run_id: str, version: int) -> Checkpoint | None:
        """Give this *version* of *run_id*, or None."""
        check_key(run_id)
        if not can_exist(version):
            return None
        return await self._run(lambda: _checkpoint(self._folder.row(run_id, version)))

    async def list_versions(self, run_id: str) -> list[int]:
        """Give the versions of *run_id*, ascending."""
        check_key(run_id)
        return await self._run(lambda: self._folder.versions(run_id))

    async def delete(self, run_id: str) -> None:
        """Remove every version of *run_id*."""
        check_key(run_id)
        await self._run(lambda: self._folder.remove(run_id))

    async def _run(self, job: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, job)
        except StoreUnavailable as problem:
            raise CheckpointerError(str(problem)) from problem.__cause__


def _checkpoint(row: CheckpointRow | None) -> Checkpoint | None:
    return None if row is None else from_row(row)
