"""What every checkpoint store takes, and how a checkpoint becomes a row and back."""

import dataclasses
from typing import Any

import pytest

from agentkit.core.contracts.checkpoint_rules import (
    MAX_VERSION,
    CheckpointRow,
    can_exist,
    conflict,
    from_row,
    to_row,
)
from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus

FIRST = Checkpoint("run-1", 1, {"b": [1], "a": "\ud800"}, 5.0, CheckpointStatus.RUNNING, {"by": 1})


def test_a_row_holds_canonical_json() -> None:
    expected = CheckpointRow("run-1", 1, "running", 5.0, r'{"a":"\ud800","b":[1]}', '{"by":1}')

    assert to_row(FIRST) == expected


def test_a_checkpoint_survives_being_a_row() -> None:
    assert from_row(to_row(FIRST)) == FIRST


@pytest.mark.parametrize("seconds", [-0.0, 0, 0.0], ids=repr)
def test_equal_checkpoints_have_the_same_row_to_the_letter(seconds: float) -> None:
    row = to_row(dataclasses.replace(FIRST, created_at=seconds))

    assert repr(row) == repr(to_row(dataclasses.replace(FIRST, created_at=0.0)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"run_id": ""}, "a key must not be empty"),
        ({"version": 0}, f"version must be from 1 to {MAX_VERSION}"),
        ({"version": MAX_VERSION + 1}, "version must be from 1"),
        ({"version": True}, "version must be an integer; got bool"),
        ({"status": "running"}, "status must be a CheckpointStatus; got 'running'"),
        ({"created_at": float("nan")}, "created_at must be finite; got nan"),
        ({"created_at": 10**400}, "created_at must be finite; got inf"),
        ({"created_at": True}, "created_at must be seconds; got True"),
        ({"created_at": "now"}, "created_at must be seconds; got 'now'"),
        ({"state": [1]}, "state must be a dict; got FrozenList"),
        ({"metadata": {"a": {1}}}, "metadata: .*set"),
    ],
    ids=repr,
)
def test_what_no_store_keeps_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(StoreValueError, match=said):
        to_row(dataclasses.replace(FIRST, **change))


@pytest.mark.parametrize(
    "change",
    [{"status": "unheard of"}, {"state": "{"}, {"metadata": "NaN"}],
    ids=repr,
)
def test_what_is_no_row_makes_no_checkpoint(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"unheard of|no stored value"):
        from_row(to_row(FIRST)._replace(**change))


@pytest.mark.parametrize(
    ("version", "answer"), [(0, False), (1, True), (MAX_VERSION, True), (2**80, False)]
)
def test_versions_count_from_one(version: int, answer: bool) -> None:  # noqa: FBT001
    assert can_exist(version) is answer


def test_a_version_that_is_no_integer_is_refused() -> None:
    with pytest.raises(StoreValueError, match="must be an integer; got str"):
        can_exist("1")


def test_a_conflict_names_the_version() -> None:
    error = conflict(to_row(FIRST))

    assert str(error).startswith("version 1 of run 'run-1' is there with other content")
    assert (error.run_id, error.version) == ("run-1", 1)
