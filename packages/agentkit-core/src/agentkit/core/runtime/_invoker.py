"""What runs model calls and tool calls through their middlewares."""

import warnings
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from agentkit.core.contracts.middleware import (
    BaseMiddleware,
    Call,
    Handler,
    Middleware,
    chain,
    closing,
    collect,
    collect_one,
)
from agentkit.core.contracts.ports import LLMPort
from agentkit.core.contracts.protocols import CancellationSignal
from agentkit.core.contracts.types import ChatRequest, Delta, LLMResult, ToolRequest
from agentkit.core.execution.cancellation import interrupt_on

__all__ = ["Invoker"]


class Invoker:
    """Runs the two kinds of work, each through its own chain of middlewares, outermost first.

    Cancelling the run's token interrupts a model call or a tool call in flight.
    """

    __slots__ = ("_chat", "_tool", "_unchecked", "chat_middleware", "llm", "tool_middleware")

    def __init__(
        self,
        *,
        llm: LLMPort,
        chat_middleware: Sequence[Middleware | BaseMiddleware] = (),
        tool_middleware: Sequence[Middleware | BaseMiddleware] = (),
    ) -> None:
        self.llm: LLMPort = llm
        self.chat_middleware: tuple[Middleware | BaseMiddleware, ...] = tuple(chat_middleware)
        self.tool_middleware: tuple[Middleware | BaseMiddleware, ...] = tuple(tool_middleware)
        self._chat: Handler = chain(self.chat_middleware, self._ask_model)
        self._tool: Handler = chain(self.tool_middleware, _run_tool)
        self._unchecked = not any(getattr(m, "charges", False) for m in self.chat_middleware)

    def stream(
        self, request: ChatRequest, ctx: Any, *, meta: Mapping[str, Any] | None = None
    ) -> AsyncIterator[Delta]:
        """Give the response to *request* in increments; close the iterator to let go of it early.

        *meta* is copied into the call. It raises what the model and the middlewares raise.
        """
        if self._unchecked and _has_ceiling(getattr(ctx, "budget", None)):
            self._unchecked = False
            warnings.warn(_NO_METER, UserWarning, stacklevel=2)
        return self._chat(Call("chat", request, ctx, dict(meta or {})))

    async def chat(
        self, request: ChatRequest, ctx: Any, *, meta: Mapping[str, Any] | None = None
    ) -> LLMResult:
        """Give what `stream` adds up to."""
        result: LLMResult = await collect(self.stream(request, ctx, meta=meta), "chat")
        return result

    async def invoke_tool(
        self, request: ToolRequest, ctx: Any, *, meta: Mapping[str, Any] | None = None
    ) -> Any:
        """Give what the tool gives; it raises what the tool and the middlewares raise."""
        return await collect_one(self._tool(Call("tool", request, ctx, dict(meta or {}))))

    async def _ask_model(self, call: Call) -> AsyncIterator[Delta]:
        request: ChatRequest = call.request
        stream = self.llm.stream(
            messages=request.messages,
            model=request.model,
            tools=request.tools,
            response_format=request.response_format,
            temperature=request.temperature,
            max_tokens=request.max_tokens,
            cache_hint=request.cache_hint,
        )
        token = call.ctx.cancel
        async with closing(stream) as deltas:
            if token is None:
                async for delta in deltas:
                    yield delta
                return
            while (delta := await _next(deltas, token)) is not None:
                yield delta


_NO_METER = (
    "the run's budget has a ceiling, but no chat middleware charges it; add meter(), "
    "or nothing will ever reach the ceiling"
)


def _has_ceiling(budget: Any) -> bool:
    return budget is not None and (budget.max_cost_usd is not None or budget.max_calls is not None)


async def _next(deltas: AsyncIterator[Delta], token: CancellationSignal) -> Delta | None:
    """Give the next delta, or None at the end, unless the run is cancelled first."""
    with interrupt_on(token):
        return await anext(deltas, None)


async def _run_tool(call: Call) -> AsyncIterator[Any]:
    request: ToolRequest = call.request
    with interrupt_on(call.ctx.cancel):
        result = await request.tool.run(request.arguments, call.ctx)
    yield result
