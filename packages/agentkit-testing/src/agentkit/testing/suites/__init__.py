"""One suite per port, and what suites are made of."""

from agentkit.testing.suites._checkpoints import CheckpointSuite
from agentkit.testing.suites._clause import Clause, Feature, Outcome, clause, clause_of
from agentkit.testing.suites._embeddings import EmbeddingSuite
from agentkit.testing.suites._judging import Opener
from agentkit.testing.suites._llm import LLMSuite
from agentkit.testing.suites._llm_client import LLMClientSuite
from agentkit.testing.suites._observers import ObserverSuite
from agentkit.testing.suites._replay import ReplaySuite
from agentkit.testing.suites._store import StoreSuite
from agentkit.testing.suites._suite import Suite
from agentkit.testing.suites._vectors import VectorSuite

__all__ = [
    "CheckpointSuite",
    "Clause",
    "EmbeddingSuite",
    "Feature",
    "LLMClientSuite",
    "LLMSuite",
    "ObserverSuite",
    "Opener",
    "Outcome",
    "ReplaySuite",
    "StoreSuite",
    "Suite",
    "VectorSuite",
    "clause",
    "clause_of",
]
