"""Vector indexes: in memory. Each is a `VectorPort`."""

from agentkit.state.vectors._memory import InMemoryVector

__all__ = ["InMemoryVector"]
