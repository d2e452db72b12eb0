"""Clauses: get_or_set produces once, and whoever waits is nobody's hostage."""

import asyncio
from contextlib import suppress

import pytest

from agentkit.core.contracts.ports import StorePort
from agentkit.core.serialization import deep_freeze
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._samples import FALSY, is_plain, same
from agentkit.testing.suites._steps import Operation, Producer, cancelled, gives, joined
from agentkit.testing.suites._suite import Suite

__all__ = ["FlightClauses"]


class FlightClauses(Suite):
    """One producer at a time for each key, in a task of its own."""

    @clause("STORE-FLIGHT-01", since="1.0")
    async def what_is_produced_is_given_and_stored(self, store: StorePort) -> None:
        assert await store.get_or_set(self.key, gives({"a": 1})) == {"a": 1}
        assert await store.get(self.key) == {"a": 1}

    @clause("STORE-FLIGHT-02", since="1.0")
    async def what_is_there_is_not_produced(self, store: StorePort) -> None:
        await store.set(self.key, "there")

        assert await store.get_or_set(self.key, gives("made")) == "there"
        assert await store.get(self.key) == "there"

    @clause("STORE-FLIGHT-03", since="1.0")
    async def an_empty_or_false_value_is_there(self, store: StorePort) -> None:
        for value in FALSY:
            await store.set(self.key, value)

            assert same(await store.get_or_set(self.key, gives("made")), value)

    @clause("STORE-FLIGHT-04", since="1.0")
    async def an_empty_or_false_product_is_there_from_then_on(self, store: StorePort) -> None:
        for value in FALSY:
            await store.delete(self.key)
            await store.get_or_set(self.key, gives(value))

            assert same(await store.get_or_set(self.key, gives("again")), value)

    @clause("STORE-FLIGHT-05", since="1.0")
    async def concurrent_callers_share_one_producer(self, store: StorePort) -> None:
        produce = Producer()
        tasks = [asyncio.ensure_future(store.get_or_set(self.key, produce)) for _ in range(20)]
        await produce.begun.wait()
        produce.may_end.set()

        assert await asyncio.gather(*tasks) == ["made"] * 20
        assert produce.runs == 1

    @clause("STORE-FLIGHT-06", since="1.0")
    async def a_failed_producer_fails_its_caller_and_stores_nothing(self, store: StorePort) -> None:
        produce = Producer(error=LookupError("upstream"))
        produce.may_end.set()

        with pytest.raises(LookupError, match="upstream"):
            await store.get_or_set(self.key, produce)
        assert not [key async for key in store.scan(self.key)]

    @clause("STORE-FLIGHT-07", since="1.0")
    async def a_failure_is_not_remembered(self, store: StorePort) -> None:
        produce = Producer(error=LookupError("upstream"))
        produce.may_end.set()
        with suppress(LookupError):
            await store.get_or_set(self.key, produce)

        assert await store.get_or_set(self.key, gives("second")) == "second"

    @clause("STORE-FLIGHT-08", since="1.0")
    async def a_failed_producer_does_not_fail_who_only_waited(self, store: StorePort) -> None:
        produce = Producer(error=LookupError("upstream"))
        first = asyncio.ensure_future(store.get_or_set(self.key, produce))
        await produce.begun.wait()
        waiter = asyncio.ensure_future(store.get_or_set(self.key, gives("own")))
        await joined(store, self.key)
        produce.may_end.set()
        await asyncio.wait([first])

        assert await waiter == "own"

    @clause("STORE-FLIGHT-09", since="1.0")
    async def cancelling_who_came_first_fails_nobody_else(self, store: StorePort) -> None:
        produce = Producer()
        first = asyncio.ensure_future(store.get_or_set(self.key, produce))
        await produce.begun.wait()
        waiter = asyncio.ensure_future(store.get_or_set(self.key, gives("own")))
        await joined(store, self.key)
        await cancelled(first)
        produce.may_end.set()

        assert await waiter == "made"

    @clause("STORE-FLIGHT-10", since="1.0")
    async def cancelling_who_waits_fails_nobody_else(self, store: StorePort) -> None:
        produce = Producer()
        first = asyncio.ensure_future(store.get_or_set(self.key, produce))
        await produce.begun.wait()
        waiter = asyncio.ensure_future(store.get_or_set(self.key, gives("own")))
        await joined(store, self.key)
        await cancelled(waiter)
        produce.may_end.set()

        assert (await first, produce.was_cancelled) == ("made", False)

    @clause("STORE-FLIGHT-11", since="1.0")
    async def the_producer_is_cancelled_with_the_last_who_waits(self, store: StorePort) -> None:
        produce = Producer()
        tasks = [asyncio.ensure_future(store.get_or_set(self.key, produce)) for _ in range(2)]
        await produce.begun.wait()
        await joined(store, self.key)
        for task in tasks:
            await cancelled(task)
        await produce.ended.wait()

        assert (produce.was_cancelled, await store.get(self.key)) == (True, None)

    @clause("STORE-FLIGHT-12", since="1.0")
    async def after_everybody_was_cancelled_the_key_is_free(self, store: StorePort) -> None:
        produce = Producer()
        only = asyncio.ensure_future(store.get_or_set(self.key, produce))
        await produce.begun.wait()
        await cancelled(only)

        assert await store.get_or_set(self.key, gives("next")) == "next"

    @clause("STORE-FLIGHT-13", since="1.0")
    async def a_producer_that_asks_for_its_own_key_is_told(self, store: StorePort) -> None:
        async def produce() -> object:
            return await store.get_or_set(self.key, gives("inner"))

        with pytest.raises(RuntimeError):
            await store.get_or_set(self.key, produce)
        assert await store.get(self.key) is None

    @clause("STORE-FLIGHT-14", since="1.0")
    async def a_producer_that_asks_for_its_own_key_through_another_is_told(
        self, store: StorePort
    ) -> None:
        async def back() -> object:
            return await store.get_or_set(self.key, gives("inner"))

        async def produce() -> object:
            return await store.get_or_set(f"{self.key}-other", back)

        with pytest.raises(RuntimeError):
            await store.get_or_set(self.key, produce)

    @clause("STORE-FLIGHT-15", since="1.0")
    async def what_a_producer_started_may_ask_for_its_key_later(self, store: StorePort) -> None:
        gate = asyncio.Event()

        async def later() -> object:
            await gate.wait()
            return await store.get_or_set(self.key, gives("again"))

        task = await _start_inside(store, self.key, later)
        await store.delete(self.key)
        gate.set()

        assert await task == "again"

    @clause("STORE-FLIGHT-16", since="1.0")
    async def a_producer_may_use_the_store(self, store: StorePort) -> None:
        async def produce() -> object:
            await store.set(f"{self.key}-other", "nested")
            return await store.get_or_set(f"{self.key}-other", gives("unused"))

        assert await store.get_or_set(self.key, produce) == "nested"

    @clause("STORE-FLIGHT-17", since="1.0")
    async def a_producer_may_swap_its_own_key(self, store: StorePort) -> None:
        async def produce() -> object:
            assert await store.compare_and_set(self.key, None, "swapped")
            return "made"

        given = await store.get_or_set(self.key, produce)

        assert given in {"made", "swapped"}
        assert given == await store.get(self.key)

    @clause("STORE-FLIGHT-18", since="1.0")
    async def another_key_does_not_wait(self, store: StorePort) -> None:
        produce = Producer()
        slow = asyncio.ensure_future(store.get_or_set(self.key, produce))
        await produce.begun.wait()

        assert await store.get_or_set(f"{self.key}-other", gives("quick")) == "quick"
        produce.may_end.set()
        assert await slow == "made"

    @clause("STORE-FLIGHT-19", since="1.0")
    async def each_caller_has_a_copy_of_its_own(self, store: StorePort) -> None:
        produce = Producer({"a": [1]})
        tasks = [asyncio.ensure_future(store.get_or_set(self.key, produce)) for _ in range(3)]
        await produce.begun.wait()
        produce.may_end.set()
        first, second, third = await asyncio.gather(*tasks)
        first["a"].append(2)
        produce.value["a"].append(3)

        assert (first, second, third) == ({"a": [1, 2]}, {"a": [1]}, {"a": [1]})

    @clause("STORE-FLIGHT-20", since="1.0")
    async def a_product_is_given_as_it_will_be_read(self, store: StorePort) -> None:
        given = await store.get_or_set(self.key, gives(deep_freeze({"a": [1]})))

        assert is_plain(given)
        assert same(given, await store.get(self.key))

    @clause("STORE-FLIGHT-21", since="1.0")
    async def of_two_instances_one_writes_and_both_give_that(
        self, one: StorePort, other: StorePort
    ) -> None:
        produce, again = Producer("one"), Producer("other")
        first = asyncio.ensure_future(one.get_or_set(self.key, produce))
        await produce.begun.wait()
        second = asyncio.ensure_future(other.get_or_set(self.key, again))
        await joined(other, self.key)
        produce.may_end.set()
        again.may_end.set()

        assert {await first, await second} == {await one.get(self.key)}

    @clause("STORE-FLIGHT-22", since="1.0")
    async def after_a_deletion_it_is_produced_anew(self, store: StorePort) -> None:
        await store.get_or_set(self.key, gives("first"))
        await store.delete(self.key)

        assert await store.get_or_set(self.key, gives("second")) == "second"


async def _start_inside(store: StorePort, key: str, later: Operation) -> asyncio.Task[object]:
    """Start *later* in the producer of *key*; give its task once the producer has ended."""
    started: list[asyncio.Task[object]] = []

    async def produce() -> object:
        started.append(asyncio.create_task(later()))
        return "made"

    await store.get_or_set(key, produce)
    return started[0]
