"""The tools of one agent, by name."""

from collections.abc import Iterable
from typing import Any

from agentkit.agents.tools._names import check_tool_name
from agentkit.core.contracts.errors import ToolDefinitionError
from agentkit.core.contracts.ports import ToolPort
from agentkit.core.contracts.types import ToolSchema

__all__ = ["ToolRegistry"]


class ToolRegistry:
    """Tools by name; a name is taken once."""

    def __init__(self) -> None:
        self._tools: dict[str, ToolPort] = {}
        self._schemas: list[ToolSchema] | None = None

    @classmethod
    def from_tools(cls, tools: Iterable[ToolPort]) -> "ToolRegistry":
        """Make a registry of *tools*.

        Raises:
            ValueError: Two have one name.

        """
        registry = cls()
        for tool in tools:
            registry.register(tool)
        return registry

    def register(self, tool: Any, *, replace: bool = False) -> None:
        """Add *tool*, in place of the one with its name only if *replace*.

        Raises:
            TypeError: It is no tool, or its schema is neither a `ToolSchema` nor None.
            ToolDefinitionError: Its name is none that providers take, or it is offered as another.
            ValueError: Its name is taken.

        """
        if not isinstance(tool, ToolPort):
            raise TypeError(
                f"a tool has name, schema and run; got {tool!r} (is @tool(...) missing?)"
            )
        check_tool_name(tool.name)
        _check_offered(tool)
        if tool.name in self._tools and not replace:
            raise ValueError(f"a tool named {tool.name!r} is registered already")
        self._tools[tool.name] = tool
        self._schemas = None

    def get(self, name: str) -> ToolPort:
        """Give the tool *name*.

        Raises:
            KeyError: There is none.

        """
        return self._tools[name]

    def names(self) -> list[str]:
        """Give all names, sorted."""
        return sorted(self._tools)

    def tools(self) -> list[ToolPort]:
        """Give all tools, sorted by name."""
        return [self._tools[name] for name in self.names()]

    def schemas(self) -> list[ToolSchema]:
        """Give what is advertised, sorted by name and the same object each time."""
        if self._schemas is None:
            offered: list[Any] = [tool.schema for tool in self.tools()]
            self._schemas = [schema for schema in offered if schema is not None]
        return self._schemas

    def requires_approval(self, name: str) -> bool:
        """Say whether a person decides about each call of the tool *name*."""
        return bool(getattr(self._tools[name], "requires_approval", False))


def _check_offered(tool: ToolPort) -> None:
    """Refuse a tool whose calls would come under a name that is not its own."""
    offered = tool.schema
    if offered is None:
        return
    if not isinstance(offered, ToolSchema):
        raise TypeError(
            f"the schema of tool {tool.name!r} is a ToolSchema or None; got {offered!r}"
        )
    if offered.name != tool.name:
        raise ToolDefinitionError(
            f"tool {tool.name!r} is offered as {offered.name!r}: give its schema its own name"
        )
