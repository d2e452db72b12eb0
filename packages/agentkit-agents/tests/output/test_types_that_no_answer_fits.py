"""Types that no answer could ever fit are refused when they are declared; the others work."""

import dataclasses
import enum
import math
import threading
from typing import Annotated, Any, Literal

import attrs
import pytest
from pydantic import AfterValidator, BaseModel, RootModel, field_validator

from agentkit.agents.output import OutputCoercionError, adapt
from agentkit.core.contracts.errors import Cancelled


class Color(enum.Enum):
    RED = "r"
    ONE = 1


@dataclasses.dataclass
class NeedsMore:
    a: int
    c: dataclasses.InitVar[int]

    def __post_init__(self, c: int) -> None: ...


@dataclasses.dataclass(init=False)
class TakesLess:
    a: int
    b: int

    def __init__(self, a: int) -> None: ...


@attrs.define(init=False)
class NeedsOther:
    a: int

    def __init__(self, a: int, other: str) -> None: ...


class OfMembers(BaseModel):
    color: Literal[Color.RED]


class Rows(RootModel[list[int]]): ...


class Word(RootModel[str]): ...


class Maybe(RootModel[list[int] | None]): ...


class Rose(RootModel["list[Rose]"]): ...


class Chosen(RootModel[Literal["a", "b"]]): ...


class Mixed(RootModel[Literal["a", 1]]): ...


class Wrapped(RootModel[Rows]): ...


@pytest.mark.parametrize("output", [Rows, Word, Maybe, Rose, Chosen, Mixed, Wrapped])
def test_a_model_whose_json_is_never_an_object_is_refused(output: Any) -> None:
    with pytest.raises(TypeError, match=f"{output.__name__} is never written as a JSON object"):
        adapt(output)


class Table(RootModel[dict[str, int]]): ...


class Point(BaseModel):
    x: int


class Either(RootModel[Point | list[int]]): ...


class Anything(RootModel[Any]): ...


@pytest.mark.parametrize(
    ("output", "whole"), [(Table, {"x": 1}), (Either, Point(x=1)), (Anything, {"x": 1})]
)
def test_a_model_of_something_that_may_be_an_object_is_taken(output: Any, whole: Any) -> None:
    assert adapt(output).parse('{"x": 1}') == output(whole)


def test_a_model_that_cannot_be_described_says_so() -> None:
    class Odd(BaseModel, arbitrary_types_allowed=True):
        lock: threading.Event

    with pytest.raises(TypeError, match="Odd cannot be described to a model"):
        adapt(Odd).json_schema()


@pytest.mark.parametrize(
    ("output", "fault"),
    [
        (NeedsMore, r"its __init__ needs \['c'\], which are no fields"),
        (NeedsOther, r"its __init__ needs \['other'\]"),
        (TakesLess, r"its __init__ takes no \['b'\]"),
        (OfMembers, "OfMembers.color is .* which no JSON fits"),
    ],
)
def test_a_class_that_no_answer_makes_is_refused(output: Any, fault: str) -> None:
    with pytest.raises(TypeError, match=fault):
        adapt(output)


@pytest.mark.parametrize("reference", ["#/$defs/no", "#nowhere", "https://nowhere.invalid/schema"])
@pytest.mark.parametrize("part", ["properties", "$defs"])
def test_a_reference_that_leads_nowhere_is_refused(reference: str, part: str) -> None:
    schema = {"type": "object", part: {"a": {"items": [{"$ref": reference}]}}}
    schema = {**schema, "$schema": "https://json-schema.org/draft/2019-09/schema"}

    with pytest.raises(TypeError, match='nothing is at "\\$ref"'):
        adapt(schema)


def test_a_reference_to_itself_alone_is_refused() -> None:
    with pytest.raises(TypeError, match='nothing is at "\\$ref"'):
        adapt({"type": "object", "$defs": {"a": {"$ref": "#/$defs/a"}}})


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"next": {"$ref": "#"}}},
        {"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}},
        {"properties": {"a": {"const": {"$ref": "#/no"}}}},
        {"properties": {"$ref": {"type": "string"}}},
        {
            "$id": "https://x.invalid/s",
            "properties": {"a": {"$ref": "#/$defs/n"}},
            "$defs": {"n": {}},
        },
        {"properties": {"a": {"$id": "https://y.invalid/s", "$ref": "#/$defs/n"}}},
    ],
    ids=str,
)
def test_a_reference_that_leads_somewhere_is_taken(schema: dict[str, Any]) -> None:
    assert adapt({"type": "object", **schema}).json_schema()["type"] == "object"


@dataclasses.dataclass
class Defaulted:
    a: int
    c: dataclasses.InitVar[int] = 3


