"""The way to one server: commands to it, scripts on it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from redis.exceptions import ConnectionError as LostConnectionError
from redis.exceptions import NoScriptError, ResponseError

from agentkit.state.redis._lane import Lane
from agentkit.state.redis._source import Address, Source

__all__ = ["Lanes", "Script", "Server", "Wire", "run_on"]


class Script:
    """A Lua function, known to a server by its digest once it has run there.

    The first of its arguments are *keys*, all of one slot.
    """

    def __init__(self, source: str, *, keys: int = 1) -> None:
        self.source = source
        self.keys = keys
        self.digest = hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()


class Wire(Protocol):
    """The way to where a key is."""

    async def call(self, name: str, key: bytes, *arguments: str | bytes | int) -> Any:
        """Give the answer to the command *name* on *key*."""
        ...

    async def run(self, script: Script, key: bytes, *arguments: str | bytes | int) -> Any:
        """Give what *script* returns for *key* and what else it takes."""
        ...

    def lanes(self) -> AsyncIterator[Lane]:
        """Give a lane to each server that holds keys of its own."""
        ...

    async def greet(self) -> None:
        """Return once a server has answered."""
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...


class Lanes:
    """The lanes of each event loop, to each address."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lanes: dict[tuple[asyncio.AbstractEventLoop, Address | None], Lane] = {}
        self._is_closed = False

    def to(self, address: Address | None = None) -> Lane:
        """Give the lane to *address*, or to the only server there is."""
        place = (asyncio.get_running_loop(), address)
        lane = self._lanes.get(place)
        return self._made(address) if lane is None else lane

    async def aclose(self) -> None:
        """Close the lanes of this event loop; those of loops that are over have no connection."""
        self._is_closed = True
        mine = [lane for lane in self._lanes.values() if lane.loop is asyncio.get_running_loop()]
        for lane in mine:
            await lane.aclose()

    def _made(self, address: Address | None) -> Lane:
        if self._is_closed:
            raise LostConnectionError("the store is closed")
        for place in [each for each in self._lanes if each[0].is_closed()]:
            del self._lanes[place]
        lane = Lane(partial(self._source.open, address), patience=self._source.patience)
        self._lanes[asyncio.get_running_loop(), address] = lane
        return lane


class Server:
    """The way to a single server."""

    def __init__(self, source: Source) -> None:
        self._lanes = Lanes(source)

    async def call(self, name: str, key: bytes, *arguments: str | bytes | int) -> Any:
        """Give the answer to the command *name* on *key*."""
        return await self._lanes.to().send(name, key, *arguments)

    async def run(self, script: Script, key: bytes, *arguments: str | bytes | int) -> Any:
        """Give what *script* returns for *key* and what else it takes."""
        return await run_on(self._lanes.to(), script, key, *arguments)

    async def lanes(self) -> AsyncIterator[Lane]:
        """Give the one lane."""
        yield self._lanes.to()

    async def greet(self) -> None:
        """Return once the server has answered; that it refuses to be pinged is an answer too."""
        with suppress(ResponseError):
            await self._lanes.to().send("PING")

    async def aclose(self) -> None:
        """Close the connection."""
        await self._lanes.aclose()


async def run_on(lane: Lane, script: Script, key: bytes, *arguments: str | bytes | int) -> Any:
    """Run *script* over *lane*: in full the first time, and again if the server has forgotten it.

    In full rather than loaded before it is called, so that what is sent next runs after it.
    """
    if script.digest in lane.scripts:
        try:
            return await lane.send("EVALSHA", script.digest, script.keys, key, *arguments)
        except NoScriptError:
            pass  # it did not run
    lane.scripts.add(script.digest)
    return await lane.send("EVAL", script.source, script.keys, key, *arguments)
