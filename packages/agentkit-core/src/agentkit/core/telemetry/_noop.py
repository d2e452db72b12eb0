"""Every observing seam, doing nothing."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from agentkit.core.contracts.observation import Observation, Span, TraceContext
from agentkit.core.contracts.replay import ReplayRecord

__all__ = ["NoopMetrics", "NoopObserver", "NoopReplayStore", "NoopSpan", "NoopTrace"]


class NoopSpan:
    """A span that keeps nothing."""

    __slots__ = ()

    def set(self, key: str, value: Any) -> None:
        """Drop the attribute."""

    def add_event(self, name: str, **fields: Any) -> None:
        """Drop the event."""


_SPAN: AbstractContextManager[Span] = nullcontext(NoopSpan())


class NoopTrace:
    """A trace in which nothing is ever open."""

    __slots__ = ()

    def span(self, name: str, kind: str, **attrs: Any) -> AbstractContextManager[Span]:  # noqa: ARG002 - the port's
        """Give the span that keeps nothing."""
        return _SPAN

    def current_span_id(self) -> TraceContext | None:
        """Give None."""
        return None

    def add_event_to_current_span(self, name: str, **fields: Any) -> None:
        """Drop the event."""


class NoopObserver:
    """An observer that looks away."""

    __slots__ = ()

    async def emit(self, obs: Observation) -> None:
        """Drop *obs*."""

    async def close(self) -> None:
        """Do nothing: nothing is buffered."""


class NoopMetrics:
    """Metrics that are not kept."""

    __slots__ = ()

    def add_counter(
        self, name: str, value: float = 1, *, tags: dict[str, str] | None = None
    ) -> None:
        """Drop the count."""

    def record_histogram(
        self, name: str, value: float, *, tags: dict[str, str] | None = None
    ) -> None:
        """Drop the value."""


class NoopReplayStore:
    """A replay store that holds nothing."""

    __slots__ = ()

    async def put(self, record: ReplayRecord) -> None:
        """Drop *record*."""

    async def get(self, span_id: str) -> ReplayRecord | None:  # noqa: ARG002 - the port's
        """Give None."""
        return None
