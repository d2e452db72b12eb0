"""Middlewares written as phases: before the call, after it, on its failure, at its end."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any, ClassVar

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.middleware._call import Call, Handler, Middleware, closing, restream
from agentkit.core.contracts.middleware._context import MiddlewareContext
from agentkit.core.contracts.observation import Observation
from agentkit.core.contracts.types import assemble_deltas
from agentkit.core.serialization._kinds import is_a

__all__ = ["BaseMiddleware"]

_NOTHING: Any = object()
"""What a phase in generator form came to when it yielded no value."""


class BaseMiddleware:
    """A middleware that transforms, guards or observes; it can neither skip the call nor repeat it.

    Override any phase. Each is a coroutine, or an async generator, in which an `Observation` that
    is yielded goes to the run's observer and the last other value is what the phase returns.

    `on_request` is followed by exactly one of `on_response` and `on_error` when the call runs to
    its end, by neither when its consumer leaves early or the run is cancelled, and by `on_close`
    always.
    """

    buffers: ClassVar[bool] = False
    """Whether to collect the call first, so that `on_response` may replace its result."""

    async def on_request(self, ctx: MiddlewareContext) -> Any:
        """Act before the call: assign `ctx.request`, or raise `Blocked`; the return is ignored."""

    async def on_response(self, ctx: MiddlewareContext, result: Any) -> Any:  # noqa: ARG002 - for those who override
        """Act on a success. With `buffers` the return replaces the result, None included."""
        return result

    async def on_error(self, ctx: MiddlewareContext, exc: Exception) -> Any:  # noqa: ARG002 - for those who override
        """Act on a failure: raise, or return a result instead.

        Once output has gone out there is nothing to replace: the failure leaves whatever is
        returned.
        """
        raise exc

    async def on_close(self, ctx: MiddlewareContext) -> Any:
        """Let go of what `on_request` took; it runs last, however the call ended."""

    def as_middleware(self) -> Middleware:
        """Give this as an async generator of `(call, nxt)`."""
        return self._run

    def _run(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        scope = _Scope(self, MiddlewareContext(call), nxt)
        return self._buffered(scope) if self.buffers else self._streamed(scope)

    async def _streamed(self, scope: "_Scope") -> AsyncIterator[Any]:
        listens = not _is_inherited(self.on_response, BaseMiddleware.on_response)
        heard: deque[Any] = deque(maxlen=None if listens else 0)  # keeps nothing for nobody
        spoke = False
        async with scope:
            try:
                async for item in scope.items():
                    spoke = True
                    heard.append(item)
                    yield item
            except Cancelled:
                raise
            except Exception as exc:
                recovered = await scope.settled(self.on_error(scope.ctx, exc))
                if spoke or recovered is _NOTHING:
                    raise
                yield restream(recovered)
            else:
                if listens:
                    await scope.settled(self.on_response(scope.ctx, scope.reduced(heard)))

    async def _buffered(self, scope: "_Scope") -> AsyncIterator[Any]:
        async with scope:
            try:
                result = scope.reduced([item async for item in scope.items()])
            except Cancelled:
                raise
            except Exception as exc:
                recovered = await scope.settled(self.on_error(scope.ctx, exc))
                if recovered is _NOTHING:
                    raise
                yield restream(recovered)
            else:
                replaced = await scope.settled(self.on_response(scope.ctx, result))
                if replaced is None and scope.ctx.kind == "chat":
                    raise TypeError(
                        f"{type(self).__name__}.on_response gave no result: where `buffers` is "
                        "True, return the one that it is given, changed or not"
                    )
                yield restream(result if replaced is _NOTHING else replaced)


class _Scope:
    """One call from `on_request` to `on_close`."""

    def __init__(self, phases: BaseMiddleware, ctx: MiddlewareContext, nxt: Handler) -> None:
        self.ctx = ctx
        self._phases = phases
        self._nxt = nxt
        self._inside: closing | None = None

    async def __aenter__(self) -> None:
        try:
            await self.settled(self._phases.on_request(self.ctx))
        except BaseException:
            await self.__aexit__()
            raise

    async def __aexit__(self, *_: object) -> None:
        try:
            if self._inside is not None:
                await self._inside.__aexit__()
        finally:
            await self.settled(self._phases.on_close(self.ctx))

    def items(self) -> AsyncIterator[Any]:
        """Make the call, and give what it yields."""
        stream = self._nxt(self.ctx.call)
        self._inside = closing(stream)
        return stream

    def reduced(self, items: Sequence[Any]) -> Any:
        """Give what the *items* of the call add up to."""
        if self.ctx.kind == "chat":
            return assemble_deltas(items)
        return items[-1] if items else None

    async def settled(self, phase: Any) -> Any:
        """Run a phase, whichever form it has, and give what it came to."""
        if is_a(phase, AsyncGenerator):
            return await _drained(phase, self.ctx)
        return await phase


def _is_inherited(method: Any, original: Any) -> bool:
    return getattr(method, "__func__", None) is original


async def _drained(phase: AsyncGenerator[Any, None], ctx: MiddlewareContext) -> Any:
    value = _NOTHING
    async with closing(phase) as items:
        async for item in items:
            if isinstance(item, Observation):
                await ctx.run.emit(
                    item.kind,
                    item.render,
                    payload=item.payload,
                    agent=item.agent,
                    parent_id=item.parent_id,
                )
            else:
                value = item
    return value
