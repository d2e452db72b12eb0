"""A checkpoint store by its URL, so that changing it changes one setting."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext

from agentkit.core.contracts.ports import CheckpointPort
from agentkit.state.checkpoints._file import FileCheckpointStore
from agentkit.state.checkpoints._memory import InMemoryCheckpointStore
from agentkit.state.checkpoints._sqlite import SQLiteCheckpointStore
from agentkit.state.stores._adapters import opener
from agentkit.state.stores._local_urls import check_bare, path_of
from agentkit.state.stores._paths import checked_file

__all__ = ["from_file", "from_memory", "from_sqlite", "open_checkpoints"]


def open_checkpoints(url: str) -> AbstractAsyncContextManager[CheckpointPort]:
    """Open the checkpoint store that *url* names, until the end of the `async with` block.

    `memory:` is a new one in memory, `file:relative/folder` and `file:///absolute/folder` one in
    files, `sqlite:relative/file` and `sqlite:///absolute/file` one in a SQLite file; a store may
    share the folder or the file. `redis:` and `postgres:` URLs are opened by
    agentkit-state-redis and agentkit-state-postgres. Any distribution may register another
    scheme: an entry point of the group `agentkit.checkpoints`, named as the scheme, that takes the
    URL and gives an async context manager of a `CheckpointPort`.

    Raises:
        StoreValueError: *url* is malformed.
        AdapterLookupError: Nothing installed opens its scheme; the message says what would.
        CheckpointerError: (on entering) The store cannot be reached.

    """
    checkpoints: AbstractAsyncContextManager[CheckpointPort]
    checkpoints = opener("agentkit.checkpoints", url)(url)
    return checkpoints


def from_memory(url: str) -> AbstractAsyncContextManager[CheckpointPort]:
    """Open `memory:`."""
    check_bare(url)
    return nullcontext(InMemoryCheckpointStore())


def from_file(url: str) -> AbstractAsyncContextManager[CheckpointPort]:
    """Open the folder that *url* names."""
    return nullcontext(FileCheckpointStore(path_of(url)))


def from_sqlite(url: str) -> AbstractAsyncContextManager[CheckpointPort]:
    """Open the SQLite file that *url* names."""
    return SQLiteCheckpointStore.open(checked_file(path_of(url)))
