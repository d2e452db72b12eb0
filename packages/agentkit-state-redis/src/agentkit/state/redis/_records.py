"""Checkpoints as text: what is checked before one is kept, and what makes two of them equal."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.core.contracts.store_rules import check_key, decode_value, encode_value

__all__ = ["can_exist", "field_of", "from_record", "to_record", "version_of"]

_MAX_VERSION = 2**63 - 1
_WIDTH = len(str(_MAX_VERSION))


def to_record(cp: Checkpoint) -> tuple[str, int, str]:
    """Give the run, the version and the text of *cp*: equal checkpoints have equal texts.

    Raises:
        StoreValueError: A field is what no store keeps.

    """
    run_id = check_key(cp.run_id)
    if not can_exist(cp.version):
        raise StoreValueError(f"a checkpoint's version must be from 1 to {_MAX_VERSION}")
    fields = {
        "created_at": json.dumps(_created_at(cp.created_at)),
        "metadata": _object("metadata", cp.metadata),
        "state": _object("state", cp.state),
        "status": json.dumps(_status(cp.status).value),
    }
    # Put together as text: what was encoded to be checked is not encoded again.
    text = ",".join(f'"{name}":{encoded}' for name, encoded in fields.items())
    return run_id, int(cp.version), f"{{{text}}}"


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


def can_exist(version: Any) -> bool:
    """Whether a checkpoint may have *version*; raises `StoreValueError` for what is no integer."""
    if not isinstance(version, int) or isinstance(version, bool):
        raise StoreValueError(
            f"a checkpoint's version must be an integer; got {type(version).__qualname__}"
        )
    return 1 <= version <= _MAX_VERSION


def field_of(version: int) -> str:
    """Give *version* as text whose order is that of numbers."""
    return f"{version:0{_WIDTH}d}"


def version_of(field: bytes) -> int:
    """Give the version that `field_of` made *field* of."""
    return int(field)


def _status(status: Any) -> CheckpointStatus:
    if not isinstance(status, CheckpointStatus):
        raise StoreValueError(f"a checkpoint's status must be a CheckpointStatus; got {status!r}")
    return status


def _created_at(seconds: Any) -> float:
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        raise StoreValueError(f"a checkpoint's created_at must be seconds; got {seconds!r}")
    try:
        moment = float(seconds) + 0.0  # one zero, not two
    except OverflowError:
        moment = float("inf")
    if not isfinite(moment):
        raise StoreValueError(f"a checkpoint's created_at must be finite; got {moment!r}")
    return moment


def _object(name: str, value: Any) -> str:
    if not isinstance(value, dict):
        raise StoreValueError(
            f"a checkpoint's {name} must be a dict; got {type(value).__qualname__}"
        )
    try:
        return encode_value(value)
    except StoreValueError as problem:
        raise StoreValueError(f"a checkpoint's {name}: {problem}") from None
