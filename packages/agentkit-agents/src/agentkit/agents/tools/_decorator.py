"""The `@tool` decorator."""

import inspect
from collections.abc import Callable
from typing import Any, Final

from agentkit.agents.tools._function_tool import FunctionTool
from agentkit.core.contracts.errors import ToolDefinitionError

__all__ = ["tool"]

_SHORTEST_DESCRIPTION: Final = 30


def tool(  # noqa: PLR0913 - one keyword per fact of a tool
    fn: Callable[..., Any] | None = None,
    *,
    side_effecting: bool | None = None,
    name: str | None = None,
    description: str | None = None,
    requires_approval: bool = False,
    idempotent: bool = False,
    caps: tuple[str, ...] = (),
    url_arg: str | None = None,
    output_schema: Any = None,
) -> Callable[[Callable[..., Any]], FunctionTool]:
    """Make a function a tool: `@tool(side_effecting=False)`.

    Whether it has side effects must be said, since nothing safe can be assumed. The name is the
    function's and the description its whole docstring, unless given.

    Raises:
        ToolDefinitionError: *side_effecting* is missing, the name is none that providers take, the
            description is shorter than 30 characters, the signature cannot be described to a model,
            or the function is a generator.

    """
    if fn is not None or side_effecting is None:
        raise ToolDefinitionError(
            "say whether the tool changes anything outside: @tool(side_effecting=True) or "
            "@tool(side_effecting=False)"
        )

    def make(function: Callable[..., Any]) -> FunctionTool:
        called = (
            name
            if name is not None
            else str(getattr(function, "__name__", type(function).__name__))
        )
        return FunctionTool(
            called,
            function,
            _description_of(function, called, description),
            side_effecting,
            requires_approval=requires_approval,
            idempotent=idempotent,
            caps=caps,
            url_arg=url_arg,
            output_schema=output_schema,
        )

    return make


def _description_of(function: Callable[..., Any], name: str, given: str | None) -> str:
    text = (given if given is not None else inspect.getdoc(function) or "").strip()
    if len(text) < _SHORTEST_DESCRIPTION:
        raise ToolDefinitionError(
            f"tool {name!r} needs a description of at least {_SHORTEST_DESCRIPTION} characters, "
            f"which a model chooses it by: write a docstring; got {text!r}"
        )
    return text
