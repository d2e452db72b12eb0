"""The core contract's methods for a client of the neutral one."""

from abc import abstractmethod
from collections.abc import AsyncIterator
from typing import Any

from agentkit.core.contracts.types import Delta, LLMResult, Message, ToolSchema
from agentkit.core.execution.bridges import LLMClientAsPort
from agentkit.models._outer_frames import OuterFrames

__all__ = ["PortMethods"]


class PortMethods:
    """Makes an `LLMClient` an `LLMPort` as well: its stream, with the same content."""

    @abstractmethod
    def _as_port(self) -> LLMClientAsPort:
        """Give the port over this client."""

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
        """Give the response in increments; see `LLMPort.stream`."""
        return self._as_port().stream(
            messages=messages,
            model=model,
            tools=tools,
            response_format=response_format,
            temperature=temperature,
            max_tokens=max_tokens,
            cache_hint=cache_hint,
        )

    async def chat(self, *, messages: list[Message], model: str, **request: Any) -> LLMResult:
        """Give what the stream of the same request adds up to; see `LLMPort.chat`."""
        with OuterFrames():
            return await self._as_port().chat(messages=messages, model=model, **request)

    async def complete(self, *, system: str, user: str, model: str, **request: Any) -> LLMResult:
        """Give the answer to one system and one user message; see `LLMPort.complete`."""
        with OuterFrames():
            return await self._as_port().complete(system=system, user=user, model=model, **request)
