"""What only the store in memory does: opaque objects, and reclaiming what expired."""

import asyncio
import weakref

from agentkit.state.stores import InMemoryStore

from .support import Clock


class Opaque:
    def __init__(self, name: str = "") -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and other.name == self.name

    __hash__ = None  # type: ignore[assignment]


def test_an_object_that_is_no_json_is_kept_by_reference() -> None:
    async def steps() -> None:
        store, held = InMemoryStore(), {"in": Opaque()}
        await store.set("k", held)
        await store.append("k", held)

        assert await store.get("k") is held
        assert (await store.list("k"))[0] is held

    asyncio.run(steps())


def test_an_object_is_compared_by_its_own_equality() -> None:
    async def steps() -> list[bool]:
        store = InMemoryStore()
        await store.set("k", Opaque("a"))
        tries = (Opaque("b"), "a", Opaque("a"))
        return [await store.compare_and_set("k", expected, 1) for expected in tries]

    assert asyncio.run(steps()) == [False, False, True]


def test_a_tuple_is_no_list() -> None:
    async def steps() -> bool:
        store = InMemoryStore()
        await store.set("k", [1])
        return await store.compare_and_set("k", (1,), 2)

    assert not asyncio.run(steps())


def test_a_produced_object_reaches_every_waiter_as_itself() -> None:
    async def steps() -> bool:
        store, made = InMemoryStore(), Opaque()

        async def produce() -> Opaque:
            return made

        first, second = await asyncio.gather(*(store.get_or_set("k", produce) for _ in range(2)))
        return first is made and second is made

    assert asyncio.run(steps())


def test_every_256th_write_reclaims_what_nobody_reads() -> None:
    async def steps() -> tuple[bool, bool]:
        clock, held = Clock(), Opaque()
        store, seen = InMemoryStore(clock=clock), weakref.ref(held)
        await store.set("forgotten", held, ttl=1)
        clock.now, held = clock.now + 2, Opaque()
        for _ in range(254):
            await store.set("k", 1)
        before = seen() is None
        await store.set("k", 1)
        return before, seen() is None

    assert asyncio.run(steps()) == (False, True)


def test_purging_tells_how_many_were_reclaimed() -> None:
    async def steps() -> tuple[int, int]:
        clock = Clock()
        store = InMemoryStore(clock=clock)
        for key in "abc":
            await store.set(key, 1, ttl=1 if key < "c" else 9)
        clock.now += 1
        return store.purge_expired(), store.purge_expired()

    assert asyncio.run(steps()) == (2, 0)


def test_reading_an_unknown_log_makes_none() -> None:
    async def steps() -> str:
        store = InMemoryStore()
        await store.list("unknown")
        return repr(vars(store))

    assert "unknown" not in asyncio.run(steps())
