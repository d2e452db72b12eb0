"""Functions as tools: what they take, how they are run, what they may give back."""

import asyncio
import datetime as dt
import enum
import functools
import threading
import types
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast

import attrs
import pytest
from pydantic import BaseModel

from agentkit.agents import FunctionTool, tool
from agentkit.agents.tools import (
    Tool,
    ToolArgumentError,
    ToolDefinitionError,
    ToolShapeError,
    render_result,
)
from agentkit.core.contracts.ports import ToolPort
from agentkit.core.contracts.types import ToolSchema
from agentkit.core.runtime import RunContext
from agentkit.core.testing import RecordingTracer, make_test_ctx

T = TypeVar("T")
ANY: Any = None


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


class Unit(enum.Enum):
    CELSIUS = "c"
    KELVIN = "k"


class Place(BaseModel):
    city: str
    zip: int = 0


@dataclass
class Reading:
    degrees: float


@tool(side_effecting=False)
def measure(place: Place, unit: Unit = Unit.CELSIUS, digits: int | None = None) -> str:
    """Measure the temperature at a place.

    The second paragraph is shown to the model as well.
    """
    return f"{place.city} {unit.name} {digits}"


@attrs.define
class Crate:
    label: str


def made_of(fn: Callable[..., Any], **facts: Any) -> FunctionTool:
    return FunctionTool("t", fn, "A tool that a test has made.", side_effecting=False, **facts)


def test_a_decorated_function_is_a_tool_and_still_a_function() -> None:
    assert isinstance(measure, ToolPort)
    assert isinstance(measure, Tool)
    assert measure(Place(city="Rome")) == "Rome CELSIUS None"


def test_the_whole_docstring_is_the_description() -> None:
    assert "second paragraph" in measure.description


def test_side_effects_must_be_declared() -> None:
    with pytest.raises(ToolDefinitionError, match="side_effecting=True"):
        tool()
    with pytest.raises(ToolDefinitionError, match="side_effecting=True"):
        tool(len)


def test_a_description_of_a_few_words_is_refused() -> None:
    with pytest.raises(ToolDefinitionError, match="at least 30 characters"):

        @tool(side_effecting=False)
        def short() -> None:
            """Too short."""


def test_arguments_are_read_as_the_types_of_the_signature() -> None:
    args = {"place": {"city": "Rome"}, "unit": "k", "digits": 2}

    assert run(measure.run(args, None)) == "Rome KELVIN 2"


def test_the_schema_tells_types_defaults_and_what_is_required() -> None:
    assert measure.schema is not None
    parameters = measure.schema.parameters

    assert parameters["required"] == ["place"]
    assert parameters["properties"]["unit"]["enum"] == ["c", "k"]
    assert parameters["properties"]["unit"]["default"] == "c"
    assert parameters["properties"]["digits"]["type"] == "integer"
    assert parameters["additionalProperties"] is False


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (int, {"type": "integer"}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Literal["a", "b"], {"enum": ["a", "b"], "type": "string"}),
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (
            list[Literal["a", "b"]],
            {"type": "array", "items": {"enum": ["a", "b"], "type": "string"}},
        ),
    ],
)
def test_each_type_has_its_schema(annotation: Any, schema: dict[str, Any]) -> None:
    def fn(value: Any) -> None: ...

    fn.__annotations__["value"] = annotation

    made = made_of(fn).schema
    assert made is not None
    assert made.parameters["properties"]["value"] == schema


def test_a_default_is_advertised_where_it_has_a_json_form() -> None:
    def fn(
        n: int | str | None = None,
        unit: Unit = Unit.KELVIN,
        odd: int = object(),  # type: ignore[assignment]
    ) -> None: ...

    made = made_of(fn).schema
    assert made is not None
    properties = made.parameters["properties"]
    assert properties["n"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert properties["unit"]["default"] == "k"


def test_two_classes_of_one_name_keep_their_own_schema() -> None:
    def fn(one: list[Reading], other: list[Any]) -> None: ...

    other: Any = dataclass(type("Reading", (), {"__annotations__": {"x": int}}))
    fn.__annotations__["other"] = types.GenericAlias(list, (other,))
    made = made_of(fn).schema

    assert made is not None
    assert set(made.parameters["$defs"]) == {"Reading", "Reading__2"}


@pytest.mark.parametrize(
    ("args", "unexpected", "missing"),
    [
        ({"place": {"city": "x"}, "q": 1}, ("q",), ()),
        ({}, (), ("place",)),
        ({"q": 1, "r": 2}, ("q", "r"), ("place",)),
    ],
)
def test_wrong_names_are_told_with_the_right_ones(
    args: dict[str, Any], unexpected: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    with pytest.raises(ToolArgumentError, match="Accepted arguments") as caught:
        run(measure.run(args, None))

    assert caught.value.tool_name == "measure"
    assert (caught.value.unexpected, caught.value.missing) == (unexpected, missing)
    assert caught.value.accepted == ("place", "unit", "digits")


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        ({"place": {"city": 1}}, "place.city: Input should be a valid string"),
        ({"place": {"city": "x"}, "digits": "3"}, "digits: Input should be a valid integer"),
        ({"place": {"city": "x"}, "unit": "f"}, "unit: Input should be 'c' or 'k'"),
    ],
)
def test_a_wrong_type_is_told_where_it_is(args: dict[str, Any], fault: str) -> None:
    with pytest.raises(ToolArgumentError) as caught:
        measure.check_arguments(args)

    assert fault in str(caught.value)


