"""Clauses: expiry, for a store that has it, one that refuses it and one that ignores it."""

import warnings
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import StorePort
from agentkit.testing.suites._clause import Feature, clause
from agentkit.testing.suites._samples import BAD_TTLS
from agentkit.testing.suites._steps import Operation, Producer, gives, keys
from agentkit.testing.suites._suite import Suite

__all__ = ["IgnoredTtlClauses", "LackedTtlClauses", "TtlClauses", "WindowClauses", "timed"]

TTL = Feature.TTL


def timed(store: StorePort, key: str, *, ttl: Any, fn: Operation) -> list[Operation]:
    """Give a call of each verb that takes a ttl."""
    return [
        lambda: store.set(key, 1, ttl=ttl),
        lambda: store.get_or_set(key, fn, ttl=ttl),
        lambda: store.compare_and_set(key, None, 1, ttl=ttl),
        lambda: store.increment(key, ttl=ttl),
    ]


class TtlClauses(Suite):
    """A value with a ttl is gone after it, whoever looks; nothing but a write moves its end."""

    @clause("STORE-TTL-01", since="1.0", needs=TTL)
    async def a_value_is_there_until_its_ttl_is_over(self, store: StorePort) -> None:
        await store.set(self.key, "value", ttl=3)
        await self.advance(1)
        assert await store.get(self.key) == "value"

        await self.advance(2.5)
        assert await store.get(self.key) is None

    @clause("STORE-TTL-02", since="1.0", needs=TTL)
    async def a_second_ttl_replaces_the_first(self, store: StorePort) -> None:
        await store.set(self.key, "first", ttl=1)
        await store.set(self.key, "second", ttl=60)
        await self.advance(1.5)
        assert await store.get(self.key) == "second"

        await store.set(self.key, "third", ttl=1)
        await self.advance(1.5)
        assert await store.get(self.key) is None

    @clause("STORE-TTL-03", since="1.0", needs=TTL)
    async def a_write_without_a_ttl_clears_it(self, store: StorePort) -> None:
        await store.set(self.key, "first", ttl=1)
        await store.set(self.key, "second")
        await self.advance(1.5)

        assert await store.get(self.key) == "second"

    @clause("STORE-TTL-04", since="1.0", needs=TTL)
    async def reading_does_not_move_the_end(self, store: StorePort) -> None:
        await store.set(self.key, "value", ttl=2)
        await self.advance(1.25)
        await store.get(self.key)
        await store.get_or_set(self.key, gives("unused"), ttl=60)
        await keys(store, self.key)
        await self.advance(1.25)

        assert await store.get(self.key) is None

    @clause("STORE-TTL-05", since="1.0", needs=TTL)
    async def an_expired_key_is_not_scanned(self, store: StorePort) -> None:
        await store.set(f"{self.key}/a", 1, ttl=1)
        await store.set(f"{self.key}/b", 1)
        await self.advance(1.5)

        assert await keys(store, self.key) == [f"{self.key}/b"]
        assert await keys(store, self.key, limit=1) == [f"{self.key}/b"]

    @clause("STORE-TTL-06", since="1.0", needs=TTL)
    async def an_expired_value_is_produced_anew(self, store: StorePort) -> None:
        await store.get_or_set(self.key, gives("first"), ttl=1)
        assert await store.get_or_set(self.key, gives("second"), ttl=1) == "first"

        await self.advance(1.5)
        assert await store.get_or_set(self.key, gives("second")) == "second"

    @clause("STORE-TTL-07", since="1.0", needs=TTL)
    async def an_expired_value_compares_as_absent(self, store: StorePort) -> None:
        await store.set(self.key, "old", ttl=1)
        await self.advance(1.5)

        assert await store.compare_and_set(self.key, "old", "new") is False
        assert await store.compare_and_set(self.key, None, "new") is True

    @clause("STORE-TTL-08", since="1.0", needs=TTL)
    async def a_swapped_in_value_expires(self, store: StorePort) -> None:
        assert await store.compare_and_set(self.key, None, "new", ttl=1) is True
        assert await store.get(self.key) == "new"

        await self.advance(1.5)
        assert await store.get(self.key) is None

    @clause("STORE-TTL-09", since="1.0", needs=TTL)
    async def a_swap_without_a_ttl_clears_it(self, store: StorePort) -> None:
        await store.set(self.key, "old", ttl=1)
        assert await store.compare_and_set(self.key, "old", "new") is True
        await self.advance(1.5)

        assert await store.get(self.key) == "new"

    @clause("STORE-TTL-10", since="1.0", needs=TTL)
    async def a_refused_swap_keeps_the_expiry(self, store: StorePort) -> None:
        await store.set(self.key, "old", ttl=1)
        await store.set(f"{self.key}-b", "old")
        await store.compare_and_set(self.key, "other", "new", ttl=60)
        await store.compare_and_set(self.key, "other", "new")
        await store.compare_and_set(f"{self.key}-b", "other", "new", ttl=1)
        await self.advance(1.5)

        assert await keys(store, self.key) == [f"{self.key}-b"]

    @clause("STORE-TTL-11", since="1.0", needs=TTL)
    async def a_ttl_out_of_range_is_refused_by_every_verb(self, store: StorePort) -> None:
        for ttl in BAD_TTLS:
            for call in timed(store, self.key, ttl=ttl, fn=gives(1)):
                with pytest.raises(StoreValueError):
                    await call()

    @clause("STORE-TTL-12", since="1.0", needs=TTL)
    async def a_ttl_out_of_range_writes_nothing_and_runs_no_producer(
        self, store: StorePort
    ) -> None:
        produce = Producer()
        produce.may_end.set()
        for ttl in BAD_TTLS:
            with pytest.raises(StoreValueError):
                await store.get_or_set(self.key, produce, ttl=ttl)
            with pytest.raises(StoreValueError):
                await store.set(self.key, 1, ttl=ttl)

        assert (produce.runs, await keys(store, self.key)) == (0, [])

    @clause("STORE-TTL-13", since="1.0", needs=TTL)
    async def the_longest_ttl_is_taken(self, store: StorePort) -> None:
        await store.set(self.key, "value", ttl=2**31 - 1)

        assert await store.get(self.key) == "value"

    @clause("STORE-TTL-14", since="1.0", needs=TTL)
    async def one_key_expires_and_its_neighbours_stay(self, store: StorePort) -> None:
        await store.set(f"{self.key}/a", 1, ttl=1)
        await store.set(f"{self.key}/ab", 1, ttl=60)
        await store.append(f"{self.key}/a", "entry")
        await self.advance(1.5)

        assert await keys(store, self.key) == [f"{self.key}/ab"]
        assert await store.list(f"{self.key}/a") == ["entry"]

    @clause("STORE-TTL-15", since="1.0", needs=TTL)
    async def a_key_written_again_after_a_deletion_does_not_expire(self, store: StorePort) -> None:
        await store.set(self.key, "first", ttl=1)
        await store.delete(self.key)
        await store.get_or_set(self.key, gives("second"))
        await self.advance(1.5)

        assert await store.get(self.key) == "second"

    @clause("STORE-TTL-16", since="1.0", needs=TTL)
    async def another_instance_sees_the_expiry(self, one: StorePort, other: StorePort) -> None:
        await one.set(self.key, "value", ttl=1)
        assert await other.get(self.key) == "value"

        await self.advance(1.5)
        assert (await other.get(self.key), await keys(other, self.key)) == (None, [])

    @clause("STORE-TTL-17", since="1.0", needs=TTL)
    async def a_key_written_again_after_its_expiry_does_not_expire(self, store: StorePort) -> None:
        await store.set(self.key, "first", ttl=1)
        await self.advance(1.5)
        await store.set(self.key, "second")
        await self.advance(1.5)

        assert await store.get(self.key) == "second"


