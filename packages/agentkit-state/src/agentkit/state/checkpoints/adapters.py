"""The checkpoint stores. Each is a `CheckpointPort`."""

from agentkit.state.checkpoints._file import FileCheckpointStore
from agentkit.state.checkpoints._memory import InMemoryCheckpointStore
from agentkit.state.checkpoints._sqlite import SQLiteCheckpointStore

__all__ = ["FileCheckpointStore", "InMemoryCheckpointStore", "SQLiteCheckpointStore"]
