"""Types inside a declared output: each is described, read, glimpsed and written back."""

import collections.abc
import datetime as dt
import threading
import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any

import attrs
import pytest
from pydantic import AliasChoices, BaseModel, Field, RootModel, computed_field

from agentkit.agents.output import OutputCoercionError, adapt


@dataclass
class Dot:
    x: int


@dataclass
class Ring:
    radius: float


class Label(BaseModel):
    text: str = Field(validation_alias=AliasChoices("text", "caption"))


class Words(RootModel[list[str]]):
    pass


@attrs.define
class Square:
    side: int
    area: int = attrs.Factory(lambda self: self.side**2, takes_self=True)


def holding(annotation: Any) -> Any:
    """Give the adapter of a dataclass whose one field `it` is of this type."""

    class Holder:
        it: Any

    Holder.__annotations__["it"] = annotation
    return adapt(dataclass(Holder))


CASES = pytest.mark.parametrize(
    ("annotation", "plain", "value"),
    [
        (dict[str, Dot], {"a": {"x": 1}}, {"a": Dot(1)}),
        (Dot | Ring, {"radius": 2.5}, Ring(2.5)),
        (Dot | Ring | None, None, None),
        (Dot | Label, {"text": "t"}, Label(text="t")),
        (list[Dot | Ring], [{"x": 1}, {"radius": 2.0}], [Dot(1), Ring(2.0)]),
        (tuple[Dot, ...], [{"x": 1}], (Dot(1),)),
        (tuple[Dot, int], [{"x": 1}, 2], (Dot(1), 2)),
        (frozenset[int], [1, 2], frozenset({1, 2})),
        (collections.abc.Sequence[int], [1], [1]),
        (collections.abc.Mapping[str, int], {"a": 1}, {"a": 1}),
        (dict[int, str], {"1": "a"}, {1: "a"}),
        (Annotated[list[Dot], "said twice"], [{"x": 1}], [Dot(1)]),
        (Annotated[int, Field(ge=1)], 3, 3),
        (Words, ["a"], Words(["a"])),
        (Square, {"side": 3, "area": 9}, Square(3)),
        (
            dt.datetime,
            "2026-01-02T03:04:05Z",
            dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC),
        ),
        (
            uuid.UUID,
            "12345678-1234-5678-1234-567812345678",
            uuid.UUID(int=0x12345678123456781234567812345678),
        ),
        (Decimal, "1.50", Decimal("1.50")),
        (bytes, "YQ==", b"a"),
        (bytes | None, "/w==", b"\xff"),
        (Annotated[bytes, Field(max_length=3)], "abc", b"abc"),
        (Any, {"free": [1, None]}, {"free": [1, None]}),
    ],
    ids=str,
)


@CASES
def test_a_value_is_read_and_written_back(annotation: Any, plain: Any, value: Any) -> None:
    adapter = holding(annotation)

    parsed = adapter.parse({"it": plain})

    assert parsed.it == value
    assert adapter.serialize(parsed) == {"it": plain}


@CASES
def test_a_value_that_is_all_there_is_glimpsed_whole(
    annotation: Any, plain: Any, value: Any
) -> None:
    assert holding(annotation).partial_from({"it": plain}).it == value


@CASES
def test_every_type_has_a_schema(annotation: Any, plain: Any, value: Any) -> None:
    assert (plain, value) is not None
    assert "it" in holding(annotation).json_schema()["properties"]


@pytest.mark.parametrize(
    ("annotation", "plain", "fault"),
    [
        (dict[str, Dot], [1], "it: expected an object, got an array"),
        (dict[str, Dot], {"a": 1}, "it.a: expected an object, got an integer"),
        (list[Dot], "x", "it: expected an array, got a string"),
        (Dot | Ring, {"radius": "x"}, "it.radius: Input should be a valid number"),
        (Dot | Ring, None, "it: expected an object, got null"),
        (tuple[Dot, int], [{"x": 1}, "x"], "it[1]: Input should be a valid integer"),
        (Annotated[int, Field(ge=1)], 0, "it: Input should be greater than or equal to 1"),
        (Label, {}, "it.text: Field required"),
    ],
)
def test_a_fault_is_told_with_its_path(annotation: Any, plain: Any, fault: str) -> None:
    with pytest.raises(OutputCoercionError) as caught:
        holding(annotation).parse({"it": plain})

    assert fault in caught.value.errors


