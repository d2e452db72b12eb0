"""The checkpoint stores. Each is a `CheckpointPort`."""

from agentkit.state.checkpoints._memory import InMemoryCheckpointStore

__all__ = ["InMemoryCheckpointStore"]
