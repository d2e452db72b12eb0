"""The suites that the kit's own tests look at: every one of them."""

from agentkit.testing import CheckpointSuite, StoreSuite, Suite, VectorSuite

__all__ = ["SUITES"]

SUITES: list[type[Suite]] = [StoreSuite, CheckpointSuite, VectorSuite]
