"""Middlewares written as phases: before the call, after it, on its failure, at its end."""

from collections.abc import AsyncGenerator, AsyncIterator
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

    async def _run(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        ctx = MiddlewareContext(call)
        passing = self._buffered(ctx, nxt) if self.buffers else self._streamed(ctx, nxt)
        try:
            async with closing(passing) as items:
                async for item in items:
                    yield item
        finally:
            await _settled(self.on_close(ctx), ctx)

    async def _streamed(self, ctx: MiddlewareContext, nxt: Handler) -> AsyncIterator[Any]:
        await _settled(self.on_request(ctx), ctx)
        seen: list[Any] = []
        try:
            async with closing(nxt(ctx.call)) as items:
                async for item in items:
                    seen.append(item)
                    yield item
        except Cancelled:
            raise
        except Exception as exc:
            recovered = await self._recovered(ctx, exc)
            if seen or recovered is _NOTHING:
                raise
            yield restream(recovered)
        else:
            await _settled(self.on_response(ctx, _reduced(ctx, seen)), ctx)

    async def _buffered(self, ctx: MiddlewareContext, nxt: Handler) -> AsyncIterator[Any]:
        await _settled(self.on_request(ctx), ctx)
        try:
            async with closing(nxt(ctx.call)) as items:
                result = _reduced(ctx, [item async for item in items])
        except Cancelled:
            raise
        except Exception as exc:
            recovered = await self._recovered(ctx, exc)
            if recovered is _NOTHING:
                raise
            yield restream(recovered)
        else:
            replaced = await _settled(self.on_response(ctx, result), ctx)
            yield restream(result if replaced is _NOTHING else replaced)

    async def _recovered(self, ctx: MiddlewareContext, exc: Exception) -> Any:
        return await _settled(self.on_error(ctx, exc), ctx)


def _reduced(ctx: MiddlewareContext, items: list[Any]) -> Any:
    if ctx.kind == "chat":
        return assemble_deltas(items)
    return items[-1] if items else None


async def _settled(phase: Any, ctx: MiddlewareContext) -> Any:
    """Run a phase, whichever form it has, and give what it came to."""
    if is_a(phase, AsyncGenerator):
        return await _drained(phase, ctx)
    return await phase


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
