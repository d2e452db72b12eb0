"""Ways of taking a cut connection or a cancelled call badly, for every adapter that makes trips."""

import asyncio
from typing import Any, Protocol

from agentkit.core.contracts.errors import StoreUnavailable
from agentkit.testing.mutants._backend import Backend

__all__ = ["LettingTheDriverSpeak", "LosingConnections", "StayingBroken"]

CONNECTIONS = 10


class _Tripping(Protocol):
    backend: Backend


class LettingTheDriverSpeak:
    """Lets the driver's own error out."""

    async def trip(self: _Tripping) -> None:
        """Go, and tell of a cut in the driver's words."""
        try:
            await self.backend.trip()
        except StoreUnavailable:
            raise ConnectionResetError("by peer") from None


class StayingBroken:
    """Never opens a new connection."""

    is_broken = False

    async def trip(self: Any) -> None:
        """Go, unless it ever failed."""
        self.is_broken = self.is_broken or not self.backend.is_up
        if self.is_broken:
            raise StoreUnavailable("the connection is closed")
        await self.backend.trip()


class LosingConnections:
    """Does not give back the connection of a cancelled call."""

    _pool: asyncio.Semaphore | None = None

    async def trip(self: Any) -> None:
        """Take a connection, go, give it back."""
        self._pool = self._pool or asyncio.Semaphore(CONNECTIONS)
        await self._pool.acquire()
        await self.backend.trip()
        self._pool.release()
