"""Running things: cancellation, fan-out, resilience, recurrence, streams and the sync bridge."""

from agentkit.core.execution._single_flight import SingleFlight
from agentkit.core.execution.cancellation import CancellationToken, interrupt_on
from agentkit.core.execution.resilience import (
    CircuitBreaker,
    ErrorClass,
    Failure,
    backoff_delay,
    classify,
    compose_failures,
    run_with_resilience,
)

__all__ = [
    "CancellationToken",
    "CircuitBreaker",
    "ErrorClass",
    "Failure",
    "SingleFlight",
    "backoff_delay",
    "classify",
    "compose_failures",
    "interrupt_on",
    "run_with_resilience",
]
