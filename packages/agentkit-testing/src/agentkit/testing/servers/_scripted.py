"""A model provider on a loopback port that answers what a test tells it to."""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from agentkit.core.contracts.errors import Failure
from agentkit.core.testing import Turn
from agentkit.testing._play import Cut, Ending, Played, provider_error
from agentkit.testing.servers._chat_completions import ChatCompletions
from agentkit.testing.servers._wires import Answer, Asked, WireDialect

__all__ = ["ScriptedProvider"]

_SMALL = 4_000
_TICK = 0.02
_HELLO = Turn("hello")


class ScriptedProvider:
    """An HTTP server that speaks a provider's wire format; use it as a context manager.

    It answers what `play` told it to, one item for each request, the last one again and again. A
    small body is sent a few bytes at a time, so that no client sees a frame in one piece. It runs
    in threads of its own: every method may be called from anywhere.
    """

    def __init__(self, dialect: WireDialect | None = None) -> None:
        self._dialect = dialect or ChatCompletions()
        self._lock = threading.Lock()
        self._script: list[Played] = [_HELLO]
        self._seen: list[Asked] = []
        self._under_way = 0
        self._idle = threading.Condition(self._lock)
        self._server: _Server | None = None
        self._port = 0

    def __enter__(self) -> Self:
        self.restore()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.break_off()

    @property
    def url(self) -> str:
        """Where it is: `http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def requests(self) -> Sequence[Asked]:
        """The model calls that it has seen, in order."""
        with self._lock:
            return tuple(self._seen)

    def play(self, script: Iterable[Played]) -> None:
        """Answer *script* from now on, whatever was planned before."""
        items = list(script)
        if not items:
            raise ValueError("a script has at least one answer")
        with self._lock:
            self._script = items

    def unfinished(self, *, patience: float = 2.0) -> int:
        """Give how many answers are still being sent, waiting *patience* seconds for none."""
        with self._idle:
            self._idle.wait_for(lambda: not self._under_way, patience)
            return self._under_way

    def break_off(self) -> None:
        """Close every connection and take no more, until `restore`."""
        server, self._server = self._server, None
        if server is not None:
            server.stop()

    def restore(self) -> None:
        """Listen, on the same port as before."""
        if self._server is None:
            self._server = _Server(self._port, self)
            self._port = self._server.server_port

    def take(self, asked: Asked) -> tuple[Answer, int | None, Ending]:
        """Give the answer to *asked*, how many bytes of it to send, and what comes then."""
        aside = self._dialect.aside(asked)
        if aside is not None:
            return aside, None, "close"
        played = self._next(asked)
        if isinstance(played, Turn):
            return self._dialect.answer(played, asked), None, "close"
        if isinstance(played, Failure):
            after = str(played.partial_output or "")
            return self._dialect.failure(provider_error(played), asked, after=after), None, "close"
        return self._dialect.answer(played.turn, asked), played.after, played.then

    def begin(self) -> None:
        """Count an answer as under way."""
        with self._idle:
            self._under_way += 1

    def end(self) -> None:
        """Count it as done, or given up."""
        with self._idle:
            self._under_way -= 1
            self._idle.notify_all()

    def _next(self, asked: Asked) -> Turn | Failure | Cut:
        with self._lock:
            self._seen.append(asked)
            return self._script.pop(0) if len(self._script) > 1 else self._script[0]


class _Server(ThreadingHTTPServer):
    """Listens at once; `stop` ends it and every connection."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 512

    def __init__(self, port: int, provider: ScriptedProvider) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.provider = provider
        self.stopping = threading.Event()
        self.connections: set[socket.socket] = set()
        self._thread = threading.Thread(target=self.serve_forever, args=(_TICK,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take no more, and cut whoever is connected."""
        self.stopping.set()
        self.shutdown()
        self.server_close()
        self._thread.join()
        for connection in list(self.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients of this server leave when they like."""


class _Handler(BaseHTTPRequestHandler):
    """One connection, with as many requests as its client sends."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server  # type: ignore[mutable-override]  # no other server makes one

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"null")
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer, most, then = self.server.provider.take(
            Asked(path=self.path, headers=headers, body=body)
        )
        self.server.provider.begin()
        try:
            self._send(answer, most, then)
        except OSError:  # whoever asked has left
            self.close_connection = True
        finally:
            self.server.provider.end()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""

    def _send(self, answer: Answer, most: int | None, then: Ending) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        whole = b"".join(answer.frames)
        for piece in _cut(whole if most is None else whole[:most]):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        if then == "hang":
            self._wait_until_they_leave()
        if then == "close":
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def _wait_until_they_leave(self) -> None:
        while not self.server.stopping.is_set():
            readable, _, _ = select.select([self.connection], [], [], _TICK)
            if readable and not self.connection.recv(1):
                return


def _cut(body: bytes) -> list[bytes]:
    """Cut *body* into the pieces that are sent: odd ones, so that they cut through everything."""
    size = 29 if len(body) < _SMALL else 4_099
    return [body[at : at + size] for at in range(0, len(body), size)]
