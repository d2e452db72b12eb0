"""A proxy between an adapter and its server, on which a network fails as a test asks."""

from __future__ import annotations

import asyncio
import ssl
from types import TracebackType
from typing import Self

from agentkit.testing.faults._passage import Passage, Through, Way

__all__ = ["TcpProxy"]

_HOST = "127.0.0.1"


class TcpProxy:
    """Listens on a loopback port while its `async with` block lasts, and passes on to *port*.

    Faults strike at the byte they are asked for, so a test that fails once fails again. With *tls*
    the adapter's side speaks TLS, which test servers often cannot. It belongs to the event loop
    that entered it.
    """

    def __init__(self, port: int, *, host: str = _HOST, tls: ssl.SSLContext | None = None) -> None:
        self.port: int = 0
        """Where it listens."""
        self._target = (host, port)
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._passage = Passage()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def connections(self) -> int:
        """How many connections go through it now."""
        return len(self._passage.through)

    @property
    def exchanges(self) -> int:
        """How many round trips there were: what went to the server after an answer, or first."""
        return self._passage.exchanges

    @property
    def passed(self) -> dict[Way, int]:
        """How many bytes went each way."""
        return dict(self._passage.passed)

    def delay(self, seconds: float, *, way: Way = Way.TO_CLIENT) -> None:
        """Let whatever goes *way* take *seconds* longer."""
        self._passage.delays[way] = seconds

    def cut_after(self, count: int, *, way: Way) -> None:
        """Reset every connection once, after *count* more bytes went *way*; 0 is before the next.

        Connections made later are whole.
        """
        self._passage.left = {way: count}

    def cut(self) -> None:
        """Reset every connection now."""
        self._passage.cut()

    def blackhole(self) -> None:
        """Take nothing more, either way, until `heal`; a connection that met this stays dead.

        It counts as one of `connections` until it is cut: that its end hung up is not seen either.
        """
        self._passage.is_dark = True

    async def refuse(self) -> None:
        """Reset every connection and refuse new ones, until `heal`."""
        await self._stop_listening()
        self.cut()

    async def heal(self) -> None:
        """End every fault: new connections work."""
        self._passage.heal()
        if self._server is None:
            await self._listen()

    async def __aenter__(self) -> Self:
        await self._listen()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stop_listening()
        self.cut()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(
            self._accept, _HOST, self.port, ssl=self._tls, reuse_address=True
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def _stop_listening(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            server = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        await Through((reader, writer), server, passage=self._passage).carry()
