"""The frame of one run: who it is for, what it may spend, how it is stopped and watched."""

from asyncio import Semaphore
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, cast

from agentkit.core.contracts._checks import check_counts, check_kinds
from agentkit.core.contracts.errors import MeterExceeded
from agentkit.core.contracts.metrics import MetricsPort
from agentkit.core.contracts.observation import (
    CRITICAL_KINDS,
    Observation,
    ObserverPort,
    TraceContext,
    TracePort,
)
from agentkit.core.contracts.ports import ClockPort, StorePort, VectorPort
from agentkit.core.contracts.protocols import AutonomyLevel
from agentkit.core.contracts.replay import ReplayStore
from agentkit.core.contracts.sampling import SamplerPort
from agentkit.core.contracts.types import Price, Scope
from agentkit.core.execution.cancellation import CancellationToken
from agentkit.core.runtime._actor_budget import ActorBudget
from agentkit.core.runtime._budget import Budget
from agentkit.core.runtime._checkpointer import Checkpointer
from agentkit.core.runtime._checks import check_choice, check_has
from agentkit.core.runtime._invoker import Invoker
from agentkit.core.runtime._meters import Meter
from agentkit.core.runtime._services import Services
from agentkit.core.serialization._kinds import is_a
from agentkit.core.telemetry import count_failure

__all__ = ["RunContext"]

_UNSET: Any = object()


