"""Stores: in memory, in files, in SQLite. Each is a `StorePort`."""

from agentkit.state.stores._memory import InMemoryStore

__all__ = ["InMemoryStore"]
