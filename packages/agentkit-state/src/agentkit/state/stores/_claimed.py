"""A folder that is ours: it says so in a file, and one writer at a time has its lock."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from agentkit.core.contracts.errors import StoreUnavailable
from agentkit.state.stores._files import content_of, lock, make_folder, replace_file, translated
from agentkit.state.stores._paths import checked_path

__all__ = ["ClaimedFolder"]

_FORMAT = b"agentkit file store, format 1\n"


class ClaimedFolder:
    """The folder *root* with its *parts*, which a store and checkpoints may share.

    Blocking: made to be used in a thread. What the file system raises leaves as `StoreUnavailable`,
    naming the path.
    """

    def __init__(self, root: str | os.PathLike[str], *parts: str) -> None:
        self._root = Path(checked_path(root))
        self._parts = [self._root / part for part in parts]
        self._is_ours = False

    @contextmanager
    def locked(self) -> Generator[None, None, None]:
        """Keep every other writer out, of this process and of others."""
        self.check_format()
        with translated(self._root):
            for folder in self._parts:
                make_folder(folder)
            with (self._root / "lock").open("ab") as file:
                lock(file.fileno(), self._root)  # closing unlocks
                self._claim()
                yield

    def check_format(self) -> None:
        """Refuse a folder that a newer version, or something else, has written."""
        if self._is_ours:
            return
        path = self._root / "format"
        content = content_of(path)
        if content is None:
            return  # nothing was written yet
        if content != _FORMAT:
            raise StoreUnavailable(
                f"{path}: says {content[:60]!r} and not {_FORMAT!r}; a newer agentkit-state "
                "or another application has written this folder: upgrade, or choose another"
            )
        self._is_ours = True

    def _claim(self) -> None:
        # Looked at for each write: the folder may have been removed, or claimed by another, since.
        self._is_ours = False
        self.check_format()
        if not self._is_ours:
            replace_file(self._root / "format", _FORMAT)
            self._is_ours = True
