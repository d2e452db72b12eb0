"""What every checkpoint store takes and refuses, so that all of them answer alike.

A checkpoint becomes a row of six columns, and back. Equal checkpoints have equal rows, so a store
that finds another row under a version raises what `conflict` gives.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, NamedTuple

from agentkit.core.contracts.errors import CheckpointConflict, StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.core.contracts.store_rules import check_key, decode_value, encode_value

__all__ = ["MAX_VERSION", "CheckpointRow", "can_exist", "conflict", "from_row", "to_row"]

MAX_VERSION = 2**63 - 1
"""The highest version a checkpoint may have; the lowest is 1."""


class CheckpointRow(NamedTuple):
    """One checkpoint as its columns; state and metadata are canonical JSON, in ASCII."""

    run_id: str
    version: int
    status: str
    created_at: float
    state: str
    metadata: str


def to_row(cp: Checkpoint) -> CheckpointRow:
    """Give *cp* as a row; raises `StoreValueError` for a field that no store keeps."""
    run_id = check_key(cp.run_id)
    if not can_exist(cp.version):
        raise StoreValueError(f"a checkpoint's version must be from 1 to {MAX_VERSION}")
    return CheckpointRow(
        run_id,
        int(cp.version),
        _status(cp.status).value,
        _created_at(cp.created_at),
        _object("state", cp.state),
        _object("metadata", cp.metadata),
    )


def from_row(row: tuple[Any, ...]) -> Checkpoint:
    """Give the checkpoint that *row* holds; raises `ValueError` when it holds none."""
    run_id, version, status, created_at, state, metadata = row
    return Checkpoint(
        run_id,
        version,
        decode_value(state),
        created_at,
        CheckpointStatus(status),
        decode_value(metadata),
    )


def can_exist(version: Any) -> bool:
    """Whether a checkpoint may have *version*; raises `StoreValueError` for what is no integer."""
    if not isinstance(version, int) or isinstance(version, bool):
        raise StoreValueError(
            f"a checkpoint's version must be an integer; got {type(version).__qualname__}"
        )
    return 1 <= version <= MAX_VERSION


def conflict(row: CheckpointRow) -> CheckpointConflict:
    """Give the error for a *row* whose version is there with other content."""
    return CheckpointConflict(
        f"version {row.version} of run {row.run_id!r} is there with other content: "
        "the run has another writer",
        run_id=row.run_id,
        version=row.version,
    )


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
        moment = inf
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
