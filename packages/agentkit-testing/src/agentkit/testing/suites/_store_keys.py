"""Clauses: keys stay apart, prefixes are literal, a scan tells what is there."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, cast

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import StorePort
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._samples import BAD_KEYS, LONGEST_KEY, ODD_NAMES
from agentkit.testing.suites._steps import Producer, gives, keys
from agentkit.testing.suites._suite import Suite

__all__ = ["KeyClauses", "ScanClauses", "every_verb"]

MANY = 700
"""More keys than a page of any driver's scan."""


def every_verb(
    store: StorePort, key: Any, *, but: frozenset[str]
) -> list[Callable[[], Awaitable[object]]]:
    """Give a call of each verb on *key*, save those that the store lacks."""
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "get": lambda: store.get(key),
        "set": lambda: store.set(key, 1),
        "get_or_set": lambda: store.get_or_set(key, gives(1)),
        "delete": lambda: store.delete(key),
        "append": lambda: store.append(key, 1),
        "list": lambda: store.list(key),
        "compare_and_set": lambda: store.compare_and_set(key, None, 1),
        "increment": lambda: store.increment(key),
    }
    return [call for verb, call in calls.items() if verb not in but]


class KeyClauses(Suite):
    """Every accepted key works with every verb; no other reaches the backend."""

    @clause("STORE-KEY-01", since="1.0")
    async def keys_that_look_alike_stay_apart(self, store: StorePort) -> None:
        for name in ODD_NAMES:
            await store.set(self.key + name, name)

        assert [await store.get(self.key + name) for name in ODD_NAMES] == ODD_NAMES

    @clause("STORE-KEY-02", since="1.0")
    async def a_scan_gives_keys_as_they_were_written(self, store: StorePort) -> None:
        for name in ODD_NAMES:
            await store.set(self.key + name, name)

        assert await keys(store, self.key) == sorted(self.key + name for name in ODD_NAMES)

    @clause("STORE-KEY-03", since="1.0")
    async def deleting_one_key_leaves_those_that_look_alike(self, store: StorePort) -> None:
        for name in ODD_NAMES:
            await store.set(self.key + name, name)
        for name in ODD_NAMES[::2]:
            await store.delete(self.key + name)

        rest = {self.key + name for name in ODD_NAMES[1::2]}
        assert set(await keys(store, self.key)) == rest

    @clause("STORE-KEY-04", since="1.0")
    async def logs_and_counters_that_look_alike_stay_apart(self, store: StorePort) -> None:
        for name in ODD_NAMES:
            await store.append(self.key + name, name)

        assert [await store.list(self.key + name) for name in ODD_NAMES] == [
            [name] for name in ODD_NAMES
        ]
        assert [await store.increment(self.key + name) for name in ODD_NAMES] == [1] * len(
            ODD_NAMES
        )

    @clause("STORE-KEY-05", since="1.0")
    async def the_longest_keys_stay_apart(self, store: StorePort) -> None:
        stem = self.key + "é" * ((LONGEST_KEY - len(self.key)) // 2 - 2)
        fill = "x" * (LONGEST_KEY - 1 - len(stem.encode()))
        await store.set(f"{stem}{fill}a", "a")
        await store.set(f"{stem}{fill}b", "b")

        assert await keys(store, stem) == [f"{stem}{fill}a", f"{stem}{fill}b"]
        assert await store.get(f"{stem}{fill}a") == "a"

    @clause("STORE-KEY-06", since="1.0")
    async def the_longest_key_works_with_every_verb(self, store: StorePort) -> None:
        key = self.key.ljust(LONGEST_KEY, "x")
        await store.append(key, 1)
        assert await store.compare_and_set(key, None, 1)
        assert await store.increment(key) == await store.get_or_set(key, gives(0)) == 2
        await store.delete(key)

        assert (await store.get(key), await store.list(key)) == (None, [1])

    @clause("STORE-KEY-07", since="1.0")
    async def a_bad_key_is_refused_by_every_verb(self, store: StorePort) -> None:
        for key in BAD_KEYS:
            for call in every_verb(store, key, but=self.partial):
                with pytest.raises(StoreValueError):
                    await call()

    @clause("STORE-KEY-08", since="1.0")
    async def a_bad_key_runs_no_producer(self, store: StorePort) -> None:
        produce = Producer()
        produce.may_end.set()
        for key in BAD_KEYS:
            with pytest.raises(StoreValueError):
                await store.get_or_set(key, produce)

        assert produce.runs == 0

    @clause("STORE-KEY-09", since="1.0")
    async def a_prefix_no_key_can_have_is_refused(self, store: StorePort) -> None:
        for prefix in ["a\x00", "a\ud800", None, 7, b"a"]:
            with pytest.raises(StoreValueError):
                await keys(store, cast("str", prefix))

    @clause("STORE-KEY-10", since="1.0", hook="other_namespace")
    async def namespaces_do_not_reach_into_each_other(self, store: StorePort) -> None:
        await store.set(self.key, 1)
        await store.append(self.key, 1)
        async with self.sibling()() as other:
            assert (await other.get(self.key), await other.list(self.key)) == (None, [])
            assert await other.increment(self.key, 5) == 5
            await other.delete(self.key)

        assert await store.get(self.key) == 1

    @clause("STORE-KEY-11", since="1.0", hook="other_namespace")
    async def a_scan_stays_in_its_namespace(self, store: StorePort) -> None:
        await store.set(self.key, 1)
        async with self.sibling()() as other:
            await other.set(f"{self.key}-other", 1)
            assert await keys(other, self.key) == [f"{self.key}-other"]
            assert self.key not in await keys(other, "")

        assert await keys(store, self.key) == [self.key]


class ScanClauses(Suite):
    """A scan gives the full keys of values under a literal prefix, each once."""

    @clause("STORE-SCAN-01", since="1.0")
    async def a_scan_gives_the_full_keys_under_a_prefix(self, store: StorePort) -> None:
        for name in ("/a", "/b", "-c"):
            await store.set(self.key + name, 1)

        assert await keys(store, f"{self.key}/") == [f"{self.key}/a", f"{self.key}/b"]

    @clause("STORE-SCAN-02", since="1.0")
    async def a_key_equal_to_the_prefix_is_given(self, store: StorePort) -> None:
        await store.set(self.key, 1)

        assert await keys(store, self.key) == [self.key]

    @clause("STORE-SCAN-03", since="1.0")
    async def a_key_is_given_once_however_often_it_was_written(self, store: StorePort) -> None:
        for value in range(3):
            await store.set(self.key, value)
        await store.increment(self.key)
        await store.compare_and_set(self.key, 3, "x")

        assert await keys(store, self.key) == [self.key]

    @clause("STORE-SCAN-04", since="1.0")
    async def a_prefix_is_literal(self, store: StorePort) -> None:
        for name in ODD_NAMES:
            await store.set(self.key + name, 1)

        for prefix in ODD_NAMES:
            given = [name for name in ODD_NAMES if name.startswith(prefix)]
            assert await keys(store, self.key + prefix) == sorted(self.key + name for name in given)

    @clause("STORE-SCAN-05", since="1.0")
    async def a_log_is_never_given(self, store: StorePort) -> None:
        await store.append(f"{self.key}/log", 1)
        await store.set(f"{self.key}/value", 1)

        assert await keys(store, self.key) == [f"{self.key}/value"]
        assert not [key for key in await keys(store, "") if "/log" in key and self.key in key]

    @clause("STORE-SCAN-06", since="1.0")
    async def a_deleted_key_is_not_given(self, store: StorePort) -> None:
        await store.set(f"{self.key}/a", 1)
        await store.set(f"{self.key}/b", 1)
        await store.delete(f"{self.key}/a")

        assert await keys(store, self.key) == [f"{self.key}/b"]

    @clause("STORE-SCAN-07", since="1.0")
    async def a_key_is_given_whichever_verb_wrote_it(self, store: StorePort) -> None:
        await store.get_or_set(f"{self.key}/a", gives(None))
        await store.compare_and_set(f"{self.key}/b", None, None)
        await store.increment(f"{self.key}/c")

        assert await keys(store, self.key) == [f"{self.key}/{name}" for name in "abc"]

    @clause("STORE-SCAN-08", since="1.0")
    async def a_limit_caps_how_many_are_given(self, store: StorePort) -> None:
        for name in "abcde":
            await store.set(self.key + name, 1)

        counts = [len(set(await keys(store, self.key, limit=n))) for n in (1, 3, 5, 99, None)]
        assert counts == [1, 3, 5, 5, 5]

    @clause("STORE-SCAN-09", since="1.0")
    async def a_limit_of_zero_gives_nothing(self, store: StorePort) -> None:
        await store.set(self.key, 1)

        assert await keys(store, self.key, limit=0) == []

    @clause("STORE-SCAN-10", since="1.0")
    async def a_negative_limit_is_refused(self, store: StorePort) -> None:
        await store.set(self.key, 1)

        with pytest.raises(ValueError, match="-1"):
            await keys(store, self.key, limit=-1)

    @clause("STORE-SCAN-11", since="1.0")
    async def the_empty_prefix_gives_every_key(self, store: StorePort) -> None:
        await store.set(f"{self.key}/a", 1)
        await store.set(f"-{self.key}", 1)

        assert {f"{self.key}/a", f"-{self.key}"} <= set(await keys(store, ""))

    @clause("STORE-SCAN-12", since="1.0")
    async def many_keys_are_given_each_once(self, store: StorePort) -> None:
        names = [f"{self.key}/{n:04}" for n in range(MANY)]
        for start in range(0, MANY, 50):
            await asyncio.gather(*(store.set(name, 1) for name in names[start : start + 50]))

        assert await keys(store, f"{self.key}/") == names

    @clause("STORE-SCAN-13", since="1.0")
    async def writes_during_a_scan_disturb_no_other_key(self, store: StorePort) -> None:
        names = [f"{self.key}/{n:02}" for n in range(20)]
        for name in names:
            await store.set(name, 1)
        given: list[str] = []
        async for key in store.scan(f"{self.key}/"):
            given.append(key)
            await asyncio.gather(store.set(f"{self.key}/{len(given)}-new", 1), store.set(key, 2))

        assert sorted(key for key in given if not key.endswith("-new")) == names

    @clause("STORE-SCAN-14", since="1.0")
    async def a_scan_left_early_leaves_the_store_usable(self, store: StorePort) -> None:
        for name in "abc":
            await store.set(self.key + name, 1)
        async with aclosing(cast("Any", store.scan(self.key))) as scan:
            first = await anext(scan)
            await store.set(first, 2)

        assert await store.get(first) == 2
