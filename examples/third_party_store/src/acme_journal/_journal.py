"""The file behind the store: a line of JSON for each change, read back by whoever has it open."""

import fcntl
import json
import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from agentkit.core.contracts.errors import StoreUnavailable

T = TypeVar("T")

_HEADER = b'"acme journal, format 1"\n'


class Journal:
    """What the file at *path* says: the text of each value, and of each entry of each log.

    Blocking: made to be called from a thread. What the file system raises leaves as
    `StoreUnavailable`, naming the path.
    """

    def __init__(self, path: Path) -> None:
        self.values: dict[str, str] = {}
        self.logs: dict[str, list[str]] = {}
        self._path = path
        self._end = 0  # of what was read so far
        self._turn = threading.Lock()
        with self._translated():
            self._file = path.open("a+b", buffering=0)

    def locked(self, job: Callable[[], T]) -> T:
        """Give what *job* returns, once every change is read and while nobody makes another."""
        with self._turn, self._translated():
            if self._file.closed:
                raise self._broken("it was closed")
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                self._catch_up()
                return job()
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def write(self, verb: str, key: str, text: str) -> None:
        """Make a change: it is on disk on return, and whole or absent. Only inside `locked`."""
        line = json.dumps([verb, key, text]).encode("ascii") + b"\n"
        left = memoryview(line if self._end else _HEADER + line)
        try:
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(self._end)
            raise
        self._catch_up()

    def close(self) -> None:
        """Close the file, once the call under way has ended."""
        with self._turn:
            self._file.close()

    def _catch_up(self) -> None:
        self._file.seek(self._end)
        new = self._file.read() or b""
        if not self._end:
            self._check_header(new)
        for line in new.splitlines(keepends=True):
            if not line.endswith(b"\n"):
                self._file.truncate(self._end)  # its writer died before it could say it wrote
                return
            if self._end:
                self._apply(line)
            self._end += len(line)

    def _check_header(self, content: bytes) -> None:
        if not (content.startswith(_HEADER) or _HEADER.startswith(content)):
            raise self._broken("not a journal of this version; choose another file, or upgrade")

    def _apply(self, line: bytes) -> None:
        match _parsed(line):
            case ["set", str(key), str(text)]:
                self.values[key] = text
            case ["delete", str(key), _]:
                self.values.pop(key, None)
            case ["append", str(key), str(text)]:
                self.logs.setdefault(key, []).append(text)
            case _:
                raise self._broken(f"damaged at byte {self._end}")

    def _broken(self, problem: str) -> StoreUnavailable:
        return StoreUnavailable(f"{self._path}: {problem}")

    @contextmanager
    def _translated(self) -> Generator[None, None, None]:
        try:
            yield
        except OSError as problem:
            raise self._broken(problem.strerror or str(problem)) from problem


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
