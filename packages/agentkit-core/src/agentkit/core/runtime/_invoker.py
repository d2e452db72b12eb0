"""What runs model calls and tool calls through their middlewares."""

import warnings
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

from agentkit.core.contracts._checks import shown
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
from agentkit.core.runtime._checks import check_has, check_several
from agentkit.core.runtime._response import ResponseStream
from agentkit.core.runtime._tool_progress import progress_here, tool_call
from agentkit.core.serialization._kinds import is_a

__all__ = ["Invoker"]


class Invoker:
    """Runs the two kinds of work, each through its own chain of middlewares, outermost first.

    Cancelling the run's token interrupts a model call or a tool call in flight.

    Raises:
        TypeError: *llm* is no `LLMPort`, or the middlewares are no list of them.

    """

    __slots__ = ("_chat", "_tool", "_unchecked", "chat_middleware", "llm", "tool_middleware")

    def __init__(
        self,
        *,
        llm: LLMPort,
        chat_middleware: Sequence[Middleware | BaseMiddleware] = (),
        tool_middleware: Sequence[Middleware | BaseMiddleware] = (),
    ) -> None:
        check_has("llm", llm, "stream")
        self.llm: LLMPort = llm
        self.chat_middleware: tuple[Middleware | BaseMiddleware, ...] = check_several(
            "chat_middleware", chat_middleware
        )
        self.tool_middleware: tuple[Middleware | BaseMiddleware, ...] = check_several(
            "tool_middleware", tool_middleware
        )
        self._chat: Handler = chain(self.chat_middleware, self._ask_model)
        self._tool: Handler = chain(self.tool_middleware, _run_tool)
        self._unchecked = not any(getattr(m, "charges", False) for m in self.chat_middleware)

    def stream(
        self, request: ChatRequest, ctx: Any, *, meta: Mapping[str, Any] | None = None
    ) -> AsyncIterator[Delta]:
        """Give the response to *request* in increments; close the iterator to let go of it early.

        *meta* is copied into the call. It raises what the model and the middlewares raise, and is
        read once.

        Raises:
            TypeError: *request* is no `ChatRequest`, *ctx* no run's context, or *meta* no dict.

        """
        call = self._chat_call(request, ctx, meta)
        return ResponseStream(partial(self._chat, call))

    async def chat(
        self, request: ChatRequest, ctx: Any, *, meta: Mapping[str, Any] | None = None
    ) -> LLMResult:
        """Give what `stream` adds up to; it raises the same."""
        call = self._chat_call(request, ctx, meta)
        result: LLMResult = await collect(self._chat(call), "chat")
        return result

    async def invoke_tool(
        self, request: ToolRequest, ctx: Any, *, meta: Mapping[str, Any] | None = None
    ) -> Any:
        """Give what the tool gives; it raises what the tool and the middlewares raise.

        Raises:
            TypeError: *request* is no `ToolRequest` with a tool that runs, *ctx* no run's context,
                or *meta* no dict.

        """
        _check(request, ToolRequest, ctx)
        if not callable(getattr(request.tool, "run", None)):
            raise TypeError(f"a ToolRequest's tool has run(); got {shown(request.tool)}")
        call = Call("tool", request, ctx, _copied(meta))
        with tool_call():
            return await collect_one(self._tool(call))

    def _chat_call(self, request: ChatRequest, ctx: Any, meta: Mapping[str, Any] | None) -> Call:
        _check(request, ChatRequest, ctx)
        if self._unchecked and _has_ceiling(getattr(ctx, "budget", None)):
            self._unchecked = False
            warnings.warn(_NO_METER, UserWarning, stacklevel=3)
        return Call("chat", request, ctx, _copied(meta))

    def _ask_model(self, call: Call) -> AsyncIterator[Delta]:
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
        return stream if token is None else _interruptible(stream, token)


_NO_METER = (
    "the run's budget has a ceiling, but no chat middleware charges it; add meter(), "
    "or nothing will ever reach the ceiling"
)


def _check(request: object, kind: type, ctx: object) -> None:
    if not isinstance(request, kind):
        raise TypeError(f"what is asked is a {kind.__name__}; got {shown(request)}")
    if not hasattr(ctx, "cancel"):
        raise TypeError(
            f"a call belongs to a run: pass its context, of run_context(llm=...); got {shown(ctx)}"
        )


def _copied(meta: Mapping[str, Any] | None) -> dict[str, Any]:
    if meta is None:
        return {}
    if not is_a(meta, Mapping):
        raise TypeError(f"meta is a dict; got {shown(meta)}")
    return dict(meta)


def _has_ceiling(budget: Any) -> bool:
    return budget is not None and (budget.max_cost_usd is not None or budget.max_calls is not None)


async def _interruptible(
    stream: AsyncIterator[Delta], token: CancellationSignal
) -> AsyncIterator[Delta]:
    step = interrupt_on(token, lasting=True)
    try:  # noqa: PLR1702 - steps, of a stream that is closed: a call for each costs more
        async with closing(stream) as deltas:
            while True:
                with step:
                    delta = await anext(deltas, None)
                if delta is None:
                    return
                yield delta
    finally:
        step.forget()


async def _run_tool(call: Call) -> AsyncIterator[Any]:
    request: ToolRequest = call.request
    progress = progress_here()
    with interrupt_on(call.ctx.cancel):
        if progress is not None:
            progress.is_begun = True
        result = await request.tool.run(request.arguments, call.ctx)
    yield result
