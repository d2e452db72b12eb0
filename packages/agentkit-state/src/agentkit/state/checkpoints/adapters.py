"""The checkpoint stores. Each is a `CheckpointPort`."""

from agentkit.state.checkpoints._memory import InMemoryCheckpointStore
from agentkit.state.checkpoints._sqlite import SQLiteCheckpointStore

__all__ = ["InMemoryCheckpointStore", "SQLiteCheckpointStore"]
