"""Checkpoints that are kept as JSON text, in memory."""

from agentkit.core.contracts.errors import CheckpointConflict, StoreValueError
from agentkit.core.contracts.ports import Checkpoint
from agentkit.core.contracts.store_rules import check_key, decode_value, encode_value
from agentkit.core.serialization import from_json, to_json
from agentkit.core.serialization._kinds import is_a

__all__ = ["MemoryCheckpoints"]


class MemoryCheckpoints:
    """A `CheckpointPort` in memory that takes what a durable one takes and nothing more."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[int, str]] = {}

    async def save(self, cp: Checkpoint) -> None:
        """Write *cp*, once."""
        check_key(cp.run_id)
        if not is_a(cp.version, int) or is_a(cp.version, bool) or cp.version < 1:
            raise StoreValueError(
                f"a checkpoint's version is a whole number from 1; got {cp.version!r}"
            )
        encode_value(cp.state)
        encode_value(cp.metadata)
        text = encode_value(to_json(cp))
        if self._texts.setdefault(cp.run_id, {}).setdefault(cp.version, text) != text:
            raise CheckpointConflict(
                f"version {cp.version} of run {cp.run_id!r} is already saved with other content",
                run_id=cp.run_id,
                version=cp.version,
            )

    async def latest(self, run_id: str) -> Checkpoint | None:
        """Give the highest version."""
        versions = self._texts.get(check_key(run_id))
        return await self.at_version(run_id, max(versions)) if versions else None

    async def at_version(self, run_id: str, version: int) -> Checkpoint | None:
        """Give this version."""
        text = self._texts.get(check_key(run_id), {}).get(version)
        return None if text is None else from_json(Checkpoint, decode_value(text))

    async def list_versions(self, run_id: str) -> list[int]:
        """Give the versions in ascending order."""
        return sorted(self._texts.get(check_key(run_id), ()))

    async def delete(self, run_id: str) -> None:
        """Remove every version."""
        self._texts.pop(check_key(run_id), None)
