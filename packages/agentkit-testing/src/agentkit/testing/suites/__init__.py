"""One suite per port, and what suites are made of."""

from agentkit.testing.suites._checkpoints import CheckpointSuite
from agentkit.testing.suites._clause import Clause, Feature, Outcome, clause, clause_of
from agentkit.testing.suites._clocks import ClockSuite
from agentkit.testing.suites._embeddings import EmbeddingSuite
from agentkit.testing.suites._fetches import FetchSuite
from agentkit.testing.suites._judging import Opener
from agentkit.testing.suites._llm import LLMSuite
from agentkit.testing.suites._llm_client import LLMClientSuite
from agentkit.testing.suites._metrics import MetricsSuite
from agentkit.testing.suites._observers import ObserverSuite
from agentkit.testing.suites._replay import ReplaySuite
from agentkit.testing.suites._sampling import SamplerSuite
from agentkit.testing.suites._searches import SearchSuite
from agentkit.testing.suites._store import StoreSuite
from agentkit.testing.suites._suite import Suite
from agentkit.testing.suites._tools import ToolSuite
from agentkit.testing.suites._traces import Spanned, TraceSuite
from agentkit.testing.suites._vectors import VectorSuite

__all__ = [
    "CheckpointSuite",
    "Clause",
    "ClockSuite",
    "EmbeddingSuite",
    "Feature",
    "FetchSuite",
    "LLMClientSuite",
    "LLMSuite",
    "MetricsSuite",
    "ObserverSuite",
    "Opener",
    "Outcome",
    "ReplaySuite",
    "SamplerSuite",
    "SearchSuite",
    "Spanned",
    "StoreSuite",
    "Suite",
    "ToolSuite",
    "TraceSuite",
    "VectorSuite",
    "clause",
    "clause_of",
]
