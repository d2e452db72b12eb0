"""Stores: in memory, in files, in SQLite. Each is a `StorePort`; `open_store` opens one."""

from agentkit.state.stores._file import FileStore
from agentkit.state.stores._memory import InMemoryStore
from agentkit.state.stores._open import open_store
from agentkit.state.stores._sqlite import SQLiteStore

__all__ = ["FileStore", "InMemoryStore", "SQLiteStore", "open_store"]
