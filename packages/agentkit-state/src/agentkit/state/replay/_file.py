"""Replay records as files, one for each span."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.replay import ReplayRecord
from agentkit.state.replay._places import default_folder, folder_from_env
from agentkit.state.replay._records import as_data, from_text, to_text

__all__ = ["FileReplayStore"]

_SPAN_ID = re.compile(r"[0-9a-fA-F]{16,32}")
_SHOWN = 60

_log = logging.getLogger("agentkit.state.replay")


class FileReplayStore:
    """A `ReplayStore` in JSON files, `<root>/<span_id>.json`, that never raises into a run.

    What it could not keep is counted in `dropped_writes`, what is there and could not be read in
    `failed_reads`; the first failure of each class is logged. A file is replaced as a whole, so
    that no reader sees half of it, but is not synced: after a power cut the latest may be gone.
    A span id is 16 to 32 hex digits, in either case.

    *redact* sees every record before it is written, its payloads as plain JSON, and gives what is
    written in its place, or None to keep nothing. It runs in a thread. When it fails nothing is
    written.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        redact: Callable[[ReplayRecord], ReplayRecord | None] | None = None,
    ) -> None:
        self.dropped_writes: int = 0
        self.failed_reads: int = 0
        self._root = Path(root)
        self._redact = redact
        self._logged: set[str] = set()

    @classmethod
    def from_env(
        cls, *, redact: Callable[[ReplayRecord], ReplayRecord | None] | None = None
    ) -> FileReplayStore | None:
        """Give a store in the folder that `AGENTKIT_REPLAY_DIR` names; None if it is not set."""
        folder = folder_from_env(os.environ)
        return None if folder is None else cls(folder, redact=redact)

    @classmethod
    def default(
        cls, *, redact: Callable[[ReplayRecord], ReplayRecord | None] | None = None
    ) -> FileReplayStore:
        """Give a store in the user's data directory.

        That is `$XDG_DATA_HOME/agentkit/replays`, or `~/.local/share/agentkit/replays`.
        """
        return cls(default_folder(os.environ), redact=redact)

    @property
    def root(self) -> Path:
        """The folder of the files; the first write makes it."""
        return self._root

    async def put(self, record: ReplayRecord) -> None:
        """Write *record*, replacing the one of its span; a failure is counted and logged."""
        try:
            await asyncio.to_thread(self._write, record)
        except Cancelled:
            raise
        except Exception as exc:  # noqa: BLE001 - watching a run must not hurt it
            self.dropped_writes += 1
            self._log_once("a replay record was not kept", exc)

    async def get(self, span_id: str) -> ReplayRecord | None:
        """Give the record of *span_id*, its payloads as plain data; None without a readable one."""
        try:
            return await asyncio.to_thread(self._read, span_id)
        except FileNotFoundError:
            _log.debug("no replay record of span %s", span_id)
        except Exception as exc:  # noqa: BLE001 - whoever looks at a run must not hurt it either
            self.failed_reads += 1
            self._log_once("a replay record could not be read", exc)
        return None

    def _log_once(self, what: str, exc: Exception) -> None:
        kind = f"{what}: {_kind(exc)}"
        if kind not in self._logged:
            self._logged.add(kind)
            _log.error("%s: %s", what, exc)

    # The rest runs in a thread.

    def _write(self, record: ReplayRecord) -> None:
        path = self._path(record.span_id)
        kept = self._redacted(as_data(record))
        if kept is None:
            return
        text = to_text(replace(kept, span_id=record.span_id))
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        _put(path, text)

    def _redacted(self, record: ReplayRecord) -> ReplayRecord | None:
        if self._redact is None:
            return record
        try:
            kept: Any = self._redact(record)  # whatever it gives
        except Cancelled:
            raise
        except Exception as exc:  # noqa: BLE001 - its text may hold what it was to take out
            raise _Problem("redaction", f"redact raised {type(exc).__qualname__}") from None
        if kept is None or isinstance(kept, ReplayRecord):
            return kept
        raise _Problem("redaction", f"redact gave {type(kept).__qualname__}, no ReplayRecord")

    def _read(self, span_id: str) -> ReplayRecord:
        path = self._path(span_id)
        content = path.read_bytes()
        try:
            record = from_text(content)
        except ValueError:
            raise _Problem("damaged", f"{path} is torn or damaged") from None
        if record.span_id.lower() != path.stem:
            raise _Problem("damaged", f"{path} holds the record of another span")
        return record

    def _path(self, span_id: str) -> Path:
        """Give the file of *span_id*, which must be such that it names no other place."""
        text: Any = span_id  # whatever was passed
        if not isinstance(text, str) or not _SPAN_ID.fullmatch(text):
            shown = repr(text)[:_SHOWN]
            raise _Problem("span id", f"a span id is 16 to 32 hex digits; got {shown}")
        return self._root / f"{text.lower()}.json"  # some file systems know no case


class _Problem(Exception):
    """A failure that is no operating system's, of a *kind* that is logged once."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def _kind(exc: Exception) -> str:
    if isinstance(exc, _Problem):
        return exc.kind
    return f"{type(exc).__qualname__} {getattr(exc, 'errno', '')}"


def _put(path: Path, text: str) -> None:
    """Put *text* at *path*, readable by its owner alone: prompts are private."""
    fd, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=".tmp", dir=path.parent)
    incoming = Path(name)
    try:
        with open(fd, "w", encoding="ascii") as file:  # noqa: PTH123 - it is a descriptor
            file.write(text)
        incoming.replace(path)
    except BaseException:
        incoming.unlink(missing_ok=True)
        raise
