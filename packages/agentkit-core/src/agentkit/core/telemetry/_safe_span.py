"""A span of a tracer that may fail: what the tracer raises stops here, and is counted."""

import contextlib
import logging
from collections.abc import AsyncGenerator
from typing import Any

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.metrics import MetricsPort
from agentkit.core.contracts.observation import TraceContext, TracePort
from agentkit.core.telemetry._failures import count_failure

__all__ = ["SafeSpan", "run_span", "span_around"]

_log = logging.getLogger(__name__)
_told: set[str] = set()  # a broken tracer is logged once per process, not once per call


class SafeSpan:
    """A span that never raises; until it is opened, and after a failure, it does nothing.

    Each failure of the tracer is counted in *metrics* as `agentkit.trace.error.count`, and the
    first of a kind in the process is logged.
    """

    __slots__ = ("_context", "_metrics", "_span", "id")

    def __init__(self, metrics: MetricsPort | None = None) -> None:
        self._metrics = metrics
        self._context: Any = None
        self._span: Any = None
        self.id: str | None = None

    async def open(self, trace: Any, name: str, *, kind: str, attrs: dict[str, Any]) -> None:
        """Open the span *name* of *trace*, whose context manager may be sync or async."""
        try:
            context = trace.span(name, kind, **attrs)
            if hasattr(context, "__enter__"):
                self._span = context.__enter__()
            else:
                self._span = await context.__aenter__()
            self._context = context
            where: TraceContext | None = trace.current_span_id()
            self.id = None if where is None else where.span_id
        except Exception as exc:  # noqa: BLE001 - a tracer must not hurt the call
            self._note("open a span", exc)

    def set(self, key: str, value: Any) -> None:
        """Set an attribute."""
        if self._span is None:
            return
        try:
            self._span.set(key, value)
        except Exception as exc:  # noqa: BLE001 - as above
            self._note("set an attribute", exc)

    def add_event(self, name: str, **fields: Any) -> None:
        """Add an event."""
        if self._span is None:
            return
        try:
            self._span.add_event(name, **fields)
        except Exception as exc:  # noqa: BLE001 - as above
            self._note("add an event", exc)

    async def close(self, failure: Exception | None) -> None:
        """End the span, as failed when there is a *failure*; what it answers is not asked."""
        context, self._context, self._span = self._context, None, None
        if context is None:
            return
        told = (None, None, None)
        if failure is not None:
            told = (type(failure), failure, failure.__traceback__)  # type: ignore[assignment]
        try:
            if hasattr(context, "__exit__"):
                context.__exit__(*told)
            else:
                await context.__aexit__(*told)
        except Exception as exc:  # noqa: BLE001 - as above
            self._note("close a span", exc)

    def _note(self, what: str, exc: Exception) -> None:
        count_failure(self._metrics, "trace", exc)
        if what not in _told:
            _told.add(what)
            _log.warning("the tracer could not %s; tracing goes on without it", what, exc_info=exc)


def run_span(
    ctx: Any, name: str, kind: str, **attrs: Any
) -> contextlib.AbstractAsyncContextManager[SafeSpan]:
    """Give `span_around` of the trace of *ctx*, counting in its metrics if it has some."""
    return span_around(ctx.trace, name, kind, metrics=getattr(ctx, "metrics", None), **attrs)


@contextlib.asynccontextmanager
async def span_around(
    trace: TracePort, name: str, kind: str, *, metrics: MetricsPort | None = None, **attrs: Any
) -> AsyncGenerator[SafeSpan, None]:
    """Give a span that ends with the block, as failed when the block fails.

    Being closed early or cancelled is no failure. What the block raises leaves as it came. What the
    tracer raises stays here, counted in *metrics*.
    """
    span = SafeSpan(metrics)
    await span.open(trace, name, kind=kind, attrs=attrs)
    failure: Exception | None = None
    try:
        yield span
    except Cancelled:
        raise
    except Exception as exc:
        failure = exc
        raise
    finally:
        await span.close(failure)
