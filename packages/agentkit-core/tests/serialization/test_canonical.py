"""Canonical JSON and the hash of the content: golden values, and what must differ."""

from collections import OrderedDict, UserDict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentkit.core.serialization import canonical_json, deep_freeze, stable_hash


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


class Shade(Enum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    x: Any
    y: Any = 0
    note: str = field(default="", compare=False)


@dataclass(frozen=True)
class Place:
    x: Any
    y: Any = 0


class Model:
    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self) -> dict[str, Any]:
        return self.fields


class Other(Model): ...


class Opaque:
    __slots__ = ()


DISTINCT: list[Any] = [
    None, True, False, 0, 1, -1, 1.0, 0.5, "", "1", "True", "None", "red", "[]", (), [], {}, set(),
    (1,), [1], {1}, ((1,),), [[1]], [(1,)], ([1],), {1: "a"}, {"1": "a"}, {1: {}}, ["a", "b"],
    ["a,b"], ['a","b'], ("a", ("b",)), ("a", "b"), [["a"], "b"], {"a": 1, "b": 2}, {"a:1,b": 2},
    b"", b"1", b"a", date(2026, 1, 2), datetime(2026, 1, 2), time(1, 2), "2026-01-02",  # noqa: DTZ001
    datetime(2026, 1, 2, tzinfo=UTC), timedelta(days=1), 86400.0, Decimal("1.5"), 1.5, "1.5",
    Decimal(1), UUID(int=1), str(UUID(int=1)), PurePosixPath("a"), "a", Colour.RED, Shade.RED,
    Level.LOW, Point(1), Point((1,)), Place(1), Point(1, 1), {"x": 1, "y": 0}, Model(x=1),
    Other(x=1), {"x": 1},
]  # fmt: skip

ATOMS = st.none() | st.booleans() | st.integers() | st.text() | st.binary()
VALUES = st.recursive(
    ATOMS | st.floats(allow_nan=False, allow_infinity=False),
    lambda parts: st.lists(parts) | st.tuples(parts, parts) | st.dictionaries(ATOMS, parts),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": [1, 2.5, None], "a": True}, '{"a":true,"b":[1,2.5,null]}'),
        ("é\0\ud800", r'"\u00e9\u0000\ud800"'),
        (1e22, "1e+22"),
        ({}, "{}"),
    ],
)
def test_canonical_json_has_one_form(value: Any, text: str) -> None:
    assert canonical_json(value) == text
    assert canonical_json(deep_freeze(value)) == text


@pytest.mark.parametrize(
    ("value", "error"),
    [(float("nan"), ValueError), ([float("inf")], ValueError), (object(), TypeError)],
)
def test_canonical_json_refuses_what_json_lacks(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="JSON"):
        canonical_json(value)


def test_canonical_json_refuses_endless_nesting() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]

    with pytest.raises(ValueError, match="nests too deeply"):
        canonical_json(deep)


@pytest.mark.parametrize(
    ("value", "digest"),
    [
        (None, "dc937b59892604f5"),
        ({"b": [1, 2.0, True], "a": ("x", None)}, "b68e16d2b5c287a1"),
        ({1: {2, 3}, "1": b"ab"}, "8a3f92553867f854"),
        (
            [date(2026, 1, 2), Decimal("1.50"), UUID(int=7), PurePosixPath("a/b")],
            "530ccd04b9b29b66",
        ),
        ("é\ud800", "f7513c8eb1d86716"),
    ],
)
def test_stable_hash_is_the_same_in_every_process_and_version(value: Any, digest: str) -> None:
    assert stable_hash(value) == digest


def test_values_that_differ_in_anything_have_different_hashes() -> None:
    hashes = {stable_hash(value, length=64) for value in DISTINCT}

    assert len(hashes) == len(DISTINCT)


@given(VALUES, VALUES)
def test_equal_hashes_mean_equal_values(left: Any, right: Any) -> None:
    assert (stable_hash(left, length=64) == stable_hash(right, length=64)) == (
        _typed(left) == _typed(right)
    )


def _typed(value: Any) -> Any:
    """*value* with every type beside it, so that ``==`` does not overlook one."""
    kind = type(value).__name__
    if kind == "dict":
        return kind, frozenset((_typed(k), _typed(v)) for k, v in value.items())
    if kind in {"list", "tuple"}:
        return kind, tuple(_typed(item) for item in value)
    return kind, repr(value)


SAME: list[tuple[Any, Any]] = [
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": [1]}, deep_freeze({"a": [1]})),
    ({"a": 1}, OrderedDict(a=1)),
    ({"a": 1}, UserDict(a=1)),
    ({3, 1, 2}, frozenset({2, 3, 1})),
    (b"a", bytearray(b"a")),
    (Point(1, note="a"), Point(1, note="b")),
]


@pytest.mark.parametrize(
    ("one", "other"),
    SAME,
    ids=["order of keys", "frozen", "ordered", "mapping", "sets", "bytes", "uncompared field"],
)
def test_the_same_content_has_the_same_hash(one: Any, other: Any) -> None:
    assert stable_hash(one) == stable_hash(other)


@pytest.mark.parametrize(
    "opaque",
    [Opaque(), object(), lambda: None, [Opaque()], {"a": Opaque()}, Point(Opaque()), int, range(2)],
    ids=["slots", "object", "closure", "in list", "in dict", "in dataclass", "class", "range"],
)
def test_an_object_whose_content_cannot_be_seen_is_refused(opaque: Any) -> None:
    with pytest.raises(TypeError, match="its content cannot be seen"):
        stable_hash(opaque)


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), Decimal("NaN")])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="no number"):
        stable_hash([value])


def test_a_value_that_contains_itself_is_refused() -> None:
    knot: list[Any] = []
    knot.append(knot)

    with pytest.raises(ValueError, match="contains itself"):
        stable_hash(knot)


@pytest.mark.parametrize("length", [0, 65, -1])
def test_a_length_that_no_digest_has_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 64"):
        stable_hash(1, length=length)


def test_the_length_cuts_the_digest() -> None:
    assert stable_hash(1, length=64).startswith(stable_hash(1, length=24))
