"""Stores that take a cut connection or a cancelled call badly."""

import asyncio
from collections import deque
from typing import Any

from agentkit.core.contracts.errors import StoreUnavailable
from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._reference import Produce, ReferenceStore
from agentkit.testing.mutants._trial import breaks

CONNECTIONS = 10


@breaks("STORE-FAULT-01")
class LetsTheDriverSpeak(ReferenceStore):
    """It lets the driver's own error out."""

    async def trip(self) -> None:
        try:
            await super().trip()
        except StoreUnavailable:
            raise ConnectionResetError("by peer") from None


@breaks("STORE-FAULT-02")
class StaysBroken(ReferenceStore):
    """It never opens a new connection."""

    is_broken = False

    async def trip(self) -> None:
        self.is_broken = self.is_broken or not self.backend.is_up
        if self.is_broken:
            raise StoreUnavailable("the connection is closed")
        await super().trip()


@breaks("STORE-FAULT-03")
class StaysInFlight(ReferenceStore):
    """It keeps a key locked whose product could not be written."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.busy: set[str] = set()

    async def produce(self, key: str, fn: Produce, ttl: int | None) -> str:
        if key in self.busy:
            await asyncio.Event().wait()
        self.busy.add(key)
        text = await super().produce(key, fn, ttl)
        self.busy.remove(key)
        return text


@breaks("STORE-CANCEL-01", "STORE-LINEAR-01")
class DeletesThenWrites(ReferenceStore):
    """It replaces a value in two round trips."""

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        text = self.encode(value)
        await self.delete(key)
        await self.trip()
        self.put(key, text, self.ttl(ttl))


@breaks("STORE-CANCEL-02")
class CountsAgainWhenCut(ReferenceStore):
    """It sends an increment again when its reply was lost."""

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        total = await super().increment(key, by, ttl=ttl)
        try:
            await self.trip()
        except asyncio.CancelledError:
            await super().increment(key, by, ttl=ttl)
            raise
        return total


@breaks("STORE-CANCEL-03")
class LogsAgainWhenCut(ReferenceStore):
    """It sends an entry again when its reply was lost."""

    async def append(self, key: str, value: Any) -> None:
        await super().append(key, value)
        try:
            await self.trip()
        except asyncio.CancelledError:
            await super().append(key, value)
            raise


@breaks("STORE-CANCEL-04")
class SwapsInTwoSteps(ReferenceStore):
    """It takes the old value away in one round trip and writes the new in another."""

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        has_applied = await super().compare_and_set(key, expected, None, ttl=ttl)
        if has_applied:
            await self.set(key, value, ttl=ttl)
        return has_applied


@breaks("STORE-CANCEL-06")
class ExpiresInASecondStep(ReferenceStore):
    """It writes the value in one round trip and its expiry in another."""

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        self.ttl(ttl)
        await super().set(key, value)
        await self.trip()
        await super().set(key, value, ttl=ttl)


@breaks("STORE-CANCEL-07")
class LosesConnections(ReferenceStore):
    """It does not give back the connection of a cancelled call."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.pool = asyncio.Semaphore(CONNECTIONS)

    async def trip(self) -> None:
        await self.pool.acquire()
        await super().trip()
        self.pool.release()


@breaks("STORE-CANCEL-08")
class MixesUpReplies(ReferenceStore):
    """It leaves the reply of a cancelled call for the next to read."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.replies: deque[str | None] = deque()

    async def fetch(self, key: str) -> str | None:
        self.replies.append(self.live(key))
        await self.trip()
        return self.replies.popleft()


@breaks("STORE-CANCEL-09")
class SwallowsCancellation(ReferenceStore):
    """It takes being cancelled for a miss."""

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        try:
            return await super().get_or_set(key, fn, ttl=ttl)
        except asyncio.CancelledError:
            return None
