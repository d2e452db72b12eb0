"""Stores, checkpoints and vector indexes on PostgreSQL."""

from agentkit.state.postgres._checkpoints import PostgresCheckpointStore
from agentkit.state.postgres._store import PostgresStore
from agentkit.state.postgres._vectors import PgVectorStore

__all__ = ["PgVectorStore", "PostgresCheckpointStore", "PostgresStore"]
