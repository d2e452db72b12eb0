"""Stores whose get_or_set produces too often, too late, or at somebody's expense."""

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from agentkit.core.serialization import deep_freeze
from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._reference import Produce, ReferenceStore
from agentkit.testing.mutants._trial import breaks

_producing: ContextVar[frozenset[str]] = ContextVar("producing", default=frozenset())


class _OwnFlight(ReferenceStore):
    """The base of those that share a run in a way of their own."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.runs: dict[str, asyncio.Future[str]] = {}
        self.locks: dict[str, asyncio.Lock] = {}

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        key, ttl = self.key(key), self.ttl(ttl)
        held = await self.fetch(key)
        return self.decode(await self.share(key, fn, ttl) if held is None else held)

    async def share(self, key: str, fn: Produce, ttl: int | None) -> str:
        """Give what is produced, by this caller or another."""
        return await self.produce(key, fn, ttl)


@breaks("STORE-FLIGHT-01")
class ForgetsToStore(ReferenceStore):
    """It gives the product and keeps nothing."""

    async def produce(self, key: str, fn: Produce, ttl: int | None) -> str:
        text = await super().produce(key, fn, ttl)
        self.remove(key)
        return text


@breaks("STORE-FLIGHT-02")
class ProducesAlways(ReferenceStore):
    """It does not look whether something is there."""

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        value = await fn()
        await self.set(key, value, ttl=ttl)
        return value


@breaks("STORE-FLIGHT-03")
class MissesTheFalse(ReferenceStore):
    """It takes a stored value for a miss if it is empty or false."""

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        if not await self.get(key):
            await self.delete(key)
        return await super().get_or_set(key, fn, ttl=ttl)


@breaks("STORE-FLIGHT-04")
class StoresOnlyTheTrue(ReferenceStore):
    """It does not keep an empty or false product."""

    async def produce(self, key: str, fn: Produce, ttl: int | None) -> str:
        text = await super().produce(key, fn, ttl)
        if not self.decode(text):
            self.remove(key)
        return text


@breaks("STORE-FLIGHT-05")
class ProducesForEveryCaller(_OwnFlight):
    """It has no single flight."""


@breaks("STORE-FLIGHT-06")
class ReservesTheKey(ReferenceStore):
    """It stores a mark before it produces, and leaves it if that fails."""

    async def produce(self, key: str, fn: Produce, ttl: int | None) -> str:
        self.put(key, "null", ttl)
        text = self.encode(await fn())
        self.put(key, text, ttl)
        return text


@breaks("STORE-FLIGHT-07")
class RemembersFailures(ReferenceStore):
    """It raises again what was raised once."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.failures: dict[str, Exception] = {}

    async def produce(self, key: str, fn: Produce, ttl: int | None) -> str:
        if key in self.failures:
            raise self.failures[key]
        try:
            return await super().produce(key, fn, ttl)
        except Exception as exc:
            self.failures[key] = exc
            raise


class _SharesATask(_OwnFlight):
    """The base of those that run the producer in a task everybody awaits."""

    async def share(self, key: str, fn: Produce, ttl: int | None) -> str:
        if key not in self.runs:
            self.runs[key] = asyncio.ensure_future(self.produce(key, fn, ttl))
            self.runs[key].add_done_callback(lambda _: self.runs.pop(key))
        return await self.wait_for(self.runs[key])

    async def wait_for(self, run: asyncio.Future[str]) -> str:
        """Wait for the shared run."""
        return await asyncio.shield(run)


@breaks("STORE-FLIGHT-08", "STORE-FLIGHT-11")
class SharesFailures(_SharesATask):
    """It fails whoever waits with the error of another's producer, and never stops that."""


@breaks("STORE-FLIGHT-09", "STORE-FLIGHT-10")
class DiesWithAnyCaller(_SharesATask):
    """It lets the cancellation of one caller into the shared run."""

    async def wait_for(self, run: asyncio.Future[str]) -> str:
        return await run


@breaks("STORE-FLIGHT-09")
class RunsInTheFirstCaller(_OwnFlight):
    """It runs the producer in whoever came first, and hands its end on."""

    async def share(self, key: str, fn: Produce, ttl: int | None) -> str:
        if key in self.runs:
            return await asyncio.shield(self.runs[key])
        run = self.runs[key] = asyncio.get_running_loop().create_future()
        try:
            text = await self.produce(key, fn, ttl)
        except BaseException:
            run.cancel()
            raise
        finally:
            del self.runs[key]
        run.set_result(text)
        return text


