"""What an application wires once and every run in it shares."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agentkit.core.contracts.metrics import MetricsPort
from agentkit.core.contracts.observation import ObserverPort, TracePort
from agentkit.core.contracts.ports import ClockPort, StorePort, VectorPort
from agentkit.core.contracts.replay import ReplayStore
from agentkit.core.contracts.sampling import SamplerPort
from agentkit.core.contracts.types import Price
from agentkit.core.runtime._checkpointer import Checkpointer
from agentkit.core.runtime._checks import check_has
from agentkit.core.runtime._clock import SystemClock
from agentkit.core.runtime._invoker import Invoker
from agentkit.core.telemetry import (
    AlwaysOnSampler,
    NoopMetrics,
    NoopObserver,
    NoopReplayStore,
    NoopTrace,
)

__all__ = ["Services", "no_prices"]


# By which of its methods each seam is known.
_METHODS = {
    "invoker": "chat",
    "store": "get_or_set",
    "checkpointer": "snapshot",
    "vector": "search",
    "trace": "span",
    "observer": "emit",
    "replay": "put",
    "metrics": "add_counter",
    "sampler": "should_sample",
    "clock": "now",
}


def no_prices(model: str) -> Price | None:  # noqa: ARG001 - the shape of every price list
    """Know the price of no model."""
    return None


@dataclass(slots=True, kw_only=True)
class Services:
    """The seams of one application, wired once; without arguments all of it is usable.

    `prices` gives the price of a model, or None where it is unknown. `asker` is who decides about
    gated tool calls while a run waits. `clock` is the only clock that policies read.

    Raises:
        TypeError: A seam is not what its type says, or None where it has a default.

    """

    invoker: Invoker | None = None
    store: StorePort | None = None
    checkpointer: Checkpointer | None = None
    vector: VectorPort | None = None
    trace: TracePort = field(default_factory=NoopTrace)
    observer: ObserverPort = field(default_factory=NoopObserver)
    replay: ReplayStore = field(default_factory=NoopReplayStore)
    metrics: MetricsPort = field(default_factory=NoopMetrics)
    sampler: SamplerPort = field(default_factory=AlwaysOnSampler)
    asker: Any = None
    prices: Callable[[str], Price | None] = no_prices
    clock: ClockPort = field(default_factory=SystemClock)

    def __post_init__(self) -> None:
        for name in ("trace", "observer", "replay", "metrics", "sampler", "prices", "clock"):
            if getattr(self, name) is None:
                raise TypeError(f"Services.{name} is never None; leave it out for its default")
        for name, method in _METHODS.items():
            if getattr(self, name) is not None:
                check_has(f"Services.{name}", getattr(self, name), method)
        if not callable(self.prices):
            raise TypeError(f"Services.prices is a function of a model; got {self.prices!r}")
