"""The suites that the kit's own tests look at: every one of them."""

from agentkit.testing import (
    CheckpointSuite,
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
    LLMClientSuite,
    LLMSuite,
    ObserverSuite,
    ReplaySuite,
    StoreSuite,
    VectorSuite,
]
