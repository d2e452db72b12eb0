"""What the tool loop reads of a tool beyond `ToolPort`."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from agentkit.core.contracts.types import ToolSchema

__all__ = ["ChecksArguments", "Tool"]


@runtime_checkable
class Tool(Protocol):
    """A tool as the loop sees it: how to offer it, how careful to be, how to run it."""

    @property
    def name(self) -> str:
        """What the model calls it."""
        ...

    @property
    def description(self) -> str:
        """What it does, for the model."""
        ...

    @property
    def schema(self) -> ToolSchema | None:
        """What is advertised; None keeps the tool out of the model's sight."""
        ...

    @property
    def output_schema(self) -> Any:
        """What it returns, as `adapt` takes it, or None when anything goes."""
        ...

    @property
    def side_effecting(self) -> bool:
        """Whether a call changes something outside."""
        ...

    @property
    def requires_approval(self) -> bool:
        """Whether a person decides about each call."""
        ...

    async def run(self, args: Mapping[str, Any], ctx: Any) -> Any:
        """Do it."""
        ...


@runtime_checkable
class ChecksArguments(Protocol):
    """A tool that can tell that arguments do not fit without running."""

    def check_arguments(self, args: Mapping[str, Any]) -> None:
        """Return if a call with *args* can be made.

        Raises:
            ToolArgumentError: It cannot.

        """
        ...
