"""A primary with a replica, and the sentinel that watches them, from the same binaries."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from agentkit.testing.servers._process import ServerProcess, free_port
from agentkit.testing.servers._redis import RedisServer, command, follows, wait_until

__all__ = ["RedisSentinel"]

_HOST = "127.0.0.1"
_GONE_AFTER = 300  # milliseconds
_HASTE = ("--repl-diskless-sync-delay", "0")


class RedisSentinel:
    """A server, its replica and a sentinel of both, while its `with` block lasts.

    The sentinel promotes the replica a second or so after the primary is gone; alone it is a
    quorum.
    """

    def __init__(self, binary: Callable[[], Path], *, service: str = "agentkit") -> None:
        self.service: str = service
        """What the sentinel calls the two."""
        self.port: int = free_port()
        """Where the sentinel is."""
        self.primary: RedisServer = RedisServer(binary, *_HASTE)
        """The server that is primary at first."""
        self.replica: RedisServer = RedisServer(binary, *_HASTE)
        """The server that follows it."""
        self._folder = Path(tempfile.mkdtemp(prefix="agentkit-redis-"))
        words = [str(binary()), str(self._folder / "sentinel.conf"), "--sentinel"]
        self._process = ServerProcess(words, folder=self._folder, is_ready=self._is_ready)
        self._stack = ExitStack()

    @property
    def url(self) -> str:
        """Where the sentinel is, and what to ask it for."""
        return f"redis+sentinel://{_HOST}:{self.port}/{self.service}"

    def promote(self) -> None:
        """Have the sentinel put the replica in the primary's place, which follows it from now on.

        The sentinel would tell the former primary only ten seconds later.
        """
        self._until(  # it does not know its replica well enough at first
            lambda: command(self.port, "SENTINEL", "FAILOVER", self.service).startswith("+OK")
        )
        self._until(lambda: self.primary_port() == self.replica.port)
        command(self.primary.port, "REPLICAOF", _HOST, str(self.replica.port))

    def primary_port(self) -> int:
        """Give the port of the server that the sentinel takes for primary."""
        answer = command(self.port, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", self.service)
        return int(answer.split()[-1])

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.callback(shutil.rmtree, self._folder, ignore_errors=True)
            for server in (self.primary, self.replica):
                stack.enter_context(server)
            stack.callback(self._process.kill)
            self._watch()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _watch(self) -> None:
        command(self.replica.port, "REPLICAOF", _HOST, str(self.primary.port))
        rules = [
            f"port {self.port}",
            f"bind {_HOST}",
            "protected-mode no",
            f"sentinel monitor {self.service} {_HOST} {self.primary.port} 1",
            f"sentinel down-after-milliseconds {self.service} {_GONE_AFTER}",
        ]
        (self._folder / "sentinel.conf").write_text("\n".join(rules) + "\n", "utf-8")
        self._until(lambda: follows(self.replica.port))
        self._process.start()
        self._until(lambda: "slaves=1" in command(self.port, "INFO", "sentinel"))

    def _until(self, holds: Callable[[], bool]) -> None:
        wait_until(holds, failing="the sentinel did not take over in time")

    def _is_ready(self) -> bool:
        try:
            return command(self.port, "PING").startswith("+PONG")
        except OSError:
            return False
