"""What is refused when a tool is defined, before any model is offered it."""

import asyncio
import functools
import math
from collections.abc import AsyncIterator, Iterator
from typing import Any, TypedDict, Unpack

import pytest

from agentkit.agents import FunctionTool, tool
from agentkit.agents.tools import (
    ToolArgumentError,
    ToolDefinitionError,
    ToolRegistry,
    render_result,
)
from agentkit.core.testing import FakeTool

ABOUT = "Does what the test that made it wants done."


def made(fn: Any, name: str | None = "t") -> FunctionTool:
    return tool(side_effecting=False, name=name, description=ABOUT)(fn)


def called(a_tool: FunctionTool, **args: Any) -> Any:
    return asyncio.run(a_tool.run(args, None))


BAD = ["", "a b", "a\n", "é", "a.b", "x" * 65, "a/b"]


@pytest.mark.parametrize("name", BAD, ids=repr)
def test_a_name_that_a_provider_would_refuse_is_refused_at_once(name: str) -> None:
    with pytest.raises(ToolDefinitionError, match="1 to 64 of"):
        made(abs, name)


@pytest.mark.parametrize("name", BAD, ids=repr)
def test_a_foreign_tool_with_such_a_name_is_not_registered(name: str) -> None:
    with pytest.raises(ToolDefinitionError, match="1 to 64 of"):
        ToolRegistry.from_tools([FakeTool(name)])


@pytest.mark.parametrize("name", ["a", "A-b_9", "x" * 64])
def test_a_name_that_every_provider_takes_is_kept(name: str) -> None:
    assert made(lambda: 1, name).name == name


def test_a_function_without_a_name_is_to_be_given_one() -> None:
    with pytest.raises(ToolDefinitionError, match="give it a name="):
        made(lambda: 1, None)


def generator() -> Iterator[int]:
    yield 1


async def async_generator() -> AsyncIterator[int]:
    yield 1


class Calls:
    """An object that is called."""

    def __call__(self) -> Iterator[int]:
        yield 1


@pytest.mark.parametrize(
    "fn", [generator, async_generator, functools.partial(generator), Calls()], ids=str
)
def test_a_generator_function_is_no_tool(fn: Any) -> None:
    with pytest.raises(ToolDefinitionError, match="return a list"):
        made(fn)


@pytest.mark.parametrize("fn", [generator, async_generator])
def test_a_generator_that_is_returned_is_a_fault_of_the_tool(fn: Any) -> None:
    with pytest.raises(TypeError, match="returned a generator"):
        called(made(lambda: fn()))  # noqa: PLW0108 - the function itself is no tool


def rest_of(a: int, **rest: int) -> dict[str, int]:
    return {"a": a, **rest}


def test_other_keywords_are_checked_and_advertised_by_their_type() -> None:
    a_tool = made(rest_of)

    assert a_tool.schema is not None
    assert a_tool.schema.parameters["additionalProperties"] == {"type": "integer"}
    assert called(a_tool, a=1, b=2) == {"a": 1, "b": 2}
    with pytest.raises(ToolArgumentError, match="b: Input should be a valid integer"):
        called(a_tool, a=1, b="text")


class Options(TypedDict, total=False):
    """Keywords that differ."""

    depth: int


def unpacked(**rest: Unpack[Options]) -> Any:
    return rest


def bare(**rest: Any) -> Any:
    return rest


@pytest.mark.parametrize("fn", [unpacked, bare])
def test_other_keywords_without_one_type_are_taken_as_they_are(fn: Any) -> None:
    a_tool = made(fn)

    assert a_tool.schema is not None
    assert a_tool.schema.parameters["additionalProperties"] is True
    assert called(a_tool, depth=1, b=[1]) == {"depth": 1, "b": [1]}


def doubled(data: bytes) -> bytes:
    return data * 2


def test_bytes_are_base64_on_the_way_in_and_out() -> None:
    result = called(made(doubled), data="/w==")

    assert result == b"\xff\xff"
    assert render_result(result) == '"//8="'


@pytest.mark.parametrize("data", ["not base64!", 3, math.pi])
def test_bytes_that_are_no_base64_are_refused(data: Any) -> None:
    with pytest.raises(ToolArgumentError, match="base64"):
        called(made(doubled), data=data)
