"""Checkpoints as text, equal where they are."""

from __future__ import annotations

import json

from agentkit.core.contracts.checkpoint_rules import MAX_VERSION, CheckpointRow
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.core.contracts.store_rules import decode_value

__all__ = ["field_of", "from_record", "to_record", "version_of"]

_WIDTH = len(str(MAX_VERSION))


def to_record(row: CheckpointRow) -> str:
    """Give the text of *row*: equal checkpoints have equal texts."""
    status, created_at = json.dumps(row.status), json.dumps(row.created_at)
    # Put together as text: what was encoded to be checked is not encoded again.
    return (
        f'{{"created_at":{created_at},"metadata":{row.metadata},"state":{row.state},'
        f'"status":{status}}}'
    )


def from_record(run_id: str, version: int, text: bytes) -> Checkpoint:
    """Give the checkpoint that *text* holds; raises `ValueError` when it holds none."""
    fields = decode_value(text)
    try:
        return Checkpoint(
            run_id,
            version,
            fields["state"],
            fields["created_at"],
            CheckpointStatus(fields["status"]),
            fields["metadata"],
        )
    except (KeyError, TypeError) as problem:
        raise ValueError(f"this is no checkpoint: {problem!r}") from None


def field_of(version: int) -> str:
    """Give *version* as text whose order is that of numbers."""
    return f"{version:0{_WIDTH}d}"


def version_of(field: bytes) -> int:
    """Give the version that `field_of` made *field* of."""
    return int(field)
