"""The suite of TracePort."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from agentkit.core.contracts.observation import Span, TraceContext, TracePort
from agentkit.testing.suites._clause import clause, hook
from agentkit.testing.suites._samples import NOT_JSON
from agentkit.testing.suites._suite import Suite

__all__ = ["Spanned", "TraceSuite"]

VERBS = ("span", "current_span_id", "add_event_to_current_span")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spanned:
    """A span as a backend has it; *parent* is the name of the one around it."""

    name: str
    parent: str | None = None
    attrs: dict[str, Any] = field(default_factory=dict[str, Any])
    events: tuple[str, ...] = ()
    has_ended: bool = True
    has_failed: bool = False


@asynccontextmanager
async def opened(trace: TracePort, name: str, **attrs: Any) -> AsyncGenerator[Span]:
    """Open a span, whichever form of context manager it is."""
    context: Any = trace.span(name, "internal", **attrs)
    if hasattr(context, "__enter__"):
        with context as span:
            yield span
    else:
        async with context as span:
            yield span


class TraceClauses(Suite):
    """Spans nest, end with their block, and never hurt what they watch."""

    @hook
    async def spans(self) -> list[Spanned]:
        """Give every span so far, in the order in which they opened."""
        raise NotImplementedError

    @clause("TRACE-PORT-01", since="1.0")
    async def an_adapter_has_the_verbs_of_its_port(self, trace: TracePort) -> None:
        assert [verb for verb in VERBS if not callable(getattr(trace, verb, None))] == []

    @clause("TRACE-SPAN-01", since="1.0")
    async def a_span_takes_attributes_and_events(self, trace: TracePort) -> None:
        async with opened(trace, "chat", model="m") as span:
            span.set("tokens", 3)
            span.add_event("retry", attempt=2)

    @clause("TRACE-SPAN-02", since="1.0")
    async def any_value_is_taken(self, trace: TracePort) -> None:
        async with opened(trace, "", odd=object()) as span:
            for value in [None, [1, "a"], "\ud800", "x" * 100_000, *NOT_JSON]:
                span.set("key", value)
                span.add_event("event", value=value)
                trace.add_event_to_current_span("event", value=value)

    @clause("TRACE-SPAN-03", since="1.0")
    async def what_a_block_raises_leaves_as_it_came(self, trace: TracePort) -> None:
        for error in (ValueError("ours"), asyncio.CancelledError(), KeyboardInterrupt()):
            with pytest.raises(type(error)) as raised:
                await _raising(trace, error)

            assert raised.value is error

    @clause("TRACE-SPAN-04", since="1.0")
    async def a_span_that_has_ended_may_be_spoken_to(self, trace: TracePort) -> None:
        async with opened(trace, "chat") as span:
            pass

        span.set("late", 1)
        span.add_event("late")

    @clause("TRACE-SPAN-05", since="1.0", hook="spans")
    async def what_was_said_is_kept(self, trace: TracePort) -> None:
        async with opened(trace, "chat", model="m") as span:
            span.set("tokens", 3)
            span.add_event("retry", attempt=2)

        attrs = {"model": "m", "tokens": 3}
        assert await self.spans() == [Spanned(name="chat", attrs=attrs, events=("retry",))]

    @clause("TRACE-SPAN-06", since="1.0", hook="spans")
    async def spans_nest(self, trace: TracePort) -> None:
        async with opened(trace, "run"):
            async with opened(trace, "first"):
                pass
            async with opened(trace, "second"):
                pass

        parents = {span.name: span.parent for span in await self.spans()}
        assert parents == {"run": None, "first": "run", "second": "run"}

    @clause("TRACE-SPAN-07", since="1.0", hook="spans")
    async def a_span_ends_with_its_block(self, trace: TracePort) -> None:
        async with opened(trace, "chat"):
            assert [span.has_ended for span in await self.spans()] in ([], [False])

        assert [span.has_ended for span in await self.spans()] == [True]

    @clause("TRACE-SPAN-08", since="1.0", hook="spans")
    async def a_failed_block_is_a_failed_span(self, trace: TracePort) -> None:
        with pytest.raises(ValueError, match="ours"):
            await _raising(trace, ValueError("ours"))
        async with opened(trace, "well"):
            pass

        assert [span.has_failed for span in await self.spans()] == [True, False]

    @clause("TRACE-SPAN-09", since="1.0", hook="spans")
    async def tasks_have_spans_of_their_own(self, trace: TracePort) -> None:
        async def run(name: str) -> None:
            async with opened(trace, name):
                await asyncio.sleep(0)
                async with opened(trace, f"{name} inside"):
                    await asyncio.sleep(0)

        await asyncio.gather(*(run(name) for name in "abc"))
        inside = [span for span in await self.spans() if "inside" in span.name]
        assert [span.parent for span in inside] == [span.name[0] for span in inside]

    @clause("TRACE-CURRENT-01", since="1.0")
    async def outside_of_any_span_there_is_none(self, trace: TracePort) -> None:
        trace.add_event_to_current_span("nowhere", value=1)
        assert trace.current_span_id() is None

        async with opened(trace, "chat"):
            pass
        assert trace.current_span_id() is None

    @clause("TRACE-CURRENT-02", since="1.0")
    async def a_span_has_ids_of_hex_digits(self, trace: TracePort) -> None:
        async with opened(trace, "chat"):
            where = trace.current_span_id()

        assert where is None or isinstance(where, TraceContext)
        if where is not None:
            assert (len(where.trace_id), len(where.span_id)) == (32, 16)
            assert int(where.trace_id, 16) > 0 < int(where.span_id, 16)

    @clause("TRACE-CURRENT-03", since="1.0")
    async def leaving_a_span_leads_back_to_the_one_around(self, trace: TracePort) -> None:
        async with opened(trace, "run"):
            outer: Any = trace.current_span_id()
            async with opened(trace, "chat"):
                inner: Any = trace.current_span_id()

            assert trace.current_span_id() == outer
            assert outer is None or (inner != outer and inner.trace_id == outer.trace_id)

    @clause("TRACE-CURRENT-04", since="1.0", hook="spans")
    async def an_event_goes_to_the_current_span(self, trace: TracePort) -> None:
        async with opened(trace, "run"):
            async with opened(trace, "chat"):
                trace.add_event_to_current_span("inner")
            trace.add_event_to_current_span("outer")

        events = {span.name: span.events for span in await self.spans()}
        assert events == {"run": ("outer",), "chat": ("inner",)}


class TraceSuite(TraceClauses):
    """What a tracer promises; subclass it and define the `adapter` fixture.

    Hook: `spans`, which gives them as `Spanned`.
    """

    port: ClassVar[str] = "TracePort"
    version: ClassVar[str] = "1.0"


async def _raising(trace: TracePort, error: BaseException) -> None:
    async with opened(trace, "chat"):
        raise error
