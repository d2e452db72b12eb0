"""A tracer whose spans a test can look at."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from agentkit.core.contracts.observation import TraceContext

__all__ = ["RecordingSpan", "RecordingTracer"]


@dataclass(slots=True, kw_only=True, eq=False)
class RecordingSpan:
    """A span with all that was said of it; `error` is what left it, `ended` whether it closed."""

    name: str
    kind: str
    context: TraceContext
    parent: "RecordingSpan | None" = None
    attrs: dict[str, Any] = field(default_factory=dict[str, Any])
    events: list[tuple[str, dict[str, Any]]] = field(
        default_factory=list[tuple[str, dict[str, Any]]]
    )
    error: BaseException | None = None
    ended: bool = False

    def set(self, key: str, value: Any) -> None:
        """Set an attribute."""
        self.attrs[key] = value

    def add_event(self, name: str, **fields: Any) -> None:
        """Add an event."""
        self.events.append((name, fields))


class RecordingTracer:
    """A `TracePort` that keeps every span in `spans`, in the order in which they opened."""

    def __init__(self) -> None:
        self.spans: list[RecordingSpan] = []
        self._current: ContextVar[RecordingSpan | None] = ContextVar("current", default=None)

    @contextmanager
    def span(self, name: str, kind: str, **attrs: Any) -> Generator[RecordingSpan, None, None]:
        """Open a span as the child of the current one."""
        span = RecordingSpan(
            name=name,
            kind=kind,
            context=TraceContext(f"{1:032x}", f"{len(self.spans) + 1:016x}"),
            parent=self._current.get(),
            attrs=dict(attrs),
        )
        self.spans.append(span)
        self._current.set(span)
        try:
            yield span
        except BaseException as exc:
            span.error = exc
            raise
        finally:
            span.ended = True
            # Not reset by token: a stream's span may be closed in another context than it opened
            # in.
            self._current.set(span.parent)

    def current_span_id(self) -> TraceContext | None:
        """Give where the caller is, or None outside of any span."""
        current = self._current.get()
        return None if current is None else current.context

    def add_event_to_current_span(self, name: str, **fields: Any) -> None:
        """Add the event *name* to the current span, if there is one."""
        if (current := self._current.get()) is not None:
            current.add_event(name, **fields)
