"""Files written so that a crash leaves them whole, and locked between processes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from agentkit.core.contracts.errors import StoreUnavailable

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


__all__ = [
    "content_of",
    "lock",
    "make_folder",
    "replace_file",
    "sync_folder",
    "translated",
    "write_durably",
]

_LOCK_SECONDS = 60.0


def lock(fd: int, root: Path) -> None:
    """Wait for the lock on the open file *fd*; closing it unlocks.

    Raises:
        StoreUnavailable: Another process held it for all of a minute; *root* is what it guards.

    """
    deadline = time.monotonic() + _LOCK_SECONDS
    pause = 0.001
    while True:
        try:
            _try_lock(fd)
        except (BlockingIOError, PermissionError):  # what a lock that another holds is told by
            if time.monotonic() > deadline:
                raise StoreUnavailable(f"{root}: another process holds its lock") from None
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        else:
            return


def content_of(path: Path) -> bytes | None:
    """Give what is in the file, or None where there is none.

    In one read: nothing is mixed in that a writer does to the end of a log meanwhile.
    """
    with translated(path):
        try:
            with open(path, "rb", buffering=0, opener=_without_waiting) as file:
                return file.read(os.fstat(file.fileno()).st_size)
        except FileNotFoundError:
            return None


def _without_waiting(path: str, flags: int) -> int:
    """Open *path*; what somebody put there may be a pipe, which would wait for its writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def replace_file(path: Path, content: bytes) -> None:
    """Put *content* into the file, durably: a crash leaves what was there, or all of this."""
    incoming = path.with_name("incoming")  # one name: there is one writer
    with translated(path):
        try:
            with incoming.open("wb", buffering=0) as file:
                write_durably(file, content)
            incoming.replace(path)
        except OSError:
            with suppress(OSError):
                incoming.unlink()  # where the disk is full it is in the way
            raise
        sync_folder(path.parent)


def write_durably(file: FileIO, content: bytes) -> None:
    """Write *content* durably; unbuffered, so that nothing of it is written later on."""
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]
    os.fsync(file.fileno())


def make_folder(folder: Path) -> None:
    """Make *folder* and what is missing above it, durably."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in *folder* durable; Windows does that itself and cannot be asked."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def translated(path: Path) -> Generator[None, None, None]:
    """Let what the file system raises leave as `StoreUnavailable`, naming *path*."""
    try:
        yield
    except OSError as problem:
        raise StoreUnavailable(f"{path}: {problem.strerror or problem}") from problem
