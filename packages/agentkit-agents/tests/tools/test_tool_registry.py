"""The tools of one agent."""

from typing import Any

import pytest

from agentkit.agents import ToolRegistry
from agentkit.core.contracts.errors import ToolDefinitionError
from agentkit.core.contracts.types import ToolSchema
from agentkit.core.testing import FakeTool


def test_names_and_schemas_are_sorted_and_the_same_each_time() -> None:
    registry = ToolRegistry.from_tools([FakeTool("b"), FakeTool("a")])

    assert registry.names() == ["a", "b"]
    assert [schema.name for schema in registry.schemas()] == ["a", "b"]
    assert registry.schemas() is registry.schemas()


def test_a_name_is_taken_once_unless_replaced() -> None:
    registry = ToolRegistry.from_tools([FakeTool("a")])

    with pytest.raises(ValueError, match="registered already"):
        registry.register(FakeTool("a"))
    registry.register(FakeTool("a", requires_approval=True), replace=True)
    assert registry.requires_approval("a")


def test_what_is_no_tool_is_refused() -> None:
    with pytest.raises(TypeError, match="is @tool"):
        ToolRegistry.from_tools([len])  # type: ignore[list-item]


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        ToolRegistry().get("a")


def test_a_tool_without_a_schema_is_not_offered() -> None:
    hidden = FakeTool("a")
    hidden.schema = None

    assert ToolRegistry.from_tools([hidden]).schemas() == []


@pytest.mark.parametrize("offered", ["not ok!!", "", "b", "A", "x" * 65])
def test_a_tool_that_is_offered_under_another_name_is_refused(offered: str) -> None:
    with pytest.raises(ToolDefinitionError, match="'a' is offered as"):
        ToolRegistry.from_tools([FakeTool("a", schema=ToolSchema(offered))])


@pytest.mark.parametrize("schema", [{"name": "a"}, "a", ToolSchema], ids=repr)
def test_what_a_tool_offers_is_a_schema_or_nothing(schema: Any) -> None:
    with pytest.raises(TypeError, match="the schema of tool 'a' is a ToolSchema or None"):
        ToolRegistry.from_tools([FakeTool("a", schema=schema)])
