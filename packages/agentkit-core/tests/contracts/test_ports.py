"""A port is satisfied by whoever has the methods, all of them."""

from typing import Any

import pytest

from agentkit.core.contracts.metrics import MetricsPort
from agentkit.core.contracts.observation import ObserverPort, TracePort
from agentkit.core.contracts.ports import (
    CheckpointPort,
    CheckpointStatus,
    ClockPort,
    FetchPort,
    LLMPort,
    SearchPort,
    StorePort,
    ToolPort,
)
from agentkit.core.contracts.protocols import Ctx
from agentkit.core.contracts.replay import ReplayStore
from agentkit.core.contracts.sampling import SamplerPort
from agentkit.core.runtime import NullCtx, SystemClock
from agentkit.core.telemetry import (
    AlwaysOnSampler,
    NoopMetrics,
    NoopObserver,
    NoopReplayStore,
    NoopTrace,
)
from agentkit.core.testing import (
    FakeClock,
    FakeFetch,
    FakeLLM,
    FakeSearch,
    FakeTool,
    JsonStore,
    MemoryCheckpoints,
    RecordingObserver,
    RecordingTracer,
    make_test_ctx,
)

STORE_VERBS = [
    "get", "set", "get_or_set", "delete", "append", "list", "compare_and_set", "increment", "scan",
]  # fmt: skip


@pytest.mark.parametrize(
    ("made", "port"),
    [
        (FakeLLM(), LLMPort),
        (FakeTool(), ToolPort),
        (JsonStore(), StorePort),
        (MemoryCheckpoints(), CheckpointPort),
        (FakeClock(), ClockPort),
        (SystemClock(), ClockPort),
        (FakeSearch(), SearchPort),
        (FakeFetch({}), FetchPort),
        (NoopTrace(), TracePort),
        (RecordingTracer(), TracePort),
        (NoopObserver(), ObserverPort),
        (RecordingObserver(), ObserverPort),
        (NoopMetrics(), MetricsPort),
        (NoopReplayStore(), ReplayStore),
        (AlwaysOnSampler(), SamplerPort),
        (make_test_ctx(), Ctx),
        (NullCtx(), Ctx),
    ],
    ids=lambda v: getattr(v, "__name__", type(v).__name__),
)
def test_a_double_satisfies_its_port(made: Any, port: Any) -> None:
    assert isinstance(made, port)


@pytest.mark.parametrize("missing", STORE_VERBS)
def test_a_wrapper_that_lacks_one_verb_is_no_store(missing: str) -> None:
    verbs = {verb: getattr(JsonStore, verb) for verb in STORE_VERBS if verb != missing}

    assert not isinstance(type("Wrapper", (), verbs)(), StorePort)


def test_a_status_reads_as_its_value() -> None:
    assert f"{CheckpointStatus.SUSPENDED}" == "suspended"


def test_done_and_failed_are_the_terminal_ones() -> None:
    assert {s for s in CheckpointStatus if s.is_terminal()} == {
        CheckpointStatus.DONE,
        CheckpointStatus.FAILED,
    }