@dataclass(slots=True)
class RunContext:
    """One run: its id, its tenant, its money, its stop signal, and the application's services.

    `path` tells a child run from its siblings and is the same when the run is run again; with the
    run's id it makes the `slot` under which the run's state is saved. An id has no slash, so that
    no id can be mistaken for another run's child.

    Raises:
        TypeError: A part of it is of another type.
        ValueError: The id is empty or has a slash, the depth negative, or the autonomy unknown.

    """

    correlation_id: str
    scope: Scope = field(default_factory=Scope)
    budget: Budget = field(default_factory=Budget)
    services: Services = field(default_factory=Services)
    meters: list[Meter] = field(default_factory=list[Meter])
    depth: int = 0
    cancel: CancellationToken | None = None
    autonomy: AutonomyLevel = "auto"
    actor_budget: ActorBudget | None = None
    signal_channel: Any = None
    path: str = field(default="", kw_only=True)
    _sequence: Iterator[int] = field(default_factory=lambda: count(1), kw_only=True, repr=False)
    _children: dict[str, int] = field(default_factory=dict[str, int], kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if not is_a(self.correlation_id, str) or not self.correlation_id:
            raise ValueError(f"a run's id is non-empty text; got {self.correlation_id!r}")
        if "/" in self.correlation_id:
            raise ValueError(f"a run's id has no slash; got {self.correlation_id!r}")
        check_kinds(self, "scope", Scope, wanted="a Scope")
        check_kinds(self, "budget", Budget, wanted="a Budget")
        check_kinds(self, "services", Services, wanted="the Services")
        check_kinds(self, "meters", list, wanted="a list of meters")
        for one in self.meters:
            check_has("a meter", one, "guard", "charge")
        check_counts(self, "depth")
        check_choice("autonomy", self.autonomy, ("auto", "gated", "manual"))
        if self.cancel is not None:
            check_has("RunContext.cancel", self.cancel, "check", "add_callback")

    @property
    def slot(self) -> str:
        """The key of this run's saved state: the run's id, and for a child its path as well."""
        return f"{self.correlation_id}/{self.path}" if self.path else self.correlation_id

    @property
    def invoker(self) -> Invoker:
        """What runs model and tool calls; None in a context that was made without a model."""
        # A run without a model is a test's bare context: who asks a model has wired one.
        return cast("Invoker", self.services.invoker)

    @property
    def trace(self) -> TracePort:
        """Where spans go."""
        return self.services.trace

    @property
    def store(self) -> StorePort | None:
        """The key-value store."""
        return self.services.store

    @property
    def checkpointer(self) -> Checkpointer | None:
        """What saves the run's state."""
        return self.services.checkpointer

    @property
    def vector(self) -> VectorPort | None:
        """The vector index."""
        return self.services.vector

    @property
    def asker(self) -> Any:
        """Who decides about gated tool calls while the run waits."""
        return self.services.asker

    @property
    def observer(self) -> ObserverPort:
        """Where observations go."""
        return self.services.observer

    @property
    def replay(self) -> ReplayStore:
        """Where whole payloads go."""
        return self.services.replay

    @property
    def metrics(self) -> MetricsPort:
        """Where counts and durations go."""
        return self.services.metrics

    @property
    def sampler(self) -> SamplerPort:
        """What decides which runs are traced."""
        return self.services.sampler

    @property
    def clock(self) -> ClockPort:
        """The clock that policies read."""
        return self.services.clock

    @property
    def prices(self) -> Callable[[str], Price | None]:
        """What tells the price of a model."""
        return self.services.prices

    @property
    def all_meters(self) -> list[Meter]:
        """The budget, then the other meters."""
        return [self.budget, *self.meters]

    def child(
        self, *, part: str = "", actor_budget: Any = _UNSET, signal_channel: Any = _UNSET
    ) -> "RunContext":
        """Give the context of a child run, one level deeper, sharing everything else.

        *part* names the child among its siblings; without it they are numbered as they come. Give
        it where a run that is run again may make its children in another order.

        Raises:
            MeterExceeded: The run may not go deeper.

        """
        depth = self.depth + 1
        if depth > self.budget.max_depth:
            raise MeterExceeded(f"depth {depth} > {self.budget.max_depth}")
        own = self._part(part)
        return replace(
            self,
            depth=depth,
            path=f"{self.path}/{own}" if self.path else own,
            actor_budget=self.actor_budget if actor_budget is _UNSET else actor_budget,
            signal_channel=self.signal_channel if signal_channel is _UNSET else signal_channel,
            _children={},
        )

    def _part(self, name: str) -> str:
        """Give a part that no other child of this run has; escaping keeps two names apart."""
        taken = self._children.get(name, 0)
        self._children[name] = taken + 1
        escaped = name.replace("%", "%25").replace("/", "%2F").replace("~", "%7E")
        if not name:
            return f"~{taken}"
        return f"{escaped}~{taken}" if taken else escaped

    def semaphore(self) -> Semaphore:
        """Give the pool that bounds fan-out at this depth.

        There is one for each depth: a pool for the whole tree would deadlock nested fan-out.
        """
        return self.budget.semaphore(self.depth)

    def check_cancelled(self) -> None:
        """Return if the run may go on.

        Raises:
            Cancelled: It is cancelled, or past its deadline.

        """
        if self.cancel is not None:
            self.cancel.raise_if_cancelled()

    async def emit(
        self,
        kind: str,
        render: str = "",
        *,
        payload: Any = None,
        agent: str = "",
        parent_id: str | None = None,
    ) -> None:
        """Tell the observer, with the observation numbered and timed.

        What observer or clock raise stays here and is counted as `agentkit.observer.error.count`,
        and so does what no observation can be made of; what the trace raises, as
        `agentkit.trace.error.count`. Watching a run never hurts it.
        """
        try:
            observation = Observation(
                kind,
                next(self._sequence),
                self.clock.now(),
                agent,
                render,
                self.correlation_id,
                payload,
                parent_id,
                self._current_span(),
            )
            await self.observer.emit(observation)
        except Exception as exc:  # noqa: BLE001 - an observer is not ours and must not hurt the run
            count_failure(self.metrics, "observer", exc)
        if kind in CRITICAL_KINDS:
            try:
                self.trace.add_event_to_current_span("observation.emitted", kind=kind)
            except Exception as exc:  # noqa: BLE001 - nor must a trace
                count_failure(self.metrics, "trace", exc)

    def _current_span(self) -> TraceContext | None:
        try:
            return self.trace.current_span_id()
        except Exception as exc:  # noqa: BLE001 - a trace is not ours and must not hurt the run
            count_failure(self.metrics, "trace", exc)
        return None
