"""One open connection, with the answers that are still to come on it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as LostConnectionError
from redis.exceptions import InvalidResponse, ReadOnlyError, RedisError, ResponseError
from redis.exceptions import TimeoutError as NoAnswerError

__all__ = ["Asked", "Command", "Link", "Reply", "fail"]

Command = tuple[str | bytes | int, ...]
"""A command and its arguments, as the driver packs them."""
Reply = asyncio.Future[Any]
"""What the server answers, to come."""

_PIECE = 1_000_000
_IDLE = 0.01
# How often the loop turns until the reader has seen what the server did while nobody looked: it
# finds the socket readable, hands on what is there, wakes the reader.
_TURNS = 3


class Asked(NamedTuple):
    """A command and where its answer goes."""

    command: Command
    reply: Reply


class Link:
    """Writes to *connection*, and hands out in order what comes back.

    It ends with the connection, or when nothing came for *patience* seconds although something was
    asked; then every answer still to come fails, and *lost* is called.
    """

    def __init__(
        self, connection: AbstractConnection, *, patience: float, lost: Callable[[], None]
    ) -> None:
        self.is_open = True
        self._connection: Any = connection  # what it reads is not typed
        self._patience = patience
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._sent: deque[Reply] = deque()
        self._moved_at = self._loop.time()  # when something last went or came
        self._watch: asyncio.TimerHandle | None = None
        self._reader = self._loop.create_task(self._read())

    async def is_stale(self) -> bool:
        """Whether the connection cannot be used any more, as far as can be told without sending."""
        if not self.is_open or self._sent or self._loop.time() - self._moved_at < _IDLE:
            return not self.is_open
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        return not self.is_open

    async def write(self, batch: list[Asked]) -> None:
        """Send the commands of *batch* in one piece."""
        if not self._sent:
            self._moved_at = self._loop.time()
        self._sent.extend([asked.reply for asked in batch])
        if self._watch is None:
            self._watch = self._loop.call_at(self._moved_at + self._patience, self._look)
        packed = self._connection.pack_commands([asked.command for asked in batch])
        try:
            for piece in _pieces(packed):
                await self._connection.send_packed_command(piece, check_health=False)
                self._moved_at = self._loop.time()
        except Exception as problem:  # noqa: BLE001  # the driver's: who waits for an answer gets it
            self._end(problem)

    async def close(self) -> None:
        """Close the connection; answers still to come fail."""
        self._end(LostConnectionError("the store is closed"))
        self._reader.cancel()
        with suppress(RedisError):  # it took too long to say goodbye
            await self._connection.disconnect()
        await asyncio.wait((self._reader,))

    async def _read(self) -> None:
        try:
            while True:
                await self._read_one()
        except Exception as problem:  # noqa: BLE001  # the driver's: who waits for an answer gets it
            self._end(problem)

    async def _read_one(self) -> None:
        refusal: ResponseError | None = None
        answer = None
        try:
            answer = await self._connection.read_response(
                disable_decoding=True, disconnect_on_error=False
            )
        except ResponseError as problem:
            refusal = problem
        if not self._sent:
            raise InvalidResponse("an answer that nobody asked for")
        self._moved_at = self._loop.time()
        reply = self._sent.popleft()
        if refusal is None:
            if not reply.done():
                reply.set_result(answer)
            return
        fail((reply,), refusal)
        if isinstance(refusal, ReadOnlyError):
            raise refusal  # the next connection may find who is primary now

    def _look(self) -> None:
        """Give up if nothing moved for too long."""
        self._watch = None
        if not self._sent or not self.is_open:
            return
        end = self._moved_at + self._patience
        if self._loop.time() < end:
            self._watch = self._loop.call_at(end, self._look)
            return
        self._abort()
        self._end(NoAnswerError("no answer"))

    def _abort(self) -> None:
        """Close without sending what is still to be sent: nobody takes it."""
        writer: asyncio.StreamWriter | None = getattr(self._connection, "_writer", None)
        if writer is not None:
            writer.transport.abort()

    def _end(self, problem: Exception) -> None:
        if not self.is_open:
            return
        self.is_open = False
        if self._watch is not None:
            self._watch.cancel()
        fail(self._sent, problem)
        self._sent.clear()
        self._lost()


def _pieces(packed: list[bytes]) -> Iterator[list[bytes]]:
    """Divide what is to be sent so that the time each piece takes is the time of a megabyte."""
    if sum(map(len, packed)) <= _PIECE:
        yield packed
        return
    for part in packed:
        for start in range(0, len(part), _PIECE):
            yield [part[start : start + _PIECE]]


def fail(replies: Iterable[Reply], problem: Exception) -> None:
    """Give *problem* to all who still wait."""
    for reply in replies:
        if not reply.done():
            reply.set_exception(problem)
