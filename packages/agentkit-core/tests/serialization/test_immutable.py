"""Frozen containers: what they refuse, and what they still are."""

import copy
import json
import pickle
from collections import OrderedDict, UserDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from agentkit.core.serialization import FrozenDict, FrozenList, deep_freeze

PAYLOAD = {"q": "octopus", "filters": {"tags": ["marine"]}, "n": 3}

DICT_CHANGES: dict[str, Callable[[Any], object]] = {
    "set": lambda d: d.__setitem__("q", 1),
    "delete": lambda d: d.__delitem__("q"),
    "ior": lambda d: d.__ior__({"a": 1}),
    "update": lambda d: d.update(a=1),
    "pop": lambda d: d.pop("q"),
    "pop default": lambda d: d.pop("zzz", None),
    "popitem": lambda d: d.popitem(),
    "clear": lambda d: d.clear(),
    "setdefault": lambda d: d.setdefault("q", 1),
    "attribute": lambda d: setattr(d, "extra", 1),
}
LIST_CHANGES: dict[str, Callable[[Any], object]] = {
    "set": lambda v: v.__setitem__(0, 1),
    "set slice": lambda v: v.__setitem__(slice(0, 1), [1]),
    "delete": lambda v: v.__delitem__(0),
    "iadd": lambda v: v.__iadd__([1]),
    "imul": lambda v: v.__imul__(2),
    "append": lambda v: v.append(1),
    "extend": lambda v: v.extend([1]),
    "insert": lambda v: v.insert(0, 1),
    "remove": lambda v: v.remove(1),
    "pop": lambda v: v.pop(),
    "clear": lambda v: v.clear(),
    "sort": lambda v: v.sort(),
    "reverse": lambda v: v.reverse(),
    "attribute": lambda v: setattr(v, "extra", 1),
}


class Point(NamedTuple):
    x: Any
    y: Any


@pytest.mark.parametrize("change", DICT_CHANGES.values(), ids=DICT_CHANGES)
def test_a_frozen_dict_refuses_every_change(change: Callable[[Any], object]) -> None:
    frozen = deep_freeze(PAYLOAD)

    with pytest.raises((TypeError, AttributeError), match=r"frozen value|no attribute"):
        change(frozen)

    assert frozen == PAYLOAD


@pytest.mark.parametrize("change", LIST_CHANGES.values(), ids=LIST_CHANGES)
def test_a_frozen_list_refuses_every_change(change: Callable[[Any], object]) -> None:
    frozen = deep_freeze([3, 1, 2])

    with pytest.raises((TypeError, AttributeError), match=r"frozen value|no attribute"):
        change(frozen)

    assert frozen == [3, 1, 2]


def test_the_refusal_says_why_before_its_first_period() -> None:
    with pytest.raises(TypeError) as refused:
        deep_freeze({})["a"] = 1

    said = str(refused.value).split(".", maxsplit=1)[0]
    assert said == "This payload belongs to a frozen value and cannot be mutated in place"
    assert "dataclasses.replace" in str(refused.value)


def test_a_second_init_changes_nothing() -> None:
    frozen: Any = FrozenDict[str, int](a=1)
    items: Any = FrozenList([1])

    frozen.__init__(a=2)
    items.__init__([2])

    assert (frozen, items) == ({"a": 1}, [1])


def test_freezing_reaches_every_level_and_copies() -> None:
    original: Any = copy.deepcopy(PAYLOAD)

    frozen = deep_freeze(original)
    original["filters"]["tags"].append("deep")

    assert frozen == PAYLOAD
    assert type(frozen["filters"]) is FrozenDict
    assert type(frozen["filters"]["tags"]) is FrozenList


@pytest.mark.parametrize(
    "item",
    [{"role": "user"}, {"blocks": [{"text": "a"}]}, {"seen": {"at": [1]}, "by": {1}}, {}],
    ids=["flat", "of lists", "of all kinds", "empty"],
)
def test_each_of_many_dicts_is_frozen_like_one(item: dict[str, Any]) -> None:
    many = deep_freeze([item] * 20)

    assert list(map(pickle.dumps, many)) == [pickle.dumps(deep_freeze(item))] * 20


