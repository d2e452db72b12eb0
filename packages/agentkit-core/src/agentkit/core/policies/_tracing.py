"""Tracing: one span per call, however it is wrapped and however it ends."""

from collections.abc import AsyncIterator
from typing import Any

from agentkit.core.contracts.middleware import Call, Handler, Middleware, closing
from agentkit.core.policies._calls import SPAN, Once
from agentkit.core.policies._watch import CallWatch
from agentkit.core.runtime._checks import check_flags
from agentkit.core.telemetry import NoopMetrics, NoopTrace

__all__ = ["tracing"]


def tracing(*, record_content: bool = True) -> Middleware:
    """Give a middleware that puts each call into exactly one span, with its usage and its end.

    It belongs outermost, so that refusals, cache hits and retries land in the span. Without
    *record_content* neither events nor replay records hold what was said, nor does a failure's
    text, which may quote it; counts, names and types stay. Nothing that a tracer, sampler,
    metrics or replay store raises reaches the call; each failure is counted, as
    `agentkit.trace.error.count` and so on.

    Raises:
        TypeError: *record_content* is no bool.

    """
    check_flags(record_content=record_content)
    return _Tracing(record_content=record_content)


class _Tracing:
    def __init__(self, *, record_content: bool) -> None:
        self._record_content = record_content
        self._once = Once()

    def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        outer = call.meta.get(SPAN)
        if outer is not None:
            self._warn_if_over(outer)
            return nxt(call)
        if isinstance(call.ctx.trace, NoopTrace) and isinstance(call.ctx.metrics, NoopMetrics):
            return nxt(call)  # nobody watches
        return self._watched(call, nxt)

    async def _watched(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        watch = CallWatch(call, record_content=self._record_content)
        call.meta[SPAN] = watch
        await watch.open()
        keep, silent = watch.keep, True
        try:
            async with closing(nxt(call)) as inner:
                async for item in inner:
                    keep(item)
                    silent = silent and watch.is_silent(item)
                    yield item
        except BaseException as exc:
            await watch.end(exc)
            raise
        await watch.end(None)

    def _warn_if_over(self, outer: Any) -> None:
        """A policy outside of this one repeats the call: say that only its first run has a span."""
        if getattr(outer, "is_over", False):
            self._once.warn(
                "tracing",
                "tracing() is inside a middleware that repeats calls, so only the first attempt "
                "has a span; put tracing() first in the chain",
            )
