"""A real context, wired for a test."""

from collections.abc import Callable, Sequence
from typing import Any

from agentkit.core.contracts.metrics import MetricsPort
from agentkit.core.contracts.middleware import BaseMiddleware, Middleware
from agentkit.core.contracts.observation import ObserverPort, TracePort
from agentkit.core.contracts.ports import CheckpointPort, ClockPort, LLMPort, StorePort, VectorPort
from agentkit.core.contracts.protocols import AutonomyLevel
from agentkit.core.contracts.replay import ReplayStore
from agentkit.core.contracts.sampling import SamplerPort
from agentkit.core.contracts.types import Price, Scope
from agentkit.core.execution.cancellation import CancellationToken
from agentkit.core.runtime import Budget, Checkpointer, Invoker, Meter, RunContext, Services

__all__ = ["make_test_ctx"]


def make_test_ctx(  # noqa: PLR0913 - one keyword for each thing that a test may wire
    *,
    llm: LLMPort | None = None,
    invoker: Invoker | None = None,
    scope: Scope | None = None,
    budget: Budget | None = None,
    store: StorePort | None = None,
    vector: VectorPort | None = None,
    checkpointer: Checkpointer | CheckpointPort | None = None,
    asker: Any = None,
    observer: ObserverPort | None = None,
    trace: TracePort | None = None,
    cancel: CancellationToken | None = None,
    chat_middleware: Sequence[Middleware | BaseMiddleware] = (),
    tool_middleware: Sequence[Middleware | BaseMiddleware] = (),
    meters: Sequence[Meter] = (),
    correlation_id: str = "test-run",
    autonomy: AutonomyLevel = "auto",
    prices: Callable[[str], Price | None] | None = None,
    clock: ClockPort | None = None,
    replay: ReplayStore | None = None,
    metrics: MetricsPort | None = None,
    sampler: SamplerPort | None = None,
) -> RunContext:
    """Give a run's context with nothing in it but what is passed: no policy is added.

    With neither *llm* nor *invoker* there is no invoker. What else is left out or None is as in
    `Services`.
    """
    if llm is not None and invoker is None:
        invoker = Invoker(llm=llm, chat_middleware=chat_middleware, tool_middleware=tool_middleware)
    given: dict[str, Any] = {
        "observer": observer,
        "trace": trace,
        "prices": prices,
        "clock": clock,
        "replay": replay,
        "metrics": metrics,
        "sampler": sampler,
    }
    return RunContext(
        correlation_id=correlation_id,
        scope=Scope() if scope is None else scope,
        budget=Budget() if budget is None else budget,
        services=Services(
            invoker=invoker,
            store=store,
            vector=vector,
            checkpointer=Checkpointer.over(checkpointer, clock),
            asker=asker,
            **{name: service for name, service in given.items() if service is not None},
        ),
        meters=list(meters),
        cancel=cancel,
        autonomy=autonomy,
    )