def test_what_is_frozen_comes_back_as_it_is() -> None:
    frozen, items = deep_freeze(PAYLOAD), deep_freeze([[1]])

    assert deep_freeze(frozen) is frozen
    assert deep_freeze(items) is items
    assert deep_freeze({"in": frozen})["in"] is frozen


@pytest.mark.parametrize(
    "mapping",
    [MappingProxyType({"a": [1]}), UserDict({"a": [1]}), OrderedDict({"a": [1]})],
    ids=["proxy", "user dict", "ordered dict"],
)
def test_any_mapping_becomes_a_frozen_dict(mapping: Any) -> None:
    frozen = deep_freeze(mapping)

    assert (type(frozen), type(frozen["a"])) == (FrozenDict, FrozenList)


def test_a_list_inside_a_tuple_is_frozen_and_the_tuple_keeps_its_type() -> None:
    plain, named = deep_freeze(([1], 2)), deep_freeze(Point([1], 2))

    assert type(plain[0]) is FrozenList
    assert type(named) is Point
    assert type(named.x) is FrozenList


def test_a_tuple_with_nothing_to_freeze_comes_back_as_it_is() -> None:
    settled = (1, "a", (2, None))

    assert deep_freeze(settled) is settled


def test_a_set_becomes_a_frozenset_and_other_objects_stay() -> None:
    marker = object()

    assert deep_freeze([{1, 2}, marker]) == [frozenset({1, 2}), marker]


@pytest.mark.parametrize("knot", [[0], [{} for _ in range(20)]], ids=["itself", "in dicts"])
def test_a_payload_that_contains_itself_is_a_value_error(knot: list[Any]) -> None:
    knot[0] = {"knot": knot}

    with pytest.raises(ValueError, match="contains itself"):
        deep_freeze(knot)


def test_a_frozen_payload_writes_the_bytes_of_the_plain_one() -> None:
    assert json.dumps(deep_freeze(PAYLOAD)) == json.dumps(PAYLOAD)


CLONES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda v: pickle.loads(pickle.dumps(v)),  # noqa: S301 - our own bytes
    "method": lambda v: v.copy(),
}


@pytest.mark.parametrize("clone", CLONES.values(), ids=CLONES)
@pytest.mark.parametrize("payload", [PAYLOAD, [PAYLOAD, [1]]], ids=["dict", "list"])
def test_every_copy_is_equal_and_frozen(clone: Callable[[Any], Any], payload: Any) -> None:
    frozen = deep_freeze(payload)

    assert clone(frozen) == payload
    assert type(clone(frozen)) is type(frozen)


def test_deepcopy_copies_the_live_objects_inside() -> None:
    class Live: ...

    frozen = deep_freeze({"live": [Live()]})

    assert copy.deepcopy(frozen)["live"][0] is not frozen["live"][0]


def test_operators_give_frozen_values() -> None:
    merged = FrozenDict(a=1) | {"b": [1]}
    longer: Any = FrozenList[Any]([1]) + [[2]]  # noqa: RUF005 - the operator is what is tested

    assert (type(merged), type(merged["b"])) == (FrozenDict, FrozenList)
    assert (type(longer), type(longer[1])) == (FrozenList, FrozenList)
    assert type(longer * 2) is FrozenList


def test_operators_refuse_foreign_operands_like_the_plain_types() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = FrozenDict(a=1) | [1]
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = FrozenList([1]) + 1


def test_fromkeys_gives_a_frozen_dict() -> None:
    keys = FrozenDict.fromkeys("ab", [])

    assert (keys, type(keys["a"])) == ({"a": [], "b": []}, FrozenList)


def test_the_builtin_constructors_give_editable_copies() -> None:
    editable, items = dict(deep_freeze(PAYLOAD)), list(deep_freeze([1]))

    editable["q"] = "squid"
    items.append(2)

    assert (editable["q"], items) == ("squid", [1, 2])


def test_frozen_containers_are_as_unhashable_as_their_bases() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(deep_freeze({}))
