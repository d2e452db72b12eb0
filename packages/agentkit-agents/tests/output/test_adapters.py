"""Declared outputs: what each adapter describes, takes and refuses."""

import enum
import json
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import attrs
import pytest
from pydantic import BaseModel, Field

from agentkit.agents.output import OutputCoercionError, SchemaAdapter, adapt


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Part:
    name: str
    color: Color = Color.RED


@dataclass
class Machine:
    title: str
    parts: list[Part]
    built: date | None = None
    size: tuple[int, int] = (1, 1)
    kind: Literal["old", "new"] = "new"
    tags: set[str] = field(default_factory=set[str])
    spare: "Machine | None" = None


@attrs.define
class Crate:
    title: str
    weight: float = 1.0
    parts: list[Part] = attrs.Factory(list[Part])


class Article(BaseModel):
    title: str
    body: str
    author: Part | None = None
    mood: str = Field(default="calm", alias="theMood")


MACHINE = Machine("m", [Part("p", Color.BLUE)], date(2026, 1, 2), (3, 4), "old", {"a"}, None)
SCHEMA = {
    "title": "Sum",
    "type": "object",
    "properties": {"total": {"type": "integer"}},
    "required": ["total"],
}

ALL = pytest.mark.parametrize(
    ("output", "answer"),
    [
        (Article, {"title": "t", "body": "b"}),
        (Machine, {"title": "t", "parts": [{"name": "p"}]}),
        (Crate, {"title": "t"}),
        (SCHEMA, {"total": 3}),
    ],
    ids=["pydantic", "dataclass", "attrs", "json-schema"],
)


@ALL
def test_every_adapter_is_a_schema_adapter(output: Any, answer: Any) -> None:
    assert isinstance(adapt(output), SchemaAdapter)
    assert adapt(output).parse(answer) is not None


@ALL
def test_what_is_serialised_is_parsed_back_equal(output: Any, answer: Any) -> None:
    adapter = adapt(output)
    value = adapter.parse(answer)

    assert adapter.parse(json.dumps(adapter.serialize(value))) == value
    assert adapter.validate(value) == value


@ALL
@pytest.mark.parametrize(
    "fenced",
    ["```json\n{}\n```", "```\n{}\n```", "Here it is:\n```JSON\n{}\n```\nDone.", "\n {} \n"],
)
def test_a_markdown_fence_is_stripped_by_every_adapter(
    output: Any, answer: Any, fenced: str
) -> None:
    adapter = adapt(output)

    assert adapter.parse(fenced.replace("{}", json.dumps(answer))) == adapter.parse(answer)


@ALL
@pytest.mark.parametrize("raw", ["", "no json", "[1]", '"text"', "{", "NaN", '{"total": NaN}'])
def test_what_is_no_object_is_one_typed_error(output: Any, answer: Any, raw: str) -> None:
    assert answer
    with pytest.raises(OutputCoercionError) as caught:
        adapt(output).parse(raw)

    assert caught.value.raw == raw
    assert caught.value.errors


@ALL
def test_the_complete_text_glimpsed_agrees_with_it_parsed(output: Any, answer: Any) -> None:
    adapter = adapt(output)

    assert adapter.partial_parse(json.dumps(answer)) == adapter.parse(answer)


@ALL
def test_a_glimpse_never_raises(output: Any, answer: Any) -> None:
    adapter, text = adapt(output), json.dumps(answer)

    for end in range(len(text)):
        adapter.partial_parse(text[:end])
        adapter.partial_parse(text[end:])


def test_a_fence_inside_a_string_is_left_alone() -> None:
    raw = json.dumps({"title": "```\n{}\n```", "body": "b"})

    assert adapt(Article).parse(raw).title == "```\n{}\n```"


def test_a_pydantic_glimpse_tells_what_has_arrived() -> None:
    partial = adapt(Article).partial_parse('{"title": "Octopus cogn')

    assert partial is not None
    assert partial.model_fields_set == {"title"}
    assert partial.title == "Octopus cogn"


def test_a_nested_model_is_glimpsed_as_a_model_too() -> None:
    class Outer(BaseModel):
        inner: Article

    partial = adapt(Outer).partial_parse('{"inner": {"body": "x')

    assert partial is not None
    assert partial.inner.model_fields_set == {"body"}


@pytest.mark.parametrize("output", [Machine, Crate])
def test_a_field_that_has_not_arrived_is_absent(output: type) -> None:
    partial = adapt(output).partial_parse("{")

    assert partial is not None
    assert getattr(partial, "title", None) is None
    with pytest.raises(AttributeError):
        _ = partial.title


