"""A correct tracer, and those that lose spans, mix tasks up or hurt what they watch."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from agentkit.core.contracts.observation import TraceContext
from agentkit.testing.mutants._trial import Trial, breaks, tries
from agentkit.testing.suites import Spanned, TraceSuite

__all__ = ["ReferenceTrace"]


class KeptSpan:
    """A span, and what was said of it."""

    def __init__(self, trace: "ReferenceTrace", name: str, parent: "KeptSpan | None") -> None:
        self.trace = trace
        self.name = name
        self.parent = parent
        self.number = len(trace.kept) + 1
        self.attrs: dict[str, Any] = {}
        self.events: list[str] = []
        self.has_ended = False
        self.has_failed = False

    def set(self, key: str, value: Any) -> None:
        """Set an attribute."""
        self.trace.set(self, key, value)

    def add_event(self, name: str, **fields: Any) -> None:
        """Add an event."""
        self.trace.note(self, name, fields)


class ReferenceTrace:
    """A `TracePort` that keeps every clause."""

    def __init__(self) -> None:
        self.kept: list[KeptSpan] = []
        self.current: Any = ContextVar("current", default=None)

    @contextmanager
    def span(self, name: str, kind: str, **attrs: Any) -> Generator[KeptSpan]:
        """Open a span inside of the current one."""
        around = self.current.get()
        span = KeptSpan(self, name, around)
        span.attrs.update(attrs)
        self.kept.append(span)
        self.current.set(span)
        try:
            yield span
        except BaseException as exc:
            self.fail(span, exc)
            raise
        finally:
            self.end(span)
            self.leave(around)

    def current_span_id(self) -> TraceContext | None:
        """Give where the caller is."""
        span = self.current.get()
        return None if span is None else self.where(span)

    def add_event_to_current_span(self, name: str, **fields: Any) -> None:
        """Add an event to the current span."""
        span = self.current.get()
        if span is not None:
            span.add_event(name, **fields)

    def where(self, span: KeptSpan) -> TraceContext:
        """Give the ids of *span*."""
        return TraceContext(f"{1:032x}", f"{span.number:016x}")

    def set(self, span: KeptSpan, key: str, value: Any) -> None:
        """Set an attribute of *span*."""
        span.attrs[key] = value

    def note(self, span: KeptSpan, name: str, fields: dict[str, Any]) -> None:
        """Add an event to *span*."""
        span.events.append(name)

    def fail(self, span: KeptSpan, exc: BaseException) -> None:
        """Note that the block of *span* failed."""
        span.has_failed = True

    def end(self, span: KeptSpan) -> None:
        """End *span*."""
        span.has_ended = True

    def leave(self, around: KeptSpan | None) -> None:
        """Go back to what was *around*."""
        self.current.set(around)


@tries(ReferenceTrace)
class _TraceTrial(Trial, TraceSuite):
    def prepare(self) -> None:
        self.trace = self.kind()

    def make(self) -> Any:
        return self.trace

    async def spans(self) -> list[Spanned]:
        return [
            Spanned(
                name=span.name,
                parent=span.parent.name if span.parent else None,
                attrs=span.attrs,
                events=tuple(span.events),
                has_ended=span.has_ended,
                has_failed=span.has_failed,
            )
            for span in self.trace.kept
        ]


@breaks("TRACE-PORT-01")
class KnowsNoCurrentSpan(ReferenceTrace):
    """It leaves out a verb of the port."""

    current_span_id = None  # type: ignore[assignment]


@breaks("TRACE-SPAN-01")
class TakesNoFields(ReferenceTrace):
    """It fails for an event with fields."""

    def note(self, span: KeptSpan, name: str, fields: dict[str, Any]) -> None:
        if fields:
            raise TypeError("an event has a name only")


@breaks("TRACE-SPAN-02")
class WritesAttributesAsJson(ReferenceTrace):
    """It makes JSON of attributes, whatever they are."""

    def set(self, span: KeptSpan, key: str, value: Any) -> None:
        span.attrs[key] = json.loads(json.dumps(value))


@breaks("TRACE-SPAN-03")
class WrapsFailures(ReferenceTrace):
    """It raises an error of its own from what failed."""

    def fail(self, span: KeptSpan, exc: BaseException) -> None:
        raise RuntimeError(f"{span.name} failed") from exc


@breaks("TRACE-SPAN-03")
class SwallowsFailures(ReferenceTrace):
    """It takes care of what the block raises."""

    @contextmanager
    def span(self, name: str, kind: str, **attrs: Any) -> Generator[KeptSpan]:
        inner = super().span(name, kind, **attrs)
        span = inner.__enter__()
        try:
            yield span
        except BaseException:  # noqa: BLE001  # that is the fault
            inner.__exit__(None, None, None)
        else:
            inner.__exit__(None, None, None)


@breaks("TRACE-SPAN-04")
class IsDoneWithEndedSpans(ReferenceTrace):
    """It fails for who speaks to a span that is over."""

    def set(self, span: KeptSpan, key: str, value: Any) -> None:
        if span.has_ended:
            raise RuntimeError("the span has ended")
        super().set(span, key, value)


@breaks("TRACE-SPAN-05")
class KeepsTheFirstAttributes(ReferenceTrace):
    """It keeps what a span was opened with."""

    def set(self, span: KeptSpan, key: str, value: Any) -> None: ...


@breaks("TRACE-SPAN-06")
class KnowsNoParents(ReferenceTrace):
    """It opens every span at the top."""

    @contextmanager
    def span(self, name: str, kind: str, **attrs: Any) -> Generator[KeptSpan]:
        with super().span(name, kind, **attrs) as span:
            span.parent = None
            yield span


@breaks("TRACE-SPAN-07")
class LeavesSpansOpen(ReferenceTrace):
    """It does not end what it opened."""

    def end(self, span: KeptSpan) -> None: ...


@breaks("TRACE-SPAN-08")
class NotesNoFailures(ReferenceTrace):
    """It ends a failed span like any other."""

    def fail(self, span: KeptSpan, exc: BaseException) -> None: ...


class _Place:
    """One place for all tasks."""

    held: Any = None

    def get(self) -> Any:
        return self.held

    def set(self, value: Any) -> None:
        self.held = value


@breaks("TRACE-SPAN-09")
class HasOnePlaceForSpans(ReferenceTrace):
    """It keeps the current span on itself."""

    def __init__(self) -> None:
        super().__init__()
        self.current = _Place()


@breaks("TRACE-CURRENT-01")
class WantsASpan(ReferenceTrace):
    """It fails for an event outside of any span."""

    def add_event_to_current_span(self, name: str, **fields: Any) -> None:
        self.current.get().add_event(name, **fields)


@breaks("TRACE-CURRENT-02")
class CountsItsSpans(ReferenceTrace):
    """It gives the number of a span for its id."""

    def where(self, span: KeptSpan) -> TraceContext:
        return TraceContext("1", str(span.number))


@breaks("TRACE-CURRENT-03", "TRACE-CURRENT-01")
class StaysInside(ReferenceTrace):
    """It does not come out of a span again."""

    def leave(self, around: KeptSpan | None) -> None: ...


@breaks("TRACE-CURRENT-04")
class TellsTheOutermost(ReferenceTrace):
    """It adds every event to the span around all others."""

    def note(self, span: KeptSpan, name: str, fields: dict[str, Any]) -> None:
        super().note(self.kept[0], name, fields)
