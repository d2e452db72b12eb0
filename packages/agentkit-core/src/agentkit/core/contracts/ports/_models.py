"""The seams to what thinks and what acts: models and tools."""

from collections.abc import AsyncIterator
from typing import Any, Protocol, runtime_checkable

from agentkit.core.contracts.types import Delta, LLMResult, Message, ToolSchema

__all__ = ["LLMPort", "ToolPort"]


@runtime_checkable
class LLMPort(Protocol):
    """A chat model. `stream` is the primitive: `chat` is the collected stream."""

    def stream(
        self,
        *,
        messages: list[Message],
        model: str,
        tools: list[ToolSchema] | None = None,
        response_format: dict[str, Any] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        cache_hint: Any = None,
    ) -> AsyncIterator[Delta]:
        """Give the response in increments; the last one carries usage and the finish reason.

        *temperature* and *max_tokens* None are not sent. *tools* None advertises nothing; an empty
        list is an empty list. *cache_hint* is advice. Closing the iterator closes the connection.
        Exactly one request is made, whatever happens.

        Raises:
            ProviderError: The provider refused, failed, or ended the stream before its terminal
            mark. ProviderAuthError: It does not accept the credential. UnsupportedOption: An option
            cannot be honoured; nothing was sent.

        """
        ...

    async def chat(
        self,
        *,
        messages: list[Message],
        model: str,
        tools: list[ToolSchema] | None = None,
        response_format: dict[str, Any] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        cache_hint: Any = None,
    ) -> LLMResult:
        """Give what collecting `stream` with the same arguments gives; it raises the same."""
        ...

    async def complete(
        self,
        *,
        system: str,
        user: str,
        model: str,
        response_format: dict[str, Any] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> LLMResult:
        """Give the response to one system and one user message; it raises what `stream` raises."""
        ...


@runtime_checkable
class ToolPort(Protocol):
    """One capability that an agent can execute.

    `name` is how a call names it. `schema` is its `ToolSchema`, or None for a tool that no model is
    told about.
    """

    name: str
    schema: Any

    async def run(self, args: dict[str, Any], ctx: Any) -> Any:
        """Execute with *args* under the run *ctx* and give the result, which is JSON.

        Raises:
            ToolArgumentError: *args* are not what the tool takes; nothing was done.
            ToolShapeError: What came out is not what the tool declares.
            Exception: Whatever the tool's own work raises.

        """
        ...
