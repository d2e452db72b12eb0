"""What passes through the proxy, and what becomes of it."""

from __future__ import annotations

import asyncio
import socket
import struct
from contextlib import suppress
from enum import StrEnum

__all__ = ["Passage", "Through", "Way"]

_CHUNK = 65536
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)

End = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Way(StrEnum):
    """Which way bytes go."""

    TO_SERVER = "to server"
    TO_CLIENT = "to client"


class Passage:
    """The faults that hold, the connections they strike, and a count of what went by."""

    def __init__(self) -> None:
        self.through: set[Through] = set()
        self.passed = dict.fromkeys(Way, 0)
        self.exchanges = 0
        self.delays = dict.fromkeys(Way, 0.0)
        self.left: dict[Way, int] = {}  # how many bytes pass until the cut, if one is asked for
        self.is_dark = False
        self._last = Way.TO_CLIENT

    def heal(self) -> None:
        """End every fault."""
        self.delays = dict.fromkeys(Way, 0.0)
        self.left = {}
        self.is_dark = False

    def cut(self) -> None:
        """Reset every connection."""
        for each in tuple(self.through):
            each.reset()

    async def admit(self, data: bytes, way: Way) -> bytes:
        """Give what of *data* passes *way*, when it does."""
        if self.delays[way]:
            await asyncio.sleep(self.delays[way])
        if self.is_dark:
            return b""
        admitted = data[: self.left.get(way, len(data))]
        if way in self.left:
            self.left[way] -= len(admitted)
        if admitted:
            self._count(len(admitted), way)
        return admitted

    def is_due(self, way: Way) -> bool:
        """Whether the cut asked for is to be made, all that was to pass having passed."""
        return self.left.get(way, 1) == 0

    def strike(self) -> None:
        """Make the cut that was asked for."""
        self.left = {}
        self.cut()

    def _count(self, count: int, way: Way) -> None:
        self.passed[way] += count
        if way is Way.TO_SERVER and self._last is Way.TO_CLIENT:
            self.exchanges += 1
        self._last = way


class Through:
    """One connection through the proxy, between *client* and *server*."""

    def __init__(self, client: End, server: End, *, passage: Passage) -> None:
        self._client, self._server = client, server
        self._passage = passage
        self._is_dead = False
        self._was_reset = asyncio.Event()

    async def carry(self) -> None:
        """Carry both ways until one end hangs up; then hang up on the other."""
        self._passage.through.add(self)
        ways = (
            asyncio.ensure_future(self._pump(self._client[0], self._server[1], Way.TO_SERVER)),
            asyncio.ensure_future(self._pump(self._server[0], self._client[1], Way.TO_CLIENT)),
        )
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._passage.through.discard(self)
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)
            for _, writer in (self._client, self._server):
                writer.close()

    def reset(self) -> None:
        """Cut at once: both ends see a reset."""
        self._was_reset.set()
        for _, writer in (self._client, self._server):
            sock: socket.socket | None = writer.get_extra_info("socket")
            if sock is not None:
                with suppress(OSError):  # it is closed already
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            writer.transport.abort()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: Way
    ) -> None:
        with suppress(OSError):  # an end that is gone ends the pump
            while data := await reader.read(_CHUNK):
                await self._pass_on(data, writer, way)

    async def _pass_on(self, data: bytes, writer: asyncio.StreamWriter, way: Way) -> None:
        admitted = await self._passage.admit(data, way)
        self._is_dead = self._is_dead or self._passage.is_dark
        if self._is_dead:
            await self._was_reset.wait()  # nothing is read any more, so that buffers fill
            return
        if admitted:
            writer.write(admitted)
            await writer.drain()
        if self._passage.is_due(way):
            self._passage.strike()
