"""Dataclasses to JSON and back: every kind of field, and every way that data can be wrong."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any, ClassVar, Generic, Literal, Optional, TypeVar

import pytest

from agentkit.core.serialization import (
    FrozenDict,
    FrozenList,
    canonical_json,
    deep_freeze,
    from_json,
    to_json,
)

X = TypeVar("X")


class Colour(StrEnum):
    RED = "red"


class Level(Enum):
    LOW = 1
    HIGH = 2


@dataclass(frozen=True)
class Leaf:
    name: str
    count: int = 0


@dataclass(frozen=True)
class Text:
    type: ClassVar[str] = "text"
    text: str


@dataclass(frozen=True)
class Call:
    type: ClassVar[str] = "call"
    parts: list["Part"] = field(default_factory=list["Part"])


@dataclass(frozen=True)
class Unknown:
    type: ClassVar[str] = "unknown"
    raw: dict[str, Any]


Part = Text | Call | Unknown


@dataclass(frozen=True)
class Known:
    part: Text | Call


@dataclass(frozen=True)
class Box(Generic[X]):
    content: X


@dataclass(frozen=True)
class Derived:
    base: int
    twice: int = field(init=False, default=0)


@dataclass(frozen=True)
class Positive:
    n: int

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError("n must be positive")


@dataclass(frozen=True)
class Opaque:
    cause: BaseException | None = None
    call: Callable[[], None] | None = None


@dataclass(frozen=True)
class Everything:
    flag: bool = True
    whole: int = 3
    number: float = 1.5
    text: str = "x\0\ud800"
    nothing: None = None
    data: bytes = b"\x00\xff"
    money: Decimal = Decimal("1.50")
    at: datetime = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
    colour: Colour = Colour.RED
    level: Level = Level.HIGH
    mode: Literal["on", "off", 1] = "off"
    maybe: str | None = None
    old_maybe: Optional[int] = 3  # noqa: UP045 - the other spelling
    several: str | int | bool | list[int] | None = 7
    pair: tuple[Leaf, ...] = (Leaf("a"), Leaf("b", 2))
    names: list[str] = field(default_factory=lambda: ["p", "q"])
    leaves: dict[str, Leaf] = field(default_factory=lambda: {"l": Leaf("m")})
    mapping: Mapping[str, Any] = field(default_factory=lambda: {"deep": [{"er": None}]})
    sequence: Sequence[int] = (1, 2)
    frozen: FrozenDict[str, Any] = field(default_factory=lambda: FrozenDict(a=[1]))
    items: FrozenList[Leaf] = field(default_factory=lambda: FrozenList([Leaf("z")]))
    anything: Any = None
    bare: dict = field(default_factory=lambda: {"k": [1]})  # type: ignore[type-arg]
    parts: list[Part] = field(default_factory=lambda: [Text("a"), Call([Text("b")])])


def test_every_kind_of_field_comes_back_equal() -> None:
    value = Everything(sequence=[1, 2])

    assert from_json(Everything, to_json(value)) == value


def test_what_is_made_is_plain_json_and_stays_equal_when_frozen() -> None:
    value = Everything(sequence=[1, 2])
    data = to_json(value)

    assert canonical_json(deep_freeze(data)) == canonical_json(data)
    assert from_json(Everything, deep_freeze(data)) == value


def test_frozen_hints_come_back_frozen() -> None:
    value = from_json(Everything, to_json(Everything()))

    assert (type(value.frozen), type(value.items)) == (FrozenDict, FrozenList)


def test_each_kind_has_its_json_form() -> None:
    data = to_json(Everything())

    assert (data["data"], data["money"], data["level"]) == ("AP8=", "1.50", 2)
    assert data["at"] == "2026-01-02T03:04:05.000678+00:00"
    assert data["parts"][0] == {"type": "text", "text": "a"}


def test_json_shares_nothing_with_the_value() -> None:
    value = Everything()

    to_json(value)["mapping"]["deep"].append(1)

    assert value.mapping == {"deep": [{"er": None}]}


def test_a_value_shares_nothing_with_the_json() -> None:
    data = to_json(Everything(anything=[1]))
    value = from_json(Everything, data)

    data["anything"].append(2)

    assert value.anything == [1]


def test_an_enum_where_text_may_stand_becomes_its_text() -> None:
    data = to_json(Leaf(Colour.RED))

    assert type(data["name"]) is str
    assert from_json(Leaf, data) == Leaf(Colour.RED)


def test_an_int_in_a_float_field_stays_an_int() -> None:
    data = to_json(Everything(number=2))

    assert repr(from_json(Everything, data).number) == "2"


def test_containers_of_dataclasses_are_taken_too() -> None:
    assert to_json({"a": (Leaf("x"), [1])}) == {"a": [{"name": "x", "count": 0}, [1]]}
    assert from_json(list[Leaf], [{"name": "x"}]) == [Leaf("x")]


def test_a_missing_field_takes_its_default() -> None:
    assert from_json(Leaf, {"name": "x"}) == Leaf("x")


def test_a_field_that_is_not_given_is_not_written() -> None:
    assert to_json(Derived(2)) == {"base": 2}


def test_a_type_variable_stands_for_any_json() -> None:
    assert from_json(Box, {"content": [1]}) == Box([1])


def test_an_unknown_type_goes_to_the_fallback_whole() -> None:
    parts = from_json(list[Part], [{"type": "later", "x": [1]}])

    assert parts == [Unknown({"type": "later", "x": [1]})]


def test_the_fallback_itself_comes_back_equal() -> None:
    value = Call([Unknown({"type": "later"})])

    assert from_json(Part, to_json(value)) == value


@pytest.mark.parametrize(
    ("hint", "data", "said"),
    [
        (Leaf, {"name": 1}, r"^Leaf\.name: expected str; got int$"),
        (Leaf, {"name": "x", "count": True}, r"Leaf\.count: expected int; got bool"),
        (Leaf, {"name": "x", "count": 1.0}, r"Leaf\.count: expected int; got float"),
        (Leaf, {"name": "x", "extra": 1}, "Leaf has no field 'extra'"),
        (Leaf, {}, "Leaf lacks name"),
        (Leaf, [], "expected an object for Leaf; got list"),
        (Leaf, {"name": "x", "type": "leaf"}, "Leaf has no field 'type'"),
        (Text, {"text": "x"}, "expected type 'text'; got None"),
        (Known, {"part": {"type": "later"}}, r"Known\.part: type 'later' is none of"),
        (Known, {"part": {"type": 1}}, "expected a `type` that is text; got 1"),
        (Known, {"part": "x"}, "expected a member of the union; got str"),
        (Part, {"type": "call", "parts": [{"type": "text"}]}, r"parts\[0\]: Text lacks text"),
        (Everything, {"data": "***"}, r"data: expected base64"),
        (Everything, {"data": "é"}, r"data: expected base64"),
        (Everything, {"money": "x"}, "money: expected a decimal number; got 'x'"),
        (Everything, {"money": 1}, "money: expected str; got int"),
        (Everything, {"at": "noon"}, "at: expected an ISO date and time; got 'noon'"),
        (Everything, {"colour": "blue"}, "'blue' is no Colour"),
        (Everything, {"level": 2.0}, "level: expected Level; got float"),
        (Everything, {"mode": True}, "mode: expected one of"),
        (Everything, {"number": float("nan")}, "number: expected a finite float"),
        (Everything, {"nothing": 0}, "nothing: expected None; got int"),
        (Everything, {"several": 1.5}, "several: expected a member of the union; got float"),
        (Everything, {"pair": {}}, "pair: expected a list; got dict"),
        (Everything, {"leaves": []}, "leaves: expected an object; got list"),
        (Everything, {"leaves": {"a": {}}}, r"leaves\['a'\]: Leaf lacks name"),
        (Everything, {"leaves": {1: {}}}, "leaves: expected a str as key; got int"),
        (Everything, {"anything": (1,)}, "anything: tuple is no JSON value"),
        (Positive, {"n": 0}, "Positive: n must be positive"),
        (Opaque, {"call": 1}, "call: int has no JSON form"),
    ],
)
def test_data_that_does_not_fit_is_a_value_error_that_says_where(
    hint: Any, data: Any, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        from_json(hint, data)


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (Everything(anything=(1,)), TypeError, r"^Everything\.anything: tuple is no JSON value"),
        (Everything(anything=object()), TypeError, "anything: object is no JSON value"),
        (Everything(anything=[float("nan")]), ValueError, r"anything\[0\]: the float nan"),
        (Everything(number=float("inf")), TypeError, "number: expected a finite float"),
        (Everything(whole=True), TypeError, "whole: expected int; got bool"),
        (Everything(text=b"x"), TypeError, "text: expected str; got bytes"),  # type: ignore[arg-type]
        (Everything(data="x"), TypeError, "data: expected bytes; got str"),  # type: ignore[arg-type]
        (Everything(money=1), TypeError, "money: expected Decimal; got int"),  # type: ignore[arg-type]
        (Everything(at=1), TypeError, "at: expected datetime; got int"),  # type: ignore[arg-type]
        (Everything(level=1), TypeError, "level: expected Level; got int"),  # type: ignore[arg-type]
        (Everything(pair=({},)), TypeError, r"pair\[0\]: expected Leaf; got dict"),  # type: ignore[arg-type]
        (Everything(pair=3), TypeError, "pair: expected a list or tuple"),  # type: ignore[arg-type]
        (Everything(leaves=3), TypeError, "leaves: expected a mapping"),  # type: ignore[arg-type]
        (Everything(several={}), TypeError, "several: expected a member of the union"),  # type: ignore[arg-type]
        (Everything(parts=[Leaf("a")]), TypeError, r"parts\[0\]: expected a member"),  # type: ignore[list-item]
        (Opaque(ValueError()), TypeError, "cause: ValueError has no JSON form"),
        (object(), TypeError, "object is no JSON value"),
        ({1: 2}, TypeError, "a key must be a str; got int"),
    ],
)
def test_a_value_that_has_no_json_form_names_its_field(
    value: Any, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        to_json(value)


def test_an_opaque_field_that_is_empty_passes() -> None:
    assert from_json(Opaque, to_json(Opaque())) == Opaque()


@dataclass(frozen=True)
class Ambiguous:
    either: str | bytes | None


def test_a_union_whose_members_look_alike_is_refused() -> None:
    with pytest.raises(TypeError, match="either: two members of the union look like str"):
        to_json(Ambiguous("x"))
    with pytest.raises(ValueError, match="either: two members of the union look like str"):
        from_json(Ambiguous, {"either": "x"})


def test_endless_nesting_is_a_value_error() -> None:
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]

    with pytest.raises(ValueError, match="nests too deeply"):
        to_json(deep)
    with pytest.raises(ValueError, match="nests too deeply"):
        from_json(Box, {"content": deep})
