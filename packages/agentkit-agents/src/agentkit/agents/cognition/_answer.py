"""One call of the model, as events on the way and as an answer at the end."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING, Any

from agentkit.agents.cognition._calls import blocks_with, ids_in, settled_calls
from agentkit.agents.cognition._stopped import Stopped, how_stopped, odd_word
from agentkit.agents.context import WorkingContext
from agentkit.core.contracts.errors import OutputCoercionError
from agentkit.core.contracts.middleware import closing
from agentkit.core.contracts.types import (
    ChatRequest,
    Delta,
    LLMResult,
    Message,
    StreamEvent,
    ToolSchema,
    assemble_deltas,
)

if TYPE_CHECKING:
    from agentkit.agents._agent import Agent

__all__ = ["ModelAnswer"]


class ModelAnswer:
    """The answer to one request; read `events` to their end, then ask for the rest."""

    def __init__(self, agent: "Agent", ctx: Any) -> None:
        self._agent = agent
        self._ctx = ctx
        self._deltas: list[Delta] = []
        self._misfit: OutputCoercionError | None = None
        self.result = LLMResult("")

    async def events(
        self, context: WorkingContext, tools: list[ToolSchema] | None
    ) -> AsyncGenerator[StreamEvent, None]:
        """Give a `message_delta` for each piece of text, as it arrives."""
        stream = self._ctx.invoker.stream(
            self._request(context, tools), self._ctx, meta=self._agent.call_meta()
        )
        async with closing(self._unless_misfit(stream)) as deltas:
            async for delta in deltas:
                self._deltas.append(delta)
                if delta.text or delta.partial is not None:
                    yield StreamEvent("message_delta", delta.text, partial_output=delta.partial)
        self.result = assemble_deltas(self._deltas)

    async def _unless_misfit(self, stream: AsyncIterator[Delta]) -> AsyncGenerator[Delta, None]:
        """Give *stream*; that its text does not fit is kept for later, since it may be repaired."""
        try:
            async with closing(stream) as deltas:
                async for delta in deltas:
                    yield delta
        except OutputCoercionError as exc:
            self._misfit = exc

    def message(self, context: WorkingContext) -> Message:
        """Give the answer as an assistant message whose calls have ids that *context* has not."""
        result = self.result
        calls = settled_calls(result.tool_calls, ids_in(context.messages))
        blocks = blocks_with(calls, result.blocks, result.tool_calls)
        return Message("assistant", result.content, tool_calls=calls, blocks=blocks)

    @property
    def stopped(self) -> Stopped | None:
        """What kept it from being a whole answer, or None where it is one."""
        return how_stopped(self.result)

    @property
    def why_broken(self) -> str:
        """Why its text may not fit, as the beginning of a sentence; nothing where it is whole."""
        if self.stopped is None:
            return ""
        if self.stopped == "length":
            return "the answer was cut off at the most tokens it could have: "
        return f"the answer did not end ({self.result.finish_reason}): "

    @property
    def facts(self) -> dict[str, Any]:
        """What is told of it in a run's result: an unusual reason to have stopped."""
        word = odd_word(self.result)
        return {"finish_reason": word} if word else {}

    def parsed(self) -> Any:
        """Give the typed output, or None where none is declared.

        Raises:
            OutputCoercionError: The text does not fit.
            Exception: Whatever the agent's own `parse` raises.

        """
        return self._agent.parse_output(
            self.result.content, coerced=self.result.parsed, misfit=self._misfit
        )

    def _request(self, context: WorkingContext, tools: list[ToolSchema] | None) -> ChatRequest:
        agent = self._agent
        return ChatRequest(
            messages=context.assembled(),
            model=agent.model or "",
            tools=tools,
            response_format=agent.sent_format,
            temperature=agent.temperature,
            max_tokens=agent.max_tokens,
        )
