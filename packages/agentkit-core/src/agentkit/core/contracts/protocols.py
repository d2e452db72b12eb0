"""Shapes that layers pass to each other and that are no seams to the outside.

They exist so that a layer can name what it needs without importing what sits above it.
"""

from asyncio import Semaphore
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Literal, Protocol, runtime_checkable

from agentkit.core.contracts.observation import TracePort
from agentkit.core.contracts.ports import StorePort
from agentkit.core.contracts.types import Message, Scope

__all__ = [
    "AutonomyLevel",
    "CancellationSignal",
    "Compactor",
    "Ctx",
    "SchemaAdapter",
    "UrlGuard",
]

AutonomyLevel = Literal["auto", "gated", "manual"]
"""How much a run may do without asking."""


@runtime_checkable
class Ctx(Protocol):
    """The slice of a run's context that capabilities and agents read."""

    @property
    def correlation_id(self) -> str:
        """The run's id."""
        ...

    @property
    def scope(self) -> Scope:
        """The tenant."""
        ...

    @property
    def autonomy(self) -> AutonomyLevel:
        """How much the run may do without asking."""
        ...

    @property
    def trace(self) -> TracePort:
        """Where spans go."""
        ...

    @property
    def invoker(self) -> Any:
        """What runs model and tool calls, or None."""
        ...

    @property
    def store(self) -> StorePort | None:
        """The key-value store, or None."""
        ...

    @property
    def checkpointer(self) -> Any:
        """What saves the run's state, or None."""
        ...

    def check_cancelled(self) -> None:
        """Raise `Cancelled` if the run is cancelled or past its deadline."""
        ...

    def semaphore(self) -> Semaphore:
        """Give the pool that bounds fan-out at this depth."""
        ...

    def child(self) -> "Ctx":
        """Give the context of a child run, one level deeper.

        Raises:
            MeterExceeded: The run may not go deeper.

        """
        ...

    async def emit(
        self,
        kind: str,
        render: str = "",
        *,
        payload: Any = None,
        agent: str = "",
        parent_id: str | None = None,
    ) -> None:
        """Tell the observer; nothing it raises arrives here."""
        ...


@runtime_checkable
class SchemaAdapter(Protocol):
    """A declared output type: describes itself, parses an answer, and one that still arrives."""

    @property
    def name(self) -> str:
        """The output's name."""
        ...

    @property
    def python_type(self) -> type:
        """The type of what `parse` gives."""
        ...

    def json_schema(self) -> dict[str, Any]:
        """Give the JSON Schema that a model is shown."""
        ...

    def parse(self, raw: str | dict[str, Any]) -> Any:
        """Give the object in *raw*.

        Raises:
            OutputCoercionError: *raw* is no JSON, or does not fit.

        """
        ...

    def partial_parse(self, raw: str) -> Any | None:
        """Give what can be told of an object whose text is still arriving, or None.

        It never raises. Required fields may be unset, so look before reading one.
        """
        ...

    def serialize(self, value: Any) -> dict[str, Any]:
        """Give *value* as JSON that `parse` gives back."""
        ...

    def validate(self, value: Any) -> Any:
        """Give *value* if it is a valid object of the type.

        Raises:
            OutputCoercionError: It is not.

        """
        ...


@runtime_checkable
class Compactor(Protocol):
    """Makes a transcript shorter."""

    async def compact(self, messages: list[Message], ctx: Ctx) -> list[Message]:
        """Give a transcript to send instead of *messages*; a tool's result never loses its call."""
        ...


@runtime_checkable
class UrlGuard(Protocol):
    """Decides which addresses a tool may reach."""

    def check_url(self, url: str) -> Awaitable[None]:
        """Return, when awaited, if *url* may be reached; what needs no waiting may raise at once.

        Raises:
            EgressDenied: It may not.

        """
        ...


@runtime_checkable
class CancellationSignal(Protocol):
    """A request to stop, shared down a run tree."""

    @property
    def is_cancelled(self) -> bool:
        """Whether the run is to stop: cancelled, or past its deadline."""
        ...

    @property
    def reason(self) -> str | None:
        """Why, or None while it is not cancelled."""
        ...

    @property
    def deadline(self) -> datetime | None:
        """When the run is to stop by itself, with a time zone, or None."""
        ...

    def cancel(self, reason: str = "run cancelled") -> None:
        """Ask the run to stop; the first reason wins."""
        ...

    def check(self) -> None:
        """Raise `Cancelled` if the run is to stop."""
        ...

    async def wait(self) -> None:
        """Return once the run is to stop."""
        ...

    def add_callback(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Call *callback* on cancellation (at once if it is past), and give what unregisters it."""
        ...

    def child(self) -> "CancellationSignal":
        """Give a signal that this one cancels, and that does not cancel this one."""
        ...
