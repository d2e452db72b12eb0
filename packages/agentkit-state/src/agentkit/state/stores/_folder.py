"""Files that survive a crash and are shared by processes: what `FileStore` stands on."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from agentkit.core.contracts.errors import StoreUnavailable

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


__all__ = ["Folder"]

_LOCK_SECONDS = 60.0


class Folder:
    """Values and logs as files under *root*; the name of each is a hash, its key is inside.

    A value is replaced as a whole or not at all, and an entry of a log is there whole or not at
    all; both are on disk when the call returns. Blocking: made to be called from a thread. What
    the file system raises leaves as `StoreUnavailable`, naming the path.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self._root = Path(root)
        self._values = self._root / "kv"
        self._logs = self._root / "log"

    @contextmanager
    def locked(self) -> Generator[None, None, None]:
        """Keep every other writer out, of this process and of others."""
        with _translated(self._root):
            for folder in (self._values, self._logs):
                folder.mkdir(parents=True, exist_ok=True)
            with (self._root / "lock").open("ab") as file:
                _lock(file.fileno(), self._root)  # closing unlocks
                yield

    def read(self, key: str) -> tuple[bool, Any]:
        """Give whether there is a value at *key*, and the value."""
        path = self._value_path(key)
        found = _read_document(path)
        if found is None:
            return False, None
        stored, value = found
        _check_owner(path, stored, key)
        return True, value

    def write(self, key: str, value: str) -> None:
        """Put the JSON text *value* at *key*. The folder must be locked."""
        path = self._value_path(key)
        incoming = path.with_name("incoming")  # one name: there is one writer
        with _translated(path):
            with incoming.open("wb") as file:
                file.write(f'{{"key":{json.dumps(key)},"value":{value}}}\n'.encode("ascii"))
                _sync_file(file)
            incoming.replace(path)
            _sync_folder(path.parent)

    def remove(self, key: str) -> None:
        """Remove the value at *key*, if there is one. The folder must be locked."""
        path = self._value_path(key)
        with _translated(path), suppress(FileNotFoundError):
            path.unlink()
            _sync_folder(path.parent)

    def stored_keys(self) -> Iterator[str]:
        """Give the keys of the values there are."""
        with _translated(self._values):
            paths = sorted(self._values.glob("*.json"))
        for path in paths:
            found = _read_document(path)
            if found is not None:  # else it was removed meanwhile
                yield found[0]

    def append(self, key: str, entry: str) -> None:
        """Add the JSON text *entry* to the log *key*. The folder must be locked."""
        path = self._log_path(key)
        with _translated(path), path.open("a+b") as file:
            end = _whole_lines(file.fileno())
            file.truncate(end)  # the rest was never acknowledged: its writer died
            head = "" if end else f"{json.dumps(key)}\n"
            file.write(f"{head}{entry}\n".encode("ascii"))
            _sync_file(file)
            if not end:
                _sync_folder(path.parent)

    def entries(self, key: str) -> list[Any]:
        """Give the entries of the log *key*, in order."""
        path = self._log_path(key)
        with _translated(path):
            try:
                content = path.read_bytes()
            except FileNotFoundError:
                return []
        # Not splitlines: and what follows the last line end is being written, or never was.
        lines = [_parsed(path, line) for line in content.split(b"\n")[:-1]]
        if not lines:
            return []
        _check_owner(path, lines[0], key)
        return lines[1:]

    def _value_path(self, key: str) -> Path:
        return self._values / f"{_hashed(key)}.json"

    def _log_path(self, key: str) -> Path:
        return self._logs / f"{_hashed(key)}.jsonl"


def _hashed(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _read_document(path: Path) -> tuple[str, Any] | None:
    with _translated(path):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
    match _parsed(path, content):
        case {"key": str(key), "value": value}:
            return key, value
        case _:
            raise StoreUnavailable(f"{path}: this is no value of a FileStore")


def _parsed(path: Path, content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise StoreUnavailable(f"{path}: torn or damaged: {problem}") from None


def _check_owner(path: Path, stored: Any, key: str) -> None:
    if stored != key:
        raise StoreUnavailable(f"{path}: holds the key {stored!r} under the name of {key!r}")


def _lock(fd: int, root: Path) -> None:
    deadline = time.monotonic() + _LOCK_SECONDS
    pause = 0.001
    while True:
        try:
            _try_lock(fd)
        except OSError:
            if time.monotonic() > deadline:
                raise StoreUnavailable(f"{root}: another process holds its lock") from None
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        else:
            return


def _whole_lines(fd: int) -> int:
    """Give where the last whole line of the file ends."""
    end = os.fstat(fd).st_size
    while end:
        start = max(0, end - 65536)
        os.lseek(fd, start, os.SEEK_SET)
        found = os.read(fd, end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _sync_file(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the names in *folder* durable; Windows does that itself and cannot be asked."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def _translated(path: Path) -> Generator[None, None, None]:
    try:
        yield
    except OSError as problem:
        raise StoreUnavailable(f"{path}: {problem.strerror or problem}") from problem
