"""Running things: cancellation, fan-out, resilience, recurrence, streams and the sync bridge."""

from typing import TYPE_CHECKING

from agentkit.core import _on_demand

if TYPE_CHECKING:
    from agentkit.core.execution._single_flight import SingleFlight
    from agentkit.core.execution.cancellation import CancellationToken, interrupt_on
    from agentkit.core.execution.fanout import (
        SIBLING_CLEANUP_GRACE_S,
        gather_best_effort,
        gather_bounded,
        run_agents,
    )
    from agentkit.core.execution.recurrence import attempt_until_stuck
    from agentkit.core.execution.resilience import (
        CircuitBreaker,
        ErrorClass,
        Failure,
        backoff_delay,
        classify,
        compose_failures,
        run_with_resilience,
    )
    from agentkit.core.execution.sync import run_sync
else:
    __getattr__, __dir__ = _on_demand.names(
        __name__,
        _single_flight="SingleFlight",
        cancellation="CancellationToken interrupt_on",
        fanout="SIBLING_CLEANUP_GRACE_S gather_best_effort gather_bounded run_agents",
        recurrence="attempt_until_stuck",
        resilience="CircuitBreaker ErrorClass Failure backoff_delay classify compose_failures "
        "run_with_resilience",
        sync="run_sync",
    )

__all__ = [
    "SIBLING_CLEANUP_GRACE_S",
    "CancellationToken",
    "CircuitBreaker",
    "ErrorClass",
    "Failure",
    "SingleFlight",
    "attempt_until_stuck",
    "backoff_delay",
    "classify",
    "compose_failures",
    "gather_best_effort",
    "gather_bounded",
    "interrupt_on",
    "run_agents",
    "run_sync",
    "run_with_resilience",
]
