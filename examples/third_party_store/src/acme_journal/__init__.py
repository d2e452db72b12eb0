"""A store for agentkit in one append-only file."""

from acme_journal._store import JournalStore

__all__ = ["JournalStore"]
