"""A tool that answers what a test tells it to."""

import copy
import inspect
from collections.abc import Mapping
from typing import Any

from agentkit.core.contracts.types import ToolSchema

__all__ = ["FakeTool"]

_ANY_ARGUMENTS = {"type": "object", "additionalProperties": True}


class FakeTool:
    """A `ToolPort` whose *responder* is the answer, or a function of the arguments, sync or async.

    `calls` keeps a copy of the arguments of every call.
    """

    def __init__(  # noqa: PLR0913 - the knobs of a double
        self,
        name: str = "fake_tool",
        description: str = "Answers what the test that made it wants answered.",
        responder: Any = None,
        *,
        side_effecting: bool = False,
        requires_approval: bool = False,
        idempotent: bool = False,
        output_schema: Any = None,
        schema: ToolSchema | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.side_effecting = side_effecting
        self.requires_approval = requires_approval
        self.idempotent = idempotent
        self.output_schema = output_schema
        self.schema: Any = schema or ToolSchema(
            name, description, dict(parameters or _ANY_ARGUMENTS)
        )
        self.url_arg: str | None = None
        self.calls: list[dict[str, Any]] = []
        self._responder = responder

    async def run(self, args: dict[str, Any], ctx: Any) -> Any:  # noqa: ARG002 - the port's
        """Keep *args* and give the answer."""
        self.calls.append(copy.deepcopy(dict(args)))
        answer = self._responder(args) if callable(self._responder) else self._responder
        return await answer if inspect.isawaitable(answer) else answer