def test_a_glimpse_has_the_defaults_applied() -> None:
    partial = adapt(Crate).partial_parse('{"title": "a')

    assert partial is not None
    assert (partial.title, partial.weight, partial.parts) == ("a", 1.0, [])


def test_an_enum_that_is_half_there_is_left_out() -> None:
    partial = adapt(Part).partial_parse('{"name": "x", "color": "bl')

    assert partial == Part("x", Color.RED)


def test_a_dataclass_reads_enums_dates_tuples_and_sets() -> None:
    adapter = adapt(Machine)

    assert adapter.parse(adapter.serialize(MACHINE)) == MACHINE


def test_a_class_may_contain_itself() -> None:
    parsed = adapt(Machine).parse({"title": "a", "parts": [], "spare": {"title": "b", "parts": []}})

    assert parsed.spare == Machine("b", [])


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ({"title": 1, "parts": []}, "title: Input should be a valid string"),
        ({"title": "t"}, "parts: required field is missing"),
        ({"title": "t", "parts": [], "x": 1}, "x: unexpected field"),
        ({"title": "t", "parts": [{"name": 1}]}, "parts[0].name: Input should be a valid string"),
        ({"title": "t", "parts": {}}, "parts: expected an array, got an object"),
        ({"title": "t", "parts": [], "size": [1]}, "size: expected an array of 2 items"),
        ({"title": "t", "parts": [], "kind": "x"}, "kind: Input should be 'old' or 'new'"),
    ],
)
def test_a_dataclass_says_where_it_does_not_fit(answer: dict[str, Any], fault: str) -> None:
    with pytest.raises(OutputCoercionError) as caught:
        adapt(Machine).parse(answer)

    assert caught.value.errors == (fault,)


def test_a_bool_is_no_integer_and_an_integer_is_a_number() -> None:
    @dataclass
    class Pair:
        count: int
        share: float

    assert adapt(Pair).parse({"count": 1, "share": 2}) == Pair(1, 2.0)
    with pytest.raises(OutputCoercionError, match="count"):
        adapt(Pair).parse({"count": True, "share": 2})


def test_a_refusal_of_the_class_itself_is_a_fault_of_the_answer() -> None:
    @dataclass
    class Even:
        n: int

        def __post_init__(self) -> None:
            if self.n % 2:
                raise ValueError("odd")

    with pytest.raises(OutputCoercionError, match="odd"):
        adapt(Even).parse({"n": 1})


def test_an_object_of_the_class_with_a_wrong_field_does_not_validate() -> None:
    with pytest.raises(OutputCoercionError, match="name"):
        adapt(Part).validate(Part(name=3))  # type: ignore[arg-type]


def test_a_json_schema_is_checked() -> None:
    with pytest.raises(OutputCoercionError, match="total: 's' is not of type 'integer'"):
        adapt(SCHEMA).parse('{"total": "s"}')


def test_a_json_schema_without_the_extra_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)

    with pytest.raises(ImportError, match=r"agentkit-agents\[jsonschema\]"):
        adapt(SCHEMA)


@pytest.mark.parametrize(
    "output", [int, list[int], "text", {"type": "array"}, {"type": "object", "required": 3}]
)
def test_an_output_that_is_none_of_the_kinds_is_refused(output: Any) -> None:
    with pytest.raises(TypeError, match=r"output|JSON Schema"):
        adapt(output)


def test_a_field_without_a_json_form_is_refused_when_adapting() -> None:
    @dataclass
    class Odd:
        thing: "Nowhere"  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(TypeError, match="cannot be found"):
        adapt(Odd)


def test_a_schema_names_the_type_and_drops_defaults_of_required_fields() -> None:
    schema = adapt(Article).json_schema()

    assert schema["required"] == ["title", "body"]
    assert "default" not in schema["properties"]["title"]


def test_a_dataclass_schema_takes_no_other_fields() -> None:
    schema = adapt(Machine).json_schema()

    assert schema["additionalProperties"] is False
    assert schema["properties"]["parts"]["items"] == {"$ref": "#/$defs/Part"}
    assert schema["properties"]["kind"]["enum"] == ["old", "new"]


def test_a_name_can_be_given() -> None:
    assert adapt(Article, name="Story").name == "Story"
    assert adapt(SCHEMA).name == "Sum"
    assert adapt(Article).python_type is Article


def test_attrs_is_recognised_without_being_imported() -> None:
    probe = "import sys, agentkit.agents; print('attr' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
