"""Checkpoints in memory, gone with the process."""

from __future__ import annotations

from agentkit.core.contracts.checkpoint_rules import (
    CheckpointRow,
    can_exist,
    conflict,
    from_row,
    to_row,
)
from agentkit.core.contracts.ports import Checkpoint
from agentkit.core.contracts.store_rules import check_key

__all__ = ["InMemoryCheckpointStore"]


class InMemoryCheckpointStore:
    """A `CheckpointPort` in memory, which every durable one answers like."""

    def __init__(self) -> None:
        self._runs: dict[str, dict[int, CheckpointRow]] = {}
        self._latest: dict[str, int] = {}

    async def save(self, cp: Checkpoint) -> None:
        """Keep *cp*; an equal one is there already or none is, else `CheckpointConflict`."""
        row = to_row(cp)
        if self._runs.setdefault(row.run_id, {}).setdefault(row.version, row) != row:
            raise conflict(row)
        self._latest[row.run_id] = max(row.version, self._latest.get(row.run_id, 0))

    async def latest(self, run_id: str) -> Checkpoint | None:
        """Give the highest version of *run_id*, or None."""
        version = self._latest.get(check_key(run_id))
        return None if version is None else from_row(self._runs[run_id][version])

    async def at_version(self, run_id: str, version: int) -> Checkpoint | None:
        """Give this *version* of *run_id*, or None."""
        check_key(run_id)
        row = self._runs.get(run_id, {}).get(version) if can_exist(version) else None
        return None if row is None else from_row(row)

    async def list_versions(self, run_id: str) -> list[int]:
        """Give the versions of *run_id*, ascending."""
        return sorted(self._runs.get(check_key(run_id), ()))

    async def delete(self, run_id: str) -> None:
        """Remove every version of *run_id*."""
        self._runs.pop(check_key(run_id), None)
        self._latest.pop(run_id, None)
