"""The short way to a run: one call gives a context with its policies in place."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from agentkit.core.contracts.metrics import MetricsPort
from agentkit.core.contracts.middleware import BaseMiddleware, Middleware
from agentkit.core.contracts.observation import ObserverPort, TracePort
from agentkit.core.contracts.ports import CheckpointPort, ClockPort, LLMPort, StorePort, VectorPort
from agentkit.core.contracts.protocols import AutonomyLevel
from agentkit.core.contracts.replay import ReplayStore
from agentkit.core.contracts.sampling import SamplerPort
from agentkit.core.contracts.types import Price, Scope
from agentkit.core.execution.cancellation import CancellationToken
from agentkit.core.policies import meter, output_coerce, retry, tracing
from agentkit.core.runtime import Budget, Checkpointer, Invoker, Meter, RunContext, Services
from agentkit.core.runtime._checks import check_several

__all__ = ["run_context"]

_Layers = Sequence[Middleware | BaseMiddleware]
"""Middlewares, the outermost first."""

# A provider that asks for an hour's patience is told about, not waited for.
_RETRY_FOR_S = 120.0


def run_context(  # noqa: PLR0913 - one keyword for each thing that may be wired
    *,
    llm: LLMPort,
    store: StorePort | None = None,
    checkpointer: Checkpointer | CheckpointPort | None = None,
    budget: Budget | None = None,
    scope: Scope | None = None,
    run_id: str | None = None,
    prices: Callable[[str], Price | None] | None = None,
    meters: Sequence[Meter] = (),
    chat_middleware: _Layers = (),
    tool_middleware: _Layers = (),
    cancel: CancellationToken | None = None,
    autonomy: AutonomyLevel = "auto",
    asker: Any = None,
    observer: ObserverPort | None = None,
    trace: TracePort | None = None,
    vector: VectorPort | None = None,
    replay: ReplayStore | None = None,
    metrics: MetricsPort | None = None,
    sampler: SamplerPort | None = None,
    clock: ClockPort | None = None,
) -> RunContext:
    """Give the context of a new run over *llm*.

    Model calls go through tracing, typed output, *chat_middleware*, metering and retry, the first
    of them outermost; tool calls through tracing, metering, *tool_middleware* and retry. What may
    pass is retried for two minutes at the most. *checkpointer* makes the run durable. *run_id*
    names it, and is made up when left out. What else is left out or None is as in `Services`.

    Raises:
        TypeError: An argument is of another type.
        ValueError: *run_id* is empty or has a slash.

    """
    services = _wired(
        invoker=_invoker(llm, chat=chat_middleware, tool=tool_middleware),
        store=store,
        checkpointer=Checkpointer.over(checkpointer, clock),
        asker=asker,
        observer=observer,
        trace=trace,
        vector=vector,
        replay=replay,
        metrics=metrics,
        sampler=sampler,
        prices=prices,
        clock=clock,
    )
    return RunContext(
        correlation_id=uuid4().hex if run_id is None else run_id,
        scope=Scope() if scope is None else scope,
        budget=Budget() if budget is None else budget,
        services=services,
        meters=list(check_several("meters", meters)),
        cancel=cancel,
        autonomy=autonomy,
    )


def _invoker(llm: LLMPort, *, chat: _Layers, tool: _Layers) -> Invoker:
    own_chat = check_several("chat_middleware", chat)
    own_tool = check_several("tool_middleware", tool)
    return Invoker(
        llm=llm,
        chat_middleware=[tracing(), output_coerce(), *own_chat, meter(), _patient()],
        tool_middleware=[tracing(), meter(), *own_tool, _patient()],
    )


def _patient() -> Middleware:
    return retry(deadline_s=_RETRY_FOR_S)


def _wired(**given: Any) -> Services:
    """Give the services with what is *given*; what is None has the default that it has there."""
    return Services(**{name: seam for name, seam in given.items() if seam is not None})
