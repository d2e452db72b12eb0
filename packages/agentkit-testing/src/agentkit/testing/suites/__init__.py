"""One suite per port, and what suites are made of."""

from agentkit.testing.suites._checkpoints import CheckpointSuite
from agentkit.testing.suites._clause import Clause, Feature, Outcome, clause, clause_of
from agentkit.testing.suites._judging import Opener
from agentkit.testing.suites._store import StoreSuite
from agentkit.testing.suites._suite import Suite

__all__ = [
    "CheckpointSuite",
    "Clause",
    "Feature",
    "Opener",
    "Outcome",
    "StoreSuite",
    "Suite",
    "clause",
    "clause_of",
]
