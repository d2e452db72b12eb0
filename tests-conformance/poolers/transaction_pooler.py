"""A pooler that lends each transaction another connection, and notes what statements are called."""

import asyncio
import itertools
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

__all__ = ["TransactionPooler"]

_HOST = "127.0.0.1"
_STARTUP = struct.pack("!i", 196608) + b"user\0agentkit\0database\0postgres\0\0"
_CANCEL = struct.pack("!i", 80877102)
_ENCRYPT = {struct.pack("!i", code) for code in (80877103, 80877104)}  # by TLS, by GSSAPI
_NO = b"N"
_WELCOME = b"R" + struct.pack("!ii", 8, 0)
_READY = b"Z" + struct.pack("!i", 5) + b"I"
_SYNC = b"S" + struct.pack("!i", 4)
_ROLLBACK = b"Q" + struct.pack("!i", 13) + b"ROLLBACK\0"
_IDLE = b"I"


class Message(NamedTuple):
    """A message: its kind, what it says, and all its bytes."""

    kind: bytes
    body: bytes
    raw: bytes


class End:
    """One end of a connection, as messages."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.secret = b""

    async def packet(self) -> bytes:
        """Give the body of what comes while messages have no kinds yet."""
        length = int.from_bytes(await self.reader.readexactly(4))
        return await self.reader.readexactly(length - 4)

    async def message(self) -> Message:
        """Give the next message; raises `EOFError` for a goodbye, as where there is none."""
        head = await self.reader.readexactly(5)
        if head.startswith(b"X"):
            raise EOFError
        body = await self.reader.readexactly(int.from_bytes(head[1:]) - 4)
        return Message(head[:1], body, head + body)

    async def send(self, data: bytes) -> None:
        """Send *data*."""
        self.writer.write(data)
        await self.writer.drain()


class TransactionPooler:
    """Listens on a loopback port, and passes on to *port* through a few connections.

    They are lent in turn, so that hardly two transactions of one client meet the same.
    """

    def __init__(self, port: int) -> None:
        self.port = 0
        self.names: set[bytes] = set()
        """How the statements were called that were parsed."""
        self.lent: set[tuple[int, bytes]] = set()
        """Which client met which connection."""
        self._target = (_HOST, port)
        self._settings = b""
        self._free: asyncio.Queue[End] = asyncio.Queue()
        self._at_work: dict[int, End] = {}
        self._cancelling = asyncio.Lock()
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def open(cls, port: int, *, size: int) -> AsyncGenerator["TransactionPooler"]:
        """Listen until the end of the block, with *size* connections."""
        pooler = cls(port)
        backends = [await pooler._connected() for _ in range(size)]
        server = await asyncio.start_server(pooler._accept, _HOST, 0)
        pooler.port = server.sockets[0].getsockname()[1]
        try:
            yield pooler
        finally:
            server.close()
            for task in pooler._tasks:
                task.cancel()
            if pooler._tasks:
                await asyncio.wait(pooler._tasks)
            for backend in backends:
                backend.writer.close()

    async def _connected(self) -> End:
        backend = End(*await asyncio.open_connection(*self._target))
        await backend.send(_framed(_STARTUP))
        self._settings = b""
        while (message := await backend.message()).kind != b"Z":
            if message.kind == b"S":
                self._settings += message.raw
            if message.kind == b"K":
                backend.secret = message.body
        self._free.put_nowait(backend)
        return backend

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task: asyncio.Task[None] = asyncio.ensure_future(self._meet(End(reader, writer)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _meet(self, client: End) -> None:
        try:
            while (packet := await client.packet())[:4] in _ENCRYPT:
                await client.send(_NO)
            if packet.startswith(_CANCEL):
                await self._cancel(int.from_bytes(packet[4:8]))
            else:
                await self._serve(client)
        except (EOFError, OSError):
            return  # the client went away
        finally:
            client.writer.close()

    async def _serve(self, client: End) -> None:
        number = next(self._numbers)
        key = b"K" + struct.pack("!iii", 12, number, 0)
        await client.send(_WELCOME + self._settings + key + _READY)
        while True:
            first = await client.message()
            backend = self._at_work[number] = await self._free.get()
            self.lent.add((number, backend.secret))
            try:
                await self._carry(client, backend, first)
            finally:
                async with self._cancelling:  # what was asked for strikes nobody else
                    del self._at_work[number]
                self._free.put_nowait(backend)

    async def _carry(self, client: End, backend: End, message: Message) -> None:
        """Carry one transaction, which begins with *message*; undo it if the client goes away."""
        ready: asyncio.Queue[bytes] = asyncio.Queue()
        answers = asyncio.create_task(_answer(client, backend, ready))
        try:
            while True:
                if message.kind == b"P":
                    self.names.add(message.body.partition(b"\0")[0])
                await backend.send(message.raw)
                if message.kind in {b"Q", b"S"} and await ready.get() == _IDLE:
                    return
                message = await client.message()
        except (EOFError, OSError):
            await backend.send(_SYNC)
            if await ready.get() != _IDLE:
                await backend.send(_ROLLBACK)
            raise
        finally:
            await answers

    async def _cancel(self, number: int) -> None:
        async with self._cancelling:
            backend = self._at_work.get(number)
            if backend is None:
                return
            other = End(*await asyncio.open_connection(*self._target))
            await other.send(_framed(_CANCEL + backend.secret))
            await other.reader.read()  # to the end: then it is done
            other.writer.close()


async def _answer(client: End, backend: End, ready: asyncio.Queue[bytes]) -> None:
    """Carry what the server says to the end of a transaction, and tell when it is *ready*."""
    status = b""
    while status != _IDLE:
        message = await backend.message()
        with suppress(OSError):
            await client.send(message.raw)
        if message.kind == b"Z":
            status = message.body
            ready.put_nowait(status)


def _framed(packet: bytes) -> bytes:
    return struct.pack("!i", len(packet) + 4) + packet
