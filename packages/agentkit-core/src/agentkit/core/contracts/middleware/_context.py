"""What a middleware's phase sees of the call it is in."""

from typing import Any

from agentkit.core.contracts.middleware._call import Call
from agentkit.core.contracts.types import Message, Operation, Scope

__all__ = ["MiddlewareContext"]


class MiddlewareContext:
    """A call as a phase sees it: read anything, write `request`."""

    __slots__ = ("call",)

    def __init__(self, call: Call) -> None:
        self.call: Call = call

    @property
    def kind(self) -> str:
        """`chat` or `tool`."""
        return self.call.kind

    @property
    def operation(self) -> Operation:
        """What kind of work this is."""
        return Operation.MODEL_CALL if self.call.kind == "chat" else Operation.TOOL_CALL

    @property
    def request(self) -> Any:
        """The request; assign a new one to rewrite it."""
        return self.call.request

    @request.setter
    def request(self, request: Any) -> None:
        self.call.request = request

    @property
    def data(self) -> Any:
        """The messages of a model call, the arguments of a tool call."""
        return self.messages if self.call.kind == "chat" else self.call.request.arguments

    @property
    def messages(self) -> list[Message]:
        """A copy of the transcript; changing it changes nothing. Empty for a tool."""
        return list(self.call.request.messages) if self.call.kind == "chat" else []

    @property
    def prompt(self) -> str:
        """The text of the latest user message, or nothing."""
        texts = [message.content for message in self.messages if message.role == "user"]
        return texts[-1] if texts else ""

    @property
    def model(self) -> str | None:
        """The model that is asked, None for a tool."""
        return self.call.request.model if self.call.kind == "chat" else None

    @property
    def run(self) -> Any:
        """The run's context."""
        return self.call.ctx

    @property
    def budget(self) -> Any:
        """The run's budget."""
        return self.call.ctx.budget

    @property
    def scope(self) -> Scope:
        """The tenant."""
        scope: Scope = self.call.ctx.scope
        return scope

    @property
    def autonomy(self) -> str:
        """How much the run may do without asking."""
        autonomy: str = self.call.ctx.autonomy
        return autonomy

    @property
    def vector(self) -> Any:
        """The vector index, or None."""
        return self.call.ctx.vector

    @property
    def store(self) -> Any:
        """The key-value store, or None."""
        return self.call.ctx.store

    async def emit(self, kind: str, render: str = "", **payload: Any) -> None:
        """Tell the run's observer, with *payload* as the observation's payload."""
        await self.call.ctx.emit(kind, render, payload=payload or None)
