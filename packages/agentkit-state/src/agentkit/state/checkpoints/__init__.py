"""Durable run state: checkpoint stores, and the `Checkpointer` that writes through one."""

from agentkit.state.checkpoints.adapters import InMemoryCheckpointStore

__all__ = ["InMemoryCheckpointStore"]
