"""Checkpoints as text: canonical, checked, data only."""

import math
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.redis._records import (
    can_exist,
    field_of,
    from_record,
    to_record,
    version_of,
)


def checkpoint(**fields: Any) -> Checkpoint:
    made = Checkpoint("run", 7, {"b": [1], "a": "é"}, 1.5, CheckpointStatus.DONE, {"by": "w"})
    for name, value in fields.items():
        object.__setattr__(made, name, value)  # past the checks of the class itself
    return made


def test_a_record_is_canonical_json() -> None:
    assert to_record(checkpoint()) == (
        "run",
        7,
        '{"created_at":1.5,"metadata":{"by":"w"},"state":{"a":"\\u00e9","b":[1]},"status":"done"}',
    )


def test_a_record_is_read_back() -> None:
    run, version, text = to_record(checkpoint())

    assert from_record(run, version, text.encode()) == checkpoint()


def test_equal_checkpoints_have_equal_records() -> None:
    one = checkpoint(state={"a": 1, "b": 2}, created_at=0)
    other = checkpoint(state={"b": 2, "a": 1}, created_at=-0.0)

    assert to_record(one) == to_record(other)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"version": 0}, "version must be from 1"),
        ({"version": 2**63}, "version must be from 1"),
        ({"version": True}, "version must be an integer; got bool"),
        ({"version": "1"}, "version must be an integer; got str"),
        ({"status": "done"}, "status must be a CheckpointStatus; got 'done'"),
        ({"created_at": "now"}, "created_at must be seconds; got 'now'"),
        ({"created_at": True}, "created_at must be seconds; got True"),
        ({"created_at": math.nan}, "created_at must be finite; got nan"),
        ({"created_at": 10**400}, "created_at must be finite; got inf"),
        ({"state": [1]}, "state must be a dict; got list"),
        ({"state": {"a": {1}}}, "checkpoint's state: "),
        ({"metadata": {"a": (1,)}}, "checkpoint's metadata: "),
        ({"run_id": ""}, "key must not be empty"),
    ],
    ids=ascii,
)
def test_what_no_store_keeps_is_refused(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(StoreValueError, match=text):
        to_record(checkpoint(**fields))


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


def test_only_versions_from_one_on_can_exist() -> None:
    assert [can_exist(version) for version in (0, 1, 2**63 - 1, 2**63)] == [
        False,
        True,
        True,
        False,
    ]
