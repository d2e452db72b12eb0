"""The suites that the kit's own tests look at: every one of them."""

from agentkit.testing import (
    CheckpointSuite,
    ClockSuite,
    EmbeddingSuite,
    FetchSuite,
    LLMClientSuite,
    LLMSuite,
    MetricsSuite,
    ObserverSuite,
    ReplaySuite,
    SamplerSuite,
    SearchSuite,
    StoreSuite,
    Suite,
    ToolSuite,
    TraceSuite,
    VectorSuite,
)

__all__ = ["SUITES"]

SUITES: list[type[Suite]] = [
    TraceSuite,
    ToolSuite,
    SearchSuite,
    SamplerSuite,
    MetricsSuite,
    FetchSuite,
    ClockSuite,
    CheckpointSuite,
    EmbeddingSuite,
    LLMClientSuite,
    LLMSuite,
    ObserverSuite,
    ReplaySuite,
    StoreSuite,
    VectorSuite,
]
