"""The suites that the kit's own tests look at: every one of them."""

from agentkit.testing import (
    CheckpointSuite,
    EmbeddingSuite,
    LLMClientSuite,
    LLMSuite,
    ObserverSuite,
    ReplaySuite,
    StoreSuite,
    Suite,
    VectorSuite,
)

__all__ = ["SUITES"]

SUITES: list[type[Suite]] = [
    CheckpointSuite,
    EmbeddingSuite,
    LLMClientSuite,
    LLMSuite,
    ObserverSuite,
    ReplaySuite,
    StoreSuite,
    VectorSuite,
]
