"""A server as a process of ours: started on a free port, killed, started again, stopped."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

__all__ = ["ServerProcess", "ServerStartError", "free_port"]

_TICK = 0.005
_SHOWN = 2000


class ServerStartError(RuntimeError):
    """A server ended, or did not answer in time; the message ends with what it had logged."""


def free_port(*, host: str = "127.0.0.1") -> int:
    """Give a port of *host* that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


class ServerProcess:
    """Runs *command* in *folder* until `stop`; what it prints goes to `server.log` there.

    *is_ready* tells whether it answers. *user* is whom to run it as, a (uid, gid), for servers that
    refuse to be run by root.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        is_ready: Callable[[], bool],
        patience: float = 30.0,
        user: tuple[int, int] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._command = list(command)
        self._folder = folder
        self._is_ready = is_ready
        self._patience = patience
        self._user = user
        self._environment = None if environment is None else dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        """The file that has what the server printed."""
        return self._folder / "server.log"

    @property
    def pid(self) -> int:
        """The number of the process; 0 when there is none."""
        return 0 if self._process is None else self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the server and return once it answers.

        Raises:
            ServerStartError: It ended, or did not answer in time.

        """
        if self.is_running:
            return
        uid, gid = self._user or (None, None)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  # a command of ours
                self._command,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
                user=uid,
                group=gid,
                extra_groups=None if uid is None else [],
                start_new_session=True,  # the terminal's Ctrl-C stops the tests, which stop it
            )
        self._guard = _guard(self._process)
        try:
            self._wait_until_ready(self._process)
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """End the server in order, by force if it takes too long."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End the server as a power cut would: no goodbye, nothing flushed."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop the server in its tracks: it accepts and keeps connections, and answers nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen server go on."""
        self._signal(signal.SIGCONT)

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + self._patience
        while not self._is_ready():
            if process.poll() is not None:
                raise ServerStartError(self._story(f"it ended with code {process.returncode}"))
            if time.monotonic() > end:
                raise ServerStartError(self._story(f"no answer within {self._patience:g} s"))
            time.sleep(_TICK)

    def _signal(self, sign: signal.Signals) -> None:
        if self._process is not None and self.is_running:
            os.kill(self._process.pid, sign)

    def _end(self, sign: signal.Signals) -> None:
        process, self._process = self._process, None
        guard, self._guard = self._guard, None
        if guard is not None:
            _dismiss(guard)
        if process is None or process.poll() is not None:
            return
        process.send_signal(sign)
        process.send_signal(signal.SIGCONT)  # a frozen one heeds nothing but SIGKILL
        try:
            process.wait(self._patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _story(self, what: str) -> str:
        logged = self.log.read_text("utf-8", "replace").strip()
        return f"{self._command[0]} did not start: {what}\n{logged[-_SHOWN:]}"


def _guard(process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    """Start what kills *process* if ours is killed itself and can end nothing any more."""
    return subprocess.Popen(  # noqa: S603  # nothing but a number goes in
        ["/bin/sh", "-c", f"read _; kill -9 {process.pid}"],
        stdin=subprocess.PIPE,  # at its end when we are gone
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _dismiss(guard: subprocess.Popen[bytes]) -> None:
    guard.kill()
    guard.wait()
    if guard.stdin is not None:
        guard.stdin.close()