class WindowClauses(Suite):
    """A counter's ttl opens a window that nothing moves, and the count ends with it."""

    @clause("STORE-WINDOW-01", since="1.0", needs=TTL)
    async def a_counter_starts_again_when_its_window_is_over(self, store: StorePort) -> None:
        assert await store.increment(self.key, ttl=1) == 1
        assert await store.increment(self.key, ttl=1) == 2

        await self.advance(1.5)
        assert await store.get(self.key) is None
        assert await store.increment(self.key, 5, ttl=1) == 5

    @clause("STORE-WINDOW-02", since="1.0", needs=TTL)
    async def an_increment_does_not_move_an_open_window(self, store: StorePort) -> None:
        await store.increment(self.key, ttl=2)
        await self.advance(1.25)
        assert await store.increment(self.key, ttl=60) == 2

        await self.advance(1.25)
        assert await store.increment(self.key, ttl=60) == 1

    @clause("STORE-WINDOW-03", since="1.0", needs=TTL)
    async def an_increment_without_a_ttl_keeps_the_window(self, store: StorePort) -> None:
        await store.increment(self.key, ttl=1)
        assert await store.increment(self.key) == 2

        await self.advance(1.5)
        assert await store.increment(self.key) == 1

    @clause("STORE-WINDOW-04", since="1.0", needs=TTL)
    async def an_increment_opens_a_window_on_a_counter_without_one(self, store: StorePort) -> None:
        await store.increment(self.key)
        assert await store.increment(self.key, ttl=1) == 2

        await self.advance(1.5)
        assert await store.get(self.key) is None

    @clause("STORE-WINDOW-05", since="1.0", needs=TTL)
    async def the_next_window_is_a_new_one(self, store: StorePort) -> None:
        await store.increment(self.key, ttl=1)
        await self.advance(1.5)
        await store.increment(self.key)
        await self.advance(1.5)

        assert await store.increment(self.key) == 2

    @clause("STORE-WINDOW-06", since="1.0", needs=TTL)
    async def a_refused_increment_opens_no_window(self, store: StorePort) -> None:
        await store.set(self.key, "text")
        with pytest.raises(StoreValueError):
            await store.increment(self.key, ttl=1)
        await self.advance(1.5)

        assert await store.get(self.key) == "text"


