"""Running things: cancellation, fan-out, resilience, recurrence, streams and the sync bridge."""

from agentkit.core.execution._single_flight import SingleFlight
from agentkit.core.execution.cancellation import CancellationToken, interrupt_on

__all__ = ["CancellationToken", "SingleFlight", "interrupt_on"]
