"""Checkpoints as text: canonical, data only."""

from dataclasses import replace
from typing import Any

import pytest

from agentkit.core.contracts.checkpoint_rules import CheckpointRow, from_row, to_row
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.redis._records import field_of, from_record, to_record, version_of


def row(**fields: Any) -> CheckpointRow:
    state = {"b": [1], "a": "é"}
    made = Checkpoint("run", 7, state, 1.5, CheckpointStatus.DONE, {"by": "w"})
    return to_row(replace(made, **fields))


def test_a_record_is_canonical_json() -> None:
    assert to_record(row()) == (
        '{"created_at":1.5,"metadata":{"by":"w"},"state":{"a":"\\u00e9","b":[1]},"status":"done"}'
    )


def test_a_record_is_read_back() -> None:
    text = to_record(row())

    assert from_record("run", 7, text.encode()) == from_row(row())


def test_equal_checkpoints_have_equal_records() -> None:
    one = row(state={"a": 1, "b": 2}, created_at=0)
    other = row(state={"b": 2, "a": 1}, created_at=-0.0)

    assert to_record(one) == to_record(other)


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "[]", "{}", '{"state":{},"metadata":{},"created_at":0,"status":"odd"}'],
)
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no (stored value|checkpoint)|not a valid"):
        from_record("run", 1, text.encode())


def test_fields_sort_as_their_versions_do() -> None:
    versions = [1, 2, 9, 10, 99, 100, 2**63 - 1]

    assert sorted(field_of(version) for version in versions) == [*map(field_of, versions)]
    assert [version_of(field_of(version).encode()) for version in versions] == versions
