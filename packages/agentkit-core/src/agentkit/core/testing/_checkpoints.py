"""Checkpoints that are kept as JSON text, in memory."""

from agentkit.core.contracts.checkpoint_rules import (
    CheckpointRow,
    can_exist,
    conflict,
    from_row,
    to_row,
)
from agentkit.core.contracts.ports import Checkpoint
from agentkit.core.contracts.store_rules import check_key

__all__ = ["MemoryCheckpoints"]


class MemoryCheckpoints:
    """A `CheckpointPort` in memory that takes what a durable one takes and nothing more."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[int, CheckpointRow]] = {}

    async def save(self, cp: Checkpoint) -> None:
        """Write *cp*, once."""
        row = to_row(cp)
        if self._rows.setdefault(row.run_id, {}).setdefault(row.version, row) != row:
            raise conflict(row)

    async def latest(self, run_id: str) -> Checkpoint | None:
        """Give the highest version."""
        versions = self._rows.get(check_key(run_id))
        return from_row(versions[max(versions)]) if versions else None

    async def at_version(self, run_id: str, version: int) -> Checkpoint | None:
        """Give this version."""
        rows = self._rows.get(check_key(run_id), {})
        return from_row(rows[version]) if can_exist(version) and version in rows else None

    async def list_versions(self, run_id: str) -> list[int]:
        """Give the versions in ascending order."""
        return sorted(self._rows.get(check_key(run_id), ()))

    async def delete(self, run_id: str) -> None:
        """Remove every version."""
        self._rows.pop(check_key(run_id), None)
