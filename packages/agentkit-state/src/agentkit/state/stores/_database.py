"""The SQLite file behind the durable stores: a connection to write and one to read."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import asynccontextmanager, contextmanager
from stat import S_ISFIFO
from typing import Any, TypeVar

from agentkit.core.contracts.errors import AgentkitError
from agentkit.state.stores._paths import checked_file

__all__ = ["Database", "transaction"]

T = TypeVar("T")

_BUSY_SECONDS = 60.0  # SQLite's waiting is not fair: under load a writer may lose many rounds
_APPLICATION_ID = 0x61676B74  # "agkt", in the file's header
_SMALLEST_BYTES = 512  # no SQLite file that holds anything is smaller than its smallest page
_BUSY = 5  # the primary result codes SQLITE_BUSY and SQLITE_LOCKED
_LOCKED = 6

_VALUES = (
    "CREATE TABLE agentkit_kv (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, expires_at REAL)"
)
_EXPIRY = "CREATE INDEX agentkit_kv_expiry ON agentkit_kv (expires_at) WHERE expires_at IS NOT NULL"
_LOGS = (
    "CREATE TABLE agentkit_log (seq INTEGER PRIMARY KEY, key TEXT NOT NULL, value TEXT NOT NULL)"
)
_LOG_KEYS = "CREATE INDEX agentkit_log_key ON agentkit_log (key, seq)"
_CHECKPOINTS = (
    "CREATE TABLE agentkit_checkpoints"
    " (run_id TEXT NOT NULL, version INTEGER NOT NULL, status TEXT NOT NULL,"
    " created_at REAL NOT NULL, state TEXT NOT NULL, metadata TEXT NOT NULL,"
    " PRIMARY KEY (run_id, version))"
)
# One entry per schema version, in order; a released one never changes.
_MIGRATIONS = ((_VALUES, _EXPIRY, _LOGS, _LOG_KEYS, _CHECKPOINTS),)


class _Line:
    """One connection, and the thread that whatever uses it runs in."""

    def __init__(self, name: str) -> None:
        self.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"agentkit-{name}")
        self.connection: sqlite3.Connection | None = None
        self.left: Future[Any] | None = None
        """What runs to its end although nobody waits for it any more."""


class Database:
    """A SQLite file of ours: WAL, fully synchronous, shared with other processes.

    What is written is done in order. A read waits for no writer, and sees what was acknowledged
    before it was asked; a call that has begun runs to its end, whole, also when its caller is
    cancelled meanwhile, and a read does wait for such a one, so that nothing happens after it was
    seen not to have. What SQLite raises leaves as *unavailable*, naming the path.
    """

    def __init__(self, path: str | os.PathLike[str], *, unavailable: type[AgentkitError]) -> None:
        self.path: str = checked_file(path)
        self._unavailable = unavailable
        self._place: str = self.path  # as it was when it was opened, wherever we go
        self._opened: tuple[int, int] | None = None
        self._writer = _Line("sqlite-writer")
        self._reader = _Line("sqlite-reader")

    @classmethod
    @asynccontextmanager
    async def open(
        cls, path: str | os.PathLike[str], *, unavailable: type[AgentkitError]
    ) -> AsyncGenerator[Database, None]:
        """Open the file at *path*, creating it if needed, until the end of the block."""
        database = cls(path, unavailable=unavailable)
        try:
            await database._run(database._writer, database._connect_to_write)
            await database._run(database._reader, database._connect_to_read)
            yield database
        finally:
            await database._close()

    async def call(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run *work* with the connection that writes, and give what it returns."""
        return await self._run(self._writer, lambda: self._work(self._writer, work))

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run *work* with the connection that only reads, and give what it returns."""
        return await self._run(self._reader, lambda: self._look(work))

    def broken(self, problem: object) -> AgentkitError:
        """Give the error for a file that holds something else than it should."""
        return self._unavailable(f"{self.path}: {problem}")

    async def _run(self, line: _Line, job: Callable[[], T]) -> T:
        try:
            running = line.thread.submit(job)
        except RuntimeError:
            raise self.broken("it was closed; use the store inside its `async with`") from None
        try:
            return await asyncio.wrap_future(running)
        except asyncio.CancelledError:
            line.left = running
            raise

    def _look(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._writer.left is not None:
            wait((self._writer.left,))
        return self._work(self._reader, work)

    def _work(self, line: _Line, work: Callable[[sqlite3.Connection], T]) -> T:
        if line.connection is None:
            raise self.broken("it is not open")
        with self._translated():
            result = work(line.connection)
        if self._identity() != self._opened:  # what was written is in a file that nobody finds
            raise self.broken("it was removed or replaced while it was open; open it again")
        return result

    def _connect_to_write(self) -> None:
        self._place = os.path.abspath(self.path)  # noqa: PTH100 - a path of bytes as well
        self._check_size()
        with self._translated():
            connection = self._connection()
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._writer.connection = connection
        self._opened = self._identity()

    def _connect_to_read(self) -> None:
        with self._translated():
            self._reader.connection = self._connection()
            self._reader.connection.execute("PRAGMA query_only = ON")

    def _connection(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )

    def _check_size(self) -> None:
        """Refuse a file too short for SQLite, which would take it for empty and write, or a pipe.

        Its size alone is looked at: closing a file that was opened beside SQLite drops the locks
        that this process holds on it (sqlite.org/howtocorrupt.html, 2.2).
        """
        try:
            found = os.stat(self._place)  # noqa: PTH116 - a path of bytes as well
        except OSError:
            return  # it is not there yet, or SQLite has a word for what it is
        if S_ISFIFO(found.st_mode) or 0 < found.st_size < _SMALLEST_BYTES:
            raise self.broken("file is not a database; choose another")

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._place)  # noqa: PTH116 - a path of bytes as well
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _prepare(self, connection: sqlite3.Connection) -> None:
        version = self._schema_version(connection)
        _patiently(connection, "PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if version == len(_MIGRATIONS):
            return
        with transaction(connection):
            for migration in _MIGRATIONS[self._schema_version(connection) :]:
                for statement in migration:
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")

    def _schema_version(self, connection: sqlite3.Connection) -> int:
        (tables,) = _patiently(connection, "SELECT count(*) FROM sqlite_master")
        (application,) = _patiently(connection, "PRAGMA application_id")
        (version,) = _patiently(connection, "PRAGMA user_version")
        if tables and application != _APPLICATION_ID:
            raise self.broken("this SQLite file belongs to another application; choose another")
        if version > len(_MIGRATIONS):
            raise self.broken(
                f"its schema {version} is newer than {len(_MIGRATIONS)}, the newest that this "
                "agentkit-state knows; upgrade agentkit-state"
            )
        return int(version)

    async def _close(self) -> None:
        reading = self._reader.thread.submit(self._disconnect, self._reader)
        writing = self._writer.thread.submit(self._disconnect_last, reading)
        for line in (self._reader, self._writer):
            line.thread.shutdown(wait=False)  # what is queued still runs, the closing included
        await asyncio.shield(asyncio.wrap_future(writing))  # also when its owner is cancelled

    def _disconnect_last(self, reading: Future[None]) -> None:
        """Disconnect who may write when nobody reads any more: then the log goes into the file."""
        try:
            reading.result()
        finally:
            self._disconnect(self._writer)

    def _disconnect(self, line: _Line) -> None:
        connection, line.connection = line.connection, None
        if connection is not None:
            with self._translated():
                connection.close()

    @contextmanager
    def _translated(self) -> Generator[None, None, None]:
        try:
            yield
        except sqlite3.Error as problem:
            raise self.broken(problem) from problem


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None, None, None]:
    """Hold the file's write lock for the block: all of it is written, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _patiently(connection: sqlite3.Connection, statement: str) -> tuple[Any, ...]:
    """Run *statement* while others open the file too: SQLite itself does not wait for all of it."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            row: tuple[Any, ...] = connection.execute(statement).fetchone()
        except sqlite3.OperationalError as problem:
            code = problem.sqlite_errorcode & 0xFF
            if code not in (_BUSY, _LOCKED) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return row