@breaks("STORE-FLIGHT-12", "STORE-CANCEL-05")
class StaysLocked(_OwnFlight):
    """It does not give its lock back when it is cancelled."""

    async def share(self, key: str, fn: Produce, ttl: int | None) -> str:
        lock = self.locks.setdefault(key, asyncio.Lock())
        await lock.acquire()
        with suppress(Exception):
            text = await self.produce(key, fn, ttl)
            lock.release()
            return text
        lock.release()
        raise LookupError("the producer failed")


@breaks("STORE-FLIGHT-13", "STORE-FLIGHT-14")
class WaitsForItself(_OwnFlight):
    """It holds a lock on the key while it produces."""

    async def share(self, key: str, fn: Produce, ttl: int | None) -> str:
        async with self.locks.setdefault(key, asyncio.Lock()):
            return await self.fetch(key) or await self.produce(key, fn, ttl)


@breaks("STORE-FLIGHT-14")
class KnowsOnlyItsOwnKey(WaitsForItself):
    """It tells a producer that asks for its own key, but not through another."""

    async def share(self, key: str, fn: Produce, ttl: int | None) -> str:
        if key in _producing.get():
            raise RuntimeError("the producer asks for its own key")
        token = _producing.set(frozenset({key}))
        try:
            return await super().share(key, fn, ttl)
        finally:
            _producing.reset(token)


@breaks("STORE-FLIGHT-15")
class NeverForgetsAProducer(ReferenceStore):
    """It takes whatever a producer has started for the producer itself, for good."""

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        if key in _producing.get():
            raise RuntimeError("the producer asks for its own key")

        async def marked() -> Any:
            _producing.set(_producing.get() | {key})
            return await fn()

        return await super().get_or_set(key, marked, ttl=ttl)


@breaks("STORE-FLIGHT-16")
class RefusesEveryNesting(ReferenceStore):
    """It lets no producer use get_or_set."""

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        if _producing.get():
            raise RuntimeError("a producer is running")

        async def marked() -> Any:
            _producing.set(frozenset({key}))
            return await fn()

        return await super().get_or_set(key, marked, ttl=ttl)


@breaks("STORE-FLIGHT-17")
class LocksSwapsOut(_OwnFlight):
    """It makes compare_and_set wait for whoever produces the key."""

    async def share(self, key: str, fn: Produce, ttl: int | None) -> str:
        async with self.locks.setdefault(key, asyncio.Lock()):
            return await self.produce(key, fn, ttl)

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        async with self.locks.setdefault(key, asyncio.Lock()):
            return await super().compare_and_set(key, expected, value, ttl=ttl)


@breaks("STORE-FLIGHT-18")
class HasOneLock(_OwnFlight):
    """It produces one key at a time."""

    async def share(self, key: str, fn: Produce, ttl: int | None) -> str:
        async with self.locks.setdefault("", asyncio.Lock()):
            return await self.produce(key, fn, ttl)


@breaks("STORE-FLIGHT-19")
class GivesTheProductItself(ReferenceStore):
    """It hands out the producer's object, to everybody who waited."""

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        made: list[Any] = []

        async def noted() -> Any:
            made.append(await fn())
            return made[0]

        given = await super().get_or_set(key, noted, ttl=ttl)
        return made[0] if made else given


@breaks("STORE-FLIGHT-20")
class GivesTheProductFrozen(ReferenceStore):
    """It gives a product in another form than it will be read."""

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        return deep_freeze(await super().get_or_set(key, fn, ttl=ttl))


@breaks("STORE-FLIGHT-21")
class OverwritesTheQuicker(ReferenceStore):
    """It stores its product whatever has been written meanwhile."""

    async def produce(self, key: str, fn: Produce, ttl: int | None) -> str:
        text = self.encode(await fn())
        await self.trip()
        self.put(key, text, ttl)
        return text


@breaks("STORE-FLIGHT-22")
class RemembersProducts(ReferenceStore):
    """It keeps every product beside the store."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.products: dict[str, str] = {}

    async def produce(self, key: str, fn: Produce, ttl: int | None) -> str:
        if key not in self.products:
            self.products[key] = await super().produce(key, fn, ttl)
        return self.products[key]