@dataclasses.dataclass
class Loose:
    a: int

    def __init__(self, *args: int, **rest: int) -> None:
        self.a = rest["a"]


@pytest.mark.parametrize("output", [Defaulted, Loose])
def test_a_class_that_an_answer_can_make_is_taken(output: Any) -> None:
    assert adapt(output).parse('{"a": 1}').a == 1


@dataclasses.dataclass
class Choice:
    color: Literal[Color.RED, Color.ONE, "none"]
    other: Literal[Color.RED] | None = None


@pytest.mark.parametrize(
    ("written", "choice"), [("r", Color.RED), (1, Color.ONE), ("none", "none")]
)
def test_members_of_an_enum_in_a_literal_are_read_by_their_values(
    written: Any, choice: Any
) -> None:
    adapter: Any = adapt(Choice)

    parsed = adapter.parse({"color": written, "other": "r"})

    assert parsed == Choice(choice, Color.RED)
    assert adapter.serialize(parsed) == {"color": written, "other": "r"}
    assert adapter.partial_parse('{"color": "r"').color is Color.RED


@pytest.mark.parametrize("written", ["x", True, 1.0, None])
def test_other_values_are_refused(written: Any) -> None:
    with pytest.raises(OutputCoercionError, match=r"color: expected one of \['r', 1, 'none'\]"):
        adapt(Choice).parse({"color": written})


@pytest.mark.parametrize("value", [(1, 2), ["a"], b"x", object(), math.nan], ids=repr)
def test_a_member_whose_value_has_no_json_is_refused(value: Any) -> None:
    class Odd(enum.Enum):
        PAIR = value

    odd = dataclasses.make_dataclass("odd", [("it", Literal[Odd.PAIR])])
    with pytest.raises(TypeError, match="no JSON form is known"):
        adapt(odd)


class Lenient(BaseModel):
    color: Literal[Color.RED]

    @field_validator("color", mode="before")
    @classmethod
    def _member(cls, value: str) -> Color:
        return Color(value)


def test_a_model_that_makes_the_member_itself_is_taken() -> None:
    assert adapt(Lenient).parse('{"color": "r"}').color is Color.RED


def checked_by(error: Exception) -> list[Any]:
    class Model(BaseModel):
        a: int

        @field_validator("a")
        @classmethod
        def _fails(cls, value: int) -> int:
            raise error

    @dataclasses.dataclass
    class Record:
        a: int

        def __post_init__(self) -> None:
            raise error

    return [Model, Record, dataclasses.make_dataclass("Holder", [("a", Model)])]


@pytest.mark.parametrize("which", range(3), ids=["model", "record", "nested"])
@pytest.mark.parametrize("error", [ZeroDivisionError("no"), KeyError("no"), StopIteration("no")])
def test_whatever_a_classes_own_check_raises_is_a_misfit(error: Exception, which: int) -> None:
    answer = '{"a": 1}' if which < 2 else '{"a": {"a": 1}}'

    with pytest.raises(OutputCoercionError, match=f"{type(error).__name__}: '?no"):
        adapt(checked_by(error)[which]).parse(answer)


@pytest.mark.parametrize("which", range(2), ids=["model", "record"])
def test_a_cancellation_in_a_check_passes(which: int) -> None:
    with pytest.raises(Cancelled, match="stop"):
        adapt(checked_by(Cancelled("stop"))[which]).parse('{"a": 1}')


def test_a_cancellation_in_the_check_of_an_annotation_passes() -> None:
    def stops(_: int) -> int:
        raise Cancelled("stop")

    checked = dataclasses.make_dataclass("checked", [("a", Annotated[int, AfterValidator(stops)])])
    with pytest.raises(Cancelled, match="stop"):
        adapt(checked).parse('{"a": 1}')


class Number(BaseModel):
    a: float


FREE = {"type": "object", "properties": {"a": {"type": "number"}}}


@pytest.mark.parametrize("output", [Number, FREE], ids=["model", "schema"])
@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_number_that_is_not_finite_is_no_json(output: Any, number: str) -> None:
    with pytest.raises(OutputCoercionError, match="not valid JSON"):
        adapt(output).parse(f'{{"a": {number}}}')


@pytest.mark.parametrize("bad", [math.inf, math.nan])
def test_a_decoded_object_with_one_does_not_fit_a_schema(bad: float) -> None:
    with pytest.raises(OutputCoercionError, match="no JSON value"):
        adapt(FREE).validate({"a": bad})


def test_an_answer_that_the_schema_cannot_be_tried_with_is_a_misfit() -> None:
    deep: dict[str, Any] = {}
    for _ in range(400):
        deep = {"next": deep}
    schema = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    with pytest.raises(OutputCoercionError, match="cannot be checked"):
        adapt(schema).parse(deep)