@pytest.mark.parametrize(
    ("annotation", "so_far", "seen"),
    [
        (dict[str, Dot], {"a": {"x": 1}, "b": 3}, {"a": Dot(1)}),
        (dict[str, Dot], [], "absent"),
        (list[int], [1, "x"], [1]),
        (list[int], {}, "absent"),
        (Dot | None, {"x": 1}, Dot(1)),
        (tuple[int, int], [1], "absent"),
        (Label, {"caption": "a"}, Label(text="a")),
        (Label, 3, "absent"),
        (Dot, 3, "absent"),
    ],
)
def test_what_makes_no_sense_yet_is_left_out(annotation: Any, so_far: Any, seen: Any) -> None:
    assert getattr(holding(annotation).partial_from({"it": so_far}), "it", "absent") == seen


def test_the_first_arm_that_could_be_it_is_glimpsed() -> None:
    partial = holding(Dot | Ring).partial_from({"it": {}})

    assert isinstance(partial.it, Dot)


def test_a_default_that_cannot_be_made_is_not_there_yet() -> None:
    def broken() -> int:
        raise OSError

    @dataclass
    class Late:
        n: int = field(default_factory=broken)

    assert not hasattr(adapt(Late).partial_parse("{"), "n")


def test_two_classes_of_one_name_are_told_apart_also_inside_models() -> None:
    class First(BaseModel):
        dot: Dot

    other: Any = dataclass(type("Dot", (), {"__annotations__": {"y": int}}))
    one: Any = dataclass(
        type("Pair", (), {"__annotations__": {"a": First, "b": other, "c": other}})
    )
    schema = adapt(one).json_schema()

    assert set(schema["$defs"]) == {"Dot", "Dot__2"}
    assert schema["properties"]["b"] == {"$ref": "#/$defs/Dot__2"}


def test_two_models_with_parts_of_one_name_keep_their_own() -> None:
    def model(kind: type) -> Any:
        part = type("Part", (BaseModel,), {"__annotations__": {"n": kind}})
        return type("Whole", (BaseModel,), {"__annotations__": {"parts": list[part]}})  # type: ignore[valid-type]

    pair: Any = type("Pair", (), {"__annotations__": {"a": model(int), "b": model(str)}})
    schema = adapt(dataclass(pair)).json_schema()
    assert schema["properties"]["b"]["properties"]["parts"]["items"]["$ref"] == "#/$defs/Part__2"
    assert schema["$defs"]["Part__2"]["properties"]["n"]["type"] == "string"


def test_a_value_that_no_arm_takes_does_not_validate() -> None:
    adapter = holding(Dot | Ring)

    with pytest.raises(OutputCoercionError):
        adapter.validate(adapter.python_type(it=object()))


class Family(BaseModel, arbitrary_types_allowed=True, extra="allow"):
    name: str
    children: list["Family"] = []
    secret: object = None

    @computed_field
    def size(self) -> int:
        return len(self.children)


def test_a_model_may_contain_itself_compute_and_take_more() -> None:
    adapter = adapt(Family)
    family = adapter.parse({"name": "a", "children": [{"name": "b"}], "pet": "cat"})

    assert adapter.serialize(family)["pet"] == "cat"
    assert "size" not in adapter.serialize(family)
    assert adapter.parse(adapter.serialize(family)) == family


def test_a_field_that_only_a_model_allows_does_not_hinder_glimpses() -> None:
    class Odd(BaseModel, arbitrary_types_allowed=True):
        n: int
        lock: threading.Event | None = None

    partial = adapt(Odd).partial_parse('{"n": 1, "lock": 3}')

    assert partial is not None
    assert partial.n == 1


@pytest.mark.parametrize("annotation", [int, Label, Words])
def test_an_object_where_json_should_be_is_a_fault(annotation: Any) -> None:
    with pytest.raises(OutputCoercionError, match="no JSON value"):
        holding(annotation).parse({"it": object()})


def test_an_adapter_is_taken_as_it_is() -> None:
    adapter = adapt(Dot)

    assert adapt(adapter) is adapter


def test_a_msgspec_struct_is_refused_by_name() -> None:
    struct = type("Point", (), {"__struct_fields__": ("x",)})

    with pytest.raises(NotImplementedError, match="Point is a msgspec struct"):
        adapt(struct)


def test_what_is_no_json_at_all_is_shown_in_the_error() -> None:
    with pytest.raises(OutputCoercionError) as caught:
        adapt(Dot).parse([object()])  # type: ignore[arg-type]
    assert "object object" in caught.value.raw
