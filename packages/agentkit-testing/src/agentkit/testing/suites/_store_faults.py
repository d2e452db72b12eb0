"""Clauses: a cut connection, a cancelled call, and what must hold all the same."""

import asyncio
import itertools

import pytest

from agentkit.core.contracts.errors import StoreUnavailable
from agentkit.core.contracts.ports import StorePort
from agentkit.testing.suites._clause import Feature, clause
from agentkit.testing.suites._steps import cut_at_every_await, gives, in_turn, keys
from agentkit.testing.suites._store_keys import every_verb
from agentkit.testing.suites._store_ttl import timed
from agentkit.testing.suites._suite import Suite

__all__ = ["CancelClauses", "FaultClauses"]

CROWD = 1000
"""More calls than any pool has connections."""


class FaultClauses(Suite):
    """A backend that cannot be reached is told as such, and forgiven."""

    @clause("STORE-FAULT-01", since="1.0", hook="break_connection")
    async def an_unreachable_backend_is_told_by_every_verb(self, store: StorePort) -> None:
        await self.break_connection()
        for call in every_verb(store, self.key, but=self.partial):
            with pytest.raises(StoreUnavailable):
                await call()
        with pytest.raises(StoreUnavailable):
            await keys(store, self.key)

    @clause("STORE-FAULT-02", since="1.0", hook="break_connection")
    async def it_works_again_once_the_backend_is_back(self, store: StorePort) -> None:
        await store.set(self.key, "before")
        await self.break_connection()
        with pytest.raises(StoreUnavailable):
            await store.set(self.key, "lost")
        await self.restore()

        assert await store.get(self.key) == "before"
        assert await store.compare_and_set(self.key, "before", "after") is True

    @clause("STORE-FAULT-03", since="1.0", hook="break_connection")
    async def a_producer_of_an_unreachable_store_leaves_its_key_free(
        self, store: StorePort
    ) -> None:
        async def produce() -> object:
            await self.break_connection()
            return "lost"

        with pytest.raises(StoreUnavailable):
            await store.get_or_set(self.key, produce)
        await self.restore()
        assert await store.get_or_set(self.key, gives("next")) == "next"


class CancelClauses(Suite):
    """A call cancelled anywhere has happened once or not at all, and harms no other."""

    @clause("STORE-CANCEL-01", since="1.0")
    async def a_cancelled_write_is_whole_or_absent(self, store: StorePort) -> None:
        await store.set(self.key, [0] * 9)
        async for nth in cut_at_every_await(lambda: store.set(self.key, [1] * 9)):
            assert await store.get(self.key) in ([0] * 9, [1] * 9), nth

        assert await store.get(self.key) == [1] * 9

    @clause("STORE-CANCEL-02", since="1.0")
    async def a_cancelled_increment_counts_at_most_once(self, store: StorePort) -> None:
        before = 0
        async for nth in cut_at_every_await(lambda: store.increment(self.key)):
            total = await store.get(self.key) or 0
            assert before <= total <= before + 1, nth
            before = total

        assert await store.increment(self.key) == before + 1

    @clause("STORE-CANCEL-03", since="1.0")
    async def a_cancelled_entry_is_there_at_most_once(self, store: StorePort) -> None:
        before = 0
        async for nth in cut_at_every_await(lambda: store.append(self.key, "entry")):
            count = len(await store.list(self.key))
            assert before <= count <= before + 1, nth
            before = count

        assert await store.list(self.key) == ["entry"] * before != []

    @clause("STORE-CANCEL-04", since="1.0")
    async def a_cancelled_swap_is_whole_or_absent(self, store: StorePort) -> None:
        await store.set(self.key, "old")
        async for _ in cut_at_every_await(lambda: store.compare_and_set(self.key, "old", "new")):
            assert await store.get(self.key) in {"old", "new"}
            await store.set(self.key, "old")

        assert await store.compare_and_set(self.key, "old", "new") is True

    @clause("STORE-CANCEL-05", since="1.0")
    async def a_cancelled_get_or_set_leaves_its_key_free(self, store: StorePort) -> None:
        async for _ in cut_at_every_await(lambda: store.get_or_set(self.key, gives("made"))):
            assert await store.get_or_set(self.key, gives("next")) in {"made", "next"}
            await store.delete(self.key)

    @clause("STORE-CANCEL-06", since="1.0", needs=Feature.TTL)
    async def a_cancelled_write_never_parts_a_value_from_its_expiry(self, store: StorePort) -> None:
        names = (f"{self.key}/{n}" for n in itertools.count())
        for verb in range(4):
            calls = (timed(store, name, ttl=1, fn=gives(1))[verb] for name in names)
            async for _ in cut_at_every_await(in_turn(calls)):
                pass
        await self.advance(1.5)

        assert await keys(store, self.key) == []

    @clause("STORE-CANCEL-07", since="1.0")
    async def a_thousand_cancelled_calls_leave_the_store_usable(self, store: StorePort) -> None:
        await store.set(self.key, "value")
        tasks = [asyncio.ensure_future(store.get(self.key)) for _ in range(CROWD)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

        assert await store.get(self.key) == "value"

    @clause("STORE-CANCEL-08", since="1.0")
    async def after_cancelled_calls_nobody_gets_anothers_reply(self, store: StorePort) -> None:
        names = [f"{self.key}/{n}" for n in range(40)]
        await asyncio.gather(*(store.set(name, name) for name in names))
        for _ in range(5):
            tasks = [asyncio.ensure_future(store.get(name)) for name in names]
            await asyncio.sleep(0)
            _ = [task.cancel() for task in tasks[::2]]

            assert [await task for task in tasks[1::2]] == names[1::2]

    @clause("STORE-CANCEL-09", since="1.0")
    async def a_cancelled_call_ends_cancelled(self, store: StorePort) -> None:
        task = asyncio.ensure_future(store.get_or_set(self.key, asyncio.Event().wait))
        await asyncio.sleep(0)
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