def test_a_refused_call_does_not_reach_the_function() -> None:
    calls: list[int] = []

    def keep(n: int) -> None:
        calls.append(n)

    with pytest.raises(ToolArgumentError):
        run(made_of(keep).run({"m": 1}, None))

    assert calls == []


def test_keyword_arguments_of_any_name_opt_out() -> None:
    def fn(**rest: Any) -> Any:
        return rest

    assert run(made_of(fn).run({"a": 1, "b": [2]}, None)) == {"a": 1, "b": [2]}


def test_positional_only_parameters_are_passed_by_position() -> None:
    def fn(a: int, b: int = 2, /, c: int = 3) -> list[int]:
        return [a, b, c]

    assert run(made_of(fn).run({"a": 1, "c": 9}, None)) == [1, 2, 9]


def by_name(n: int, ctx: Any) -> Any:
    return ctx


def by_type(n: int, run_ctx: RunContext) -> Any:
    return run_ctx


def by_optional_type(n: int, run_ctx: RunContext | None = None) -> Any:
    return run_ctx


def by_text(n: int, run_ctx: "NotImported.RunContext" = ANY) -> Any:  # type: ignore[name-defined]  # noqa: F821
    return cast("Any", run_ctx)


@pytest.mark.parametrize("fn", [by_name, by_type, by_optional_type, cast("Any", by_text)])
def test_the_context_is_injected_and_hidden(fn: Callable[..., Any]) -> None:
    ctx, made = make_test_ctx(), made_of(fn)

    assert made.schema is not None
    assert list(made.schema.parameters["properties"]) == ["n"]
    assert run(made.run({"n": 1}, ctx)) is ctx


def test_an_argument_called_context_with_another_type_is_an_argument() -> None:
    def fn(context: str) -> str:
        return context

    assert run(made_of(fn).run({"context": "x"}, make_test_ctx())) == "x"


def test_a_sync_function_runs_in_a_thread_of_its_own() -> None:
    def where() -> int:
        return threading.get_ident()

    assert run(made_of(where).run({}, None)) != threading.get_ident()


async def _double(n: int) -> int:
    return 2 * n


def _doubling(n: int) -> Any:
    return _double(n)


class _Callable:
    async def __call__(self, n: int) -> int:
        return 2 * n


@pytest.mark.parametrize(
    "fn",
    [_double, functools.partial(_double), _Callable(), _doubling],
    ids=["function", "partial", "object", "returns-awaitable"],
)
def test_everything_awaitable_is_awaited(fn: Callable[..., Any]) -> None:
    assert run(made_of(fn).run({"n": 2}, None)) == 4


def test_an_argument_without_a_type_takes_anything() -> None:
    def fn(value: Any) -> Any:
        return value

    del fn.__annotations__["value"]
    assert run(made_of(fn).run({"value": [1, {"a": None}]}, None)) == [1, {"a": None}]


def test_what_has_no_signature_is_refused() -> None:
    with pytest.raises(ToolDefinitionError, match="no function a tool can be made of"):
        made_of("no function")  # type: ignore[arg-type]


def test_a_starred_parameter_is_refused() -> None:
    def fn(*parts: int) -> None: ...

    with pytest.raises(ToolDefinitionError, match="take a list"):
        made_of(fn)


def test_a_type_without_a_json_form_is_refused_with_its_argument() -> None:
    def fn(lock: threading.Event) -> None: ...

    with pytest.raises(ToolDefinitionError, match="argument 'lock'"):
        made_of(fn)


def test_a_type_that_cannot_be_found_is_refused() -> None:
    def fn(thing: Any) -> None: ...

    fn.__annotations__["thing"] = "Nowhere"
    with pytest.raises(ToolDefinitionError, match="importable at run time"):
        made_of(fn)


def test_a_declared_result_is_checked() -> None:
    tracer = RecordingTracer()
    made = made_of(lambda: {"degrees": "hot"}, output_schema=Reading)

    with pytest.raises(ToolShapeError, match="something other than Reading") as caught:
        run(made.run({}, make_test_ctx(trace=tracer)))

    assert (caught.value.tool_name, caught.value.expected) == ("t", "Reading")
    assert caught.value.errors == ("degrees: Input should be a valid number",)


def test_a_result_class_in_the_signature_is_checked_too() -> None:
    def fn() -> Reading:
        return Reading("hot")  # type: ignore[arg-type]

    with pytest.raises(ToolShapeError):
        run(made_of(fn).run({}, None))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        (None, "null"),
        ({"a": [1, True]}, '{"a": [1, true]}'),
        ("\u00e9", "\u00e9"),
        (Reading(1.5), '{"degrees": 1.5}'),
        (Place(city="x"), '{"city": "x", "zip": 0}'),
        (Unit.KELVIN, '"k"'),
        (b"a", '"YQ=="'),
        (dt.date(2026, 1, 2), '"2026-01-02"'),
        ({"b", "a"}, '["a", "b"]'),
        (types.MappingProxyType({"a": 1}), '{"a": 1}'),
        ({(1, 2): 3}, "{(1, 2): 3}"),
        (Crate("x"), '{"label": "x"}'),
        ([object], "[\"<class 'object'>\"]"),
    ],
)
def test_a_result_is_rendered_as_text(value: Any, text: str) -> None:
    assert render_result(value) == text


def test_a_schema_of_the_callers_own_is_offered_as_it_is() -> None:
    own = ToolSchema("t", "Said otherwise.", {"type": "object"})
    made = FunctionTool("t", lambda: None, "Does nothing.", side_effecting=False, schema=own)

    assert made.schema is own
