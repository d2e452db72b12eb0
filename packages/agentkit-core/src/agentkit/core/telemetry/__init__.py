"""Telemetry when none is wired: defaults that do nothing, and the samplers."""

from agentkit.core.telemetry._failures import count_failure
from agentkit.core.telemetry._noop import (
    NoopMetrics,
    NoopObserver,
    NoopReplayStore,
    NoopSpan,
    NoopTrace,
)
from agentkit.core.telemetry._safe_span import SafeSpan, run_span, span_around
from agentkit.core.telemetry._samplers import AlwaysOnSampler, TraceIdRatioSampler

__all__ = [
    "AlwaysOnSampler",
    "NoopMetrics",
    "NoopObserver",
    "NoopReplayStore",
    "NoopSpan",
    "NoopTrace",
    "SafeSpan",
    "TraceIdRatioSampler",
    "count_failure",
    "run_span",
    "span_around",
]
