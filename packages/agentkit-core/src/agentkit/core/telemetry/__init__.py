"""Telemetry when none is wired: defaults that do nothing, and the samplers."""

from agentkit.core.telemetry._noop import (
    NoopMetrics,
    NoopObserver,
    NoopReplayStore,
    NoopSpan,
    NoopTrace,
)
from agentkit.core.telemetry._safe_span import SafeSpan, span_around
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
    "span_around",
]
