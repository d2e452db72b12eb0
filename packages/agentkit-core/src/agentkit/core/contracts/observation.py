"""The two channels on which a run is watched: observations for a product, spans for operators."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, Protocol, runtime_checkable

from agentkit.core.contracts._checks import check_counts, check_kinds, check_number, check_texts
from agentkit.core.serialization import deep_freeze

__all__ = [
    "CRITICAL_KINDS",
    "Observation",
    "ObservationKind",
    "ObserverPort",
    "Span",
    "TraceContext",
    "TracePort",
]

ObservationKind = Literal[
    "run_start",
    "progress",
    "step",
    "summary",
    "partial_result",
    "result",
    "error",
    "interrupt",
    "signal.emitted",
    "gate.check",
    "memory.written",
    "memory.write_refused",
    "policy.flagged",
    "budget.exhausted",
]
"""The kinds that agentkit emits; an application may emit others."""

CRITICAL_KINDS = ("result", "error")
"""The kinds that no cadence may silence; a human-gate `interrupt` is treated alike."""


@dataclass(frozen=True, slots=True)
class TraceContext:
    """Where in a trace something happened: a trace id of 32 and a span id of 16 hex digits.

    Raises:
        TypeError: An id is no text.

    """

    trace_id: str
    span_id: str

    def __post_init__(self) -> None:
        check_texts(self, "trace_id", "span_id")


@dataclass(frozen=True, slots=True)
class Observation:
    """Something a product may want to show.

    `seq` counts within the run from 1 and `ts` is in unix seconds; the run's context stamps both.

    Raises:
        TypeError: A field is of another type.
        ValueError: `seq` is negative, or `ts` not finite.

    """

    kind: str
    seq: int = 0
    ts: float = 0.0
    agent: str = ""
    render: str = ""
    run_id: str = ""
    payload: Any = None
    parent_id: str | None = None
    trace_context: TraceContext | None = None

    def __post_init__(self) -> None:
        if not type(self.kind) is type(self.agent) is type(self.render) is type(self.run_id) is str:
            check_texts(self, "kind", "agent", "render", "run_id")
        if self.parent_id is not None and type(self.parent_id) is not str:
            check_texts(self, "parent_id", optional=True)
        if type(self.seq) is not int or self.seq < 0:
            check_counts(self, "seq")
        if type(self.ts) is not float or not -inf < self.ts < inf:
            check_number(self, "ts", at_least=None)
        if self.trace_context is not None and type(self.trace_context) is not TraceContext:
            check_kinds(self, "trace_context", TraceContext, wanted="a TraceContext", optional=True)
        if self.payload is not None:
            object.__setattr__(self, "payload", deep_freeze(self.payload))

    def __hash__(self) -> int:
        return hash((self.run_id, self.agent, self.seq, self.ts, self.kind))


@runtime_checkable
class ObserverPort(Protocol):
    """The product-facing observation stream."""

    async def emit(self, obs: Observation) -> None:
        """Take *obs*; what it raises never reaches the run."""
        ...

    async def close(self) -> None:
        """Hand on what is still buffered, down the whole stack; a failing flush raises."""
        ...


@runtime_checkable
class Span(Protocol):
    """An operation under way in a trace."""

    def set(self, key: str, value: Any) -> None:
        """Set the attribute *key*."""
        ...

    def add_event(self, name: str, **fields: Any) -> None:
        """Add the event *name* with *fields*."""
        ...


@runtime_checkable
class TracePort(Protocol):
    """Operational tracing. Nothing it raises reaches the run."""

    def span(self, name: str, kind: str, **attrs: Any) -> AbstractContextManager[Span]:
        """Open a span as the child of the current one; leaving the context ends it."""
        ...

    def current_span_id(self) -> TraceContext | None:
        """Give where the caller is in the trace, or None outside of any span."""
        ...

    def add_event_to_current_span(self, name: str, **fields: Any) -> None:
        """Add the event *name* to the current span; outside of any span do nothing."""
        ...
