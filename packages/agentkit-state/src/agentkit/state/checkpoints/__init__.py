"""Durable run state: checkpoint stores, and the `Checkpointer` that writes through one."""

from agentkit.core.runtime import Checkpointer
from agentkit.state.checkpoints._open import open_checkpoints
from agentkit.state.checkpoints.adapters import (
    FileCheckpointStore,
    InMemoryCheckpointStore,
    SQLiteCheckpointStore,
)

__all__ = [
    "Checkpointer",
    "FileCheckpointStore",
    "InMemoryCheckpointStore",
    "SQLiteCheckpointStore",
    "open_checkpoints",
]
