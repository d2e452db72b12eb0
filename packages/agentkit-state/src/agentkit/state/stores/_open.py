"""A store by its URL, so that changing the store changes one setting."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext

from agentkit.core.contracts.ports import StorePort
from agentkit.state.stores._adapters import opener
from agentkit.state.stores._file import FileStore
from agentkit.state.stores._local_urls import check_bare, path_of
from agentkit.state.stores._memory import InMemoryStore
from agentkit.state.stores._paths import checked_file
from agentkit.state.stores._sqlite import SQLiteStore

__all__ = ["from_file", "from_memory", "from_sqlite", "open_store"]


def open_store(url: str) -> AbstractAsyncContextManager[StorePort]:
    """Open the store that *url* names, until the end of the `async with` block.

    `memory:` is a new one in memory, `file:relative/folder` and `file:///absolute/folder` one in
    files, `sqlite:relative/file` and `sqlite:///absolute/file` one in a SQLite file. `redis:` and
    `postgres:` URLs are opened by agentkit-state-redis and agentkit-state-postgres. Any
    distribution may register another scheme: an entry point of the group `agentkit.stores`, named
    as the scheme, that takes the URL and gives an async context manager of a `StorePort`.

    Raises:
        StoreValueError: *url* is malformed.
        AdapterLookupError: Nothing installed opens its scheme; the message says what would.
        StoreUnavailable: (on entering) The store cannot be reached.

    """
    store: AbstractAsyncContextManager[StorePort] = opener("agentkit.stores", url)(url)
    return store


def from_memory(url: str) -> AbstractAsyncContextManager[StorePort]:
    """Open `memory:`."""
    check_bare(url)
    return nullcontext(InMemoryStore())


def from_file(url: str) -> AbstractAsyncContextManager[StorePort]:
    """Open the folder that *url* names."""
    return nullcontext(FileStore(path_of(url)))


def from_sqlite(url: str) -> AbstractAsyncContextManager[StorePort]:
    """Open the SQLite file that *url* names."""
    return SQLiteStore.open(checked_file(path_of(url)))