class LackedTtlClauses(Suite):
    """A store without expiry refuses a ttl before it does anything."""

    @clause("STORE-LACK-01", since="1.0", lacks=TTL)
    async def a_refused_ttl_writes_nothing_and_runs_no_producer(self, store: StorePort) -> None:
        produce = Producer()
        for ttl in (60, *BAD_TTLS):
            for call in timed(store, self.key, ttl=ttl, fn=produce):
                with pytest.raises(NotImplementedError):
                    await call()

        assert (produce.runs, await keys(store, self.key)) == (0, [])


class IgnoredTtlClauses(Suite):
    """A store that ignores a ttl says so once, and otherwise does as if it were absent."""

    @clause("STORE-IGNORE-01", since="1.0", ignores=TTL)
    async def an_ignored_ttl_is_told_once(self, store: StorePort) -> None:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            await store.set(self.key, 1, ttl=60)
            await store.compare_and_set(self.key, 1, 2, ttl=60)
            await store.increment(self.key, ttl=60)
            await store.get_or_set(f"{self.key}-b", gives(1), ttl=60)

        assert ["ttl" in str(each.message) for each in told] == [True]

    @clause("STORE-IGNORE-02", since="1.0", ignores=TTL)
    async def every_verb_tells(self, store: StorePort) -> None:
        with pytest.warns(UserWarning, match="ttl"):
            await store.increment(self.key, ttl=60)

    @clause("STORE-IGNORE-03", since="1.0", ignores=TTL)
    async def with_an_ignored_ttl_verbs_answer_as_without(self, store: StorePort) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert await store.increment(self.key, 2, ttl=1) == 2
            assert await store.compare_and_set(self.key, 1, 9, ttl=1) is False
            assert await store.compare_and_set(self.key, 2, 9, ttl=1) is True
            assert await store.get_or_set(self.key, gives(0), ttl=1) == 9

        assert await store.get(self.key) == 9

    @clause("STORE-IGNORE-04", since="1.0", ignores=TTL)
    async def with_an_ignored_ttl_nothing_expires(self, store: StorePort) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await store.set(f"{self.key}/a", 1, ttl=1)
            await store.increment(f"{self.key}/b", ttl=1)
            await self.advance(1.5)

        assert await keys(store, self.key) == [f"{self.key}/a", f"{self.key}/b"]

    @clause("STORE-IGNORE-05", since="1.0", ignores=TTL)
    async def a_ttl_out_of_range_is_refused_though_ignored(self, store: StorePort) -> None:
        for ttl in BAD_TTLS:
            with pytest.raises(StoreValueError):
                await store.set(self.key, 1, ttl=ttl)
            with pytest.raises(StoreValueError):
                await store.increment(self.key, ttl=ttl)

        assert await keys(store, self.key) == []

    @clause("STORE-IGNORE-06", since="1.0", ignores=TTL)
    async def the_warning_comes_after_the_write(self, store: StorePort) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match="ttl"):
                await store.set(self.key, "value", ttl=60)

        assert await store.get(self.key) == "value"
