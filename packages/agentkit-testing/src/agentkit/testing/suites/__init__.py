"""One suite per port, and what suites are made of."""

from agentkit.testing.suites._clause import Clause, Feature, Outcome, clause, clause_of
from agentkit.testing.suites._suite import Suite

__all__ = [
    "Clause",
    "Feature",
    "Outcome",
    "Suite",
    "clause",
    "clause_of",
]
