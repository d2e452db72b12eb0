"""What the store in memory keeps: copies that share nothing with anybody."""

import asyncio
import math
from typing import Any

import pytest

from agentkit.core.serialization import deep_freeze
from agentkit.state.stores import InMemoryStore
from agentkit.state.stores._copies import MasterCopy

ROW = {"id": 1, "tags": ["a"], "where": {"at": [1.5, None]}}
SHAPES: dict[str, Any] = {
    "empty dict": {},
    "empty list": [],
    "flat dict": {"a": 1, "b": "x", "c": None, "d": True, "e": 1.5},
    "flat list": ["a", 1, None],
    "nested": {"a": {"b": [{"c": [[]]}]}, "d": 1},
    "long flat list": list(range(40)),
    "long mixed list": [*range(20), {"a": [1]}, "x"],
    "rows": [ROW for _ in range(20)],
    "rows of rows": [[["a"]] for _ in range(20)],
    "non-JSON number": [math.inf],
    "non-JSON key": {1: {2: []}},
}


def containers(value: Any) -> list[int]:
    """The identity of every dict and list in *value*."""
    if value.__class__ not in (dict, list):
        return []
    items: Any = value.values() if value.__class__ is dict else value
    return [id(value), *(found for item in items for found in containers(item))]


def master_of(value: Any) -> MasterCopy:
    found = MasterCopy.of(value)
    assert found is not None
    return found


@pytest.mark.parametrize("value", SHAPES.values(), ids=SHAPES)
def test_a_copy_is_equal_and_shares_no_container(value: Any) -> None:
    master = master_of(value)
    first, second = master.copy(), master.copy()

    assert first == second == value
    seen = [*containers(first), *containers(second)]
    assert len({*seen, *containers(value)}) == len(seen) + len({*containers(value)})


@pytest.mark.parametrize("value", SHAPES.values(), ids=SHAPES)
def test_of_a_frozen_value_the_copy_is_plain(value: Any) -> None:
    copied = master_of(deep_freeze(value)).copy()

    assert copied == value
    assert repr(copied) == repr(value)


@pytest.mark.parametrize("value", ["a", 1, (1,), {1}, [(1,)], [object()] * 20, {"a": {"b": b""}}])
def test_of_what_is_or_holds_another_object_there_is_none(value: object) -> None:
    assert MasterCopy.of(value) is None


def test_of_what_holds_itself_there_is_none() -> None:
    knot: list[Any] = []
    knot.append(knot)

    assert MasterCopy.of(knot) is None


@pytest.mark.parametrize("value", [[math.nan], [math.inf], {1: "a"}], ids=repr)
def test_what_json_does_not_have_is_copied_and_compared_by_equality(value: Any) -> None:
    async def steps() -> tuple[bool, bool]:
        store = InMemoryStore()
        await store.set("k", value)
        is_other = await store.get("k") is not value
        return is_other, await store.compare_and_set("k", value, 1)

    assert asyncio.run(steps()) == (True, True)
