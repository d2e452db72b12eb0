"""Doubles of the outside world, and a real context to run against them."""

from agentkit.core.testing._checkpoints import MemoryCheckpoints
from agentkit.core.testing._clock import FakeClock
from agentkit.core.testing._ctx import make_test_ctx
from agentkit.core.testing._filled import filled
from agentkit.core.testing._llm import FakeLLM, Turn
from agentkit.core.testing._metrics import RecordingMetrics
from agentkit.core.testing._observer import RecordingObserver
from agentkit.core.testing._store import JsonStore
from agentkit.core.testing._tool import FakeTool
from agentkit.core.testing._tracer import RecordingSpan, RecordingTracer
from agentkit.core.testing._web import FakeFetch, FakeSearch

__all__ = [
    "FakeClock",
    "FakeFetch",
    "FakeLLM",
    "FakeSearch",
    "FakeTool",
    "JsonStore",
    "MemoryCheckpoints",
    "RecordingMetrics",
    "RecordingObserver",
    "RecordingSpan",
    "RecordingTracer",
    "Turn",
    "filled",
    "make_test_ctx",
]
