"""The folder of a `FileStore`: which file holds what, and what is in it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

from agentkit.core.contracts.errors import StoreUnavailable, StoreValueError
from agentkit.core.contracts.store_rules import decode_value
from agentkit.state.stores._claimed import ClaimedFolder
from agentkit.state.stores._files import (
    content_of,
    replace_file,
    sync_folder,
    translated,
    write_durably,
)

__all__ = ["Folder"]


class Folder(ClaimedFolder):
    """Values and logs as files under *root*; the name of each is a hash, its key is inside.

    A value is replaced as a whole or not at all, and an entry of a log is there whole or not at
    all; both are on disk when the call returns. Blocking: made to be called from a thread. What
    the file system raises leaves as `StoreUnavailable`, naming the path.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        super().__init__(root, "kv", "log")
        self._values, self._logs = self._parts

    def read(self, key: str) -> tuple[bool, Any]:
        """Give whether there is a value at *key*, and the value."""
        self.check_format()
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
        replace_file(path, f'{{"key":{json.dumps(key)},"value":{value}}}\n'.encode("ascii"))

    def remove(self, key: str) -> None:
        """Remove the value at *key*, if there is one. The folder must be locked."""
        path = self._value_path(key)
        with translated(path), suppress(FileNotFoundError):
            path.unlink()
            sync_folder(path.parent)

    def stored_keys(self) -> Iterator[str]:
        """Give the keys of the values there are."""
        self.check_format()
        for path in self._value_paths():
            found = _read_document(path)
            if found is not None:  # else it was removed meanwhile
                yield found[0]

    def append(self, key: str, entry: str) -> None:
        """Add the JSON text *entry* to the log *key*. The folder must be locked."""
        path = self._log_path(key)
        with translated(path), path.open("a+b", buffering=0) as file:
            end = _whole_lines(file.fileno())
            if end:
                _check_owner(path, _parsed(path, _first_line(file)), key)
            file.truncate(end)  # the rest was never acknowledged: its writer died
            head = "" if end else f"{json.dumps(key)}\n"
            try:
                write_durably(file, f"{head}{entry}\n".encode("ascii"))
            except OSError:
                file.truncate(end)
                raise
            if not end:
                sync_folder(path.parent)

    def entries(self, key: str) -> list[Any]:
        """Give the entries of the log *key*, in order."""
        self.check_format()
        path = self._log_path(key)
        content = content_of(path)
        # Not splitlines: and what follows the last line end is being written, or never was.
        lines = [_parsed(path, line) for line in (content or b"").split(b"\n")[:-1]]
        if not lines:
            return []
        _check_owner(path, lines[0], key)
        return lines[1:]

    def _value_paths(self) -> list[Path]:
        with translated(self._values), suppress(FileNotFoundError):
            # Not glob, which gives nothing of a folder that cannot be listed. And as a set: a file
            # that is replaced while the folder is listed may be listed twice.
            return sorted({path for path in self._values.iterdir() if path.suffix == ".json"})
        return []

    def _value_path(self, key: str) -> Path:
        return self._values / f"{_hashed(key)}.json"

    def _log_path(self, key: str) -> Path:
        return self._logs / f"{_hashed(key)}.jsonl"


def _hashed(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _read_document(path: Path) -> tuple[str, Any] | None:
    content = content_of(path)
    if content is None:
        return None
    match _parsed(path, content):
        case {"key": str(key), "value": value}:
            return key, value
        case _:
            raise StoreUnavailable(f"{path}: this is no value of a FileStore")


def _parsed(path: Path, content: bytes) -> Any:
    try:
        return decode_value(content)
    except StoreValueError as problem:
        raise StoreUnavailable(f"{path}: torn or damaged: {problem}") from None


def _check_owner(path: Path, stored: Any, key: str) -> None:
    if stored != key:
        raise StoreUnavailable(f"{path}: holds the key {stored!r} under the name of {key!r}")


def _first_line(file: FileIO) -> bytes:
    file.seek(0)
    return file.readline()


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
