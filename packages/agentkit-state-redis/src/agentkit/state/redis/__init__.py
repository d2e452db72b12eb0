"""Stores and checkpoints on Redis and Valkey."""

from agentkit.state.redis._checkpoints import RedisCheckpointStore
from agentkit.state.redis._store import RedisStore

__all__ = ["RedisCheckpointStore", "RedisStore"]
