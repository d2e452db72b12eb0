"""Clauses: values are changed, counted and logged without losing anybody's change."""

import asyncio
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import StorePort
from agentkit.core.serialization import deep_freeze
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._judging import Opener
from agentkit.testing.suites._samples import (
    FALSY,
    MAX,
    NOT_JSON,
    NOT_WHOLE,
    is_plain,
    same,
    unchanged,
)
from agentkit.testing.suites._steps import accepts
from agentkit.testing.suites._suite import Suite

__all__ = ["CounterClauses", "LogClauses", "SwapClauses"]

ROUNDS = 15
"""How often each side tries where changes could be lost."""

UNEQUAL: list[tuple[Any, Any]] = [
    (1, True), (0, False), (1, 1.0), (0, None), ("", None), ([], None), ({}, []), ("1", 1),
    ([1], [True]), ({"a": 1}, {"a": 1.0}), ({"a": None}, {}), ([1, 2], [2, 1]), ("é", "e\u0301"),
]  # fmt: skip


class SwapClauses(Suite):
    """compare_and_set writes only over what is expected, and tells whether it did."""

    @clause("STORE-CAS-01", since="1.0")
    async def a_swap_that_finds_what_it_expects_applies(self, store: StorePort) -> None:
        await store.set(self.key, {"a": [1]})

        assert await store.compare_and_set(self.key, {"a": [1]}, "new") is True
        assert await store.get(self.key) == "new"

    @clause("STORE-CAS-02", since="1.0")
    async def a_swap_that_finds_something_else_is_refused(self, store: StorePort) -> None:
        await store.set(self.key, {"a": [1]})

        assert await store.compare_and_set(self.key, {"a": [2]}, "new") is False
        assert await store.get(self.key) == {"a": [1]}

    @clause("STORE-CAS-03", since="1.0")
    async def an_absent_key_equals_none(self, store: StorePort) -> None:
        assert await store.compare_and_set(self.key, None, "new") is True
        assert await store.get(self.key) == "new"

    @clause("STORE-CAS-04", since="1.0")
    async def a_stored_none_equals_none(self, store: StorePort) -> None:
        await store.set(self.key, None)

        assert await store.compare_and_set(self.key, None, "new") is True
        assert await store.get(self.key) == "new"

    @clause("STORE-CAS-05", since="1.0")
    async def an_absent_key_equals_nothing_else(self, store: StorePort) -> None:
        for value in FALSY[1:]:
            assert await store.compare_and_set(self.key, value, "new") is False

        assert not [key async for key in store.scan(self.key)]

    @clause("STORE-CAS-06", since="1.0")
    async def the_order_of_keys_is_irrelevant(self, store: StorePort) -> None:
        await store.set(self.key, {"a": 1, "b": {"c": 2, "d": 3}})
        expected = {"b": {"d": 3, "c": 2}, "a": 1}

        assert await store.compare_and_set(self.key, expected, "new") is True

    @clause("STORE-CAS-07", since="1.0")
    async def values_that_only_python_calls_equal_differ(self, store: StorePort) -> None:
        for stored, expected in UNEQUAL + [(b, a) for a, b in UNEQUAL]:
            await store.set(self.key, stored)

            assert await store.compare_and_set(self.key, expected, "new") is False
            assert same(await store.get(self.key), stored)

    @clause("STORE-CAS-08", since="1.0")
    async def what_was_read_is_found_again(self, store: StorePort) -> None:
        for value in [*FALSY, 1.0, -0.0, 10**30, "\x00\ud800", [1, {"é": None}]]:
            await store.set(self.key, value)
            read = await store.get(self.key)

            assert await store.compare_and_set(self.key, read, "new") is True

    @clause("STORE-CAS-09", since="1.0")
    async def of_many_swaps_at_once_one_applies(self, one: StorePort, other: StorePort) -> None:
        for turn in range(ROUNDS):
            swaps = [s.compare_and_set(self.key, turn or None, turn + 1) for s in (one, other) * 4]

            assert sorted(await asyncio.gather(*swaps)) == [False] * 7 + [True]

    @clause("STORE-CAS-10", since="1.0")
    async def a_loop_of_swaps_loses_no_update(self, one: StorePort, other: StorePort) -> None:
        async def add(store: StorePort) -> None:
            while not await store.compare_and_set(
                self.key, now := await store.get(self.key), (now or 0) + 1
            ):
                pass

        await asyncio.gather(*(add(store) for store in (one, other) * ROUNDS))
        assert await one.get(self.key) == 2 * ROUNDS

    @clause("STORE-CAS-11", since="1.0")
    async def what_is_no_json_equals_no_json(self, store: StorePort) -> None:
        await store.set(self.key, [1, 2])
        for strange in [(1, 2), *NOT_JSON]:
            await accepts(store.compare_and_set(self.key, strange, "new"))

        assert await store.get(self.key) == [1, 2]

    @clause("STORE-CAS-12", since="1.0")
    async def changing_a_swapped_in_value_changes_nothing(self, store: StorePort) -> None:
        value = {"a": [1]}
        await store.compare_and_set(self.key, None, value)
        value["a"].append(2)

        assert await store.get(self.key) == {"a": [1]}

    @clause("STORE-CAS-13", since="1.0")
    async def frozen_values_equal_plain_ones(self, store: StorePort) -> None:
        await store.set(self.key, {"a": [1]})
        frozen = deep_freeze({"a": [1]})

        assert await store.compare_and_set(self.key, frozen, frozen) is True
        assert is_plain(await store.get(self.key))


class CounterClauses(Suite):
    """increment adds whole numbers within signed 64 bits, and loses none."""

    @clause("STORE-COUNT-01", since="1.0")
    async def an_absent_counter_counts_from_zero(self, store: StorePort) -> None:
        assert same(await store.increment(self.key), 1)
        assert same(await store.increment(self.key, 41), 42)
        assert same(await store.get(self.key), 42)

    @clause("STORE-COUNT-02", since="1.0")
    async def a_counter_goes_down_too(self, store: StorePort) -> None:
        assert await store.increment(self.key, -3) == -3
        assert await store.increment(self.key, 0) == -3
        assert await store.increment(self.key, 4) == 1

    @clause("STORE-COUNT-03", since="1.0")
    async def an_amount_that_is_no_whole_number_is_refused(self, store: StorePort) -> None:
        await store.set(self.key, 7)
        for amount in NOT_WHOLE:
            with pytest.raises(StoreValueError):
                await store.increment(self.key, amount)

        assert same(await store.get(self.key), 7)

    @clause("STORE-COUNT-04", since="1.0")
    async def a_refused_amount_makes_no_counter(self, store: StorePort) -> None:
        for amount in [*NOT_WHOLE, MAX + 1, -MAX - 2]:
            with pytest.raises(StoreValueError):
                await store.increment(self.key, amount)

        assert not [key async for key in store.scan(self.key)]

    @clause("STORE-COUNT-05", since="1.0")
    async def what_is_stored_and_no_whole_number_is_refused(self, store: StorePort) -> None:
        for stored in [None, True, False, 1.0, "1", "", [], {}, [1], {"a": 1}]:
            await store.set(self.key, stored)
            with pytest.raises(StoreValueError):
                await store.increment(self.key)

            assert same(await store.get(self.key), stored)

    @clause("STORE-COUNT-06", since="1.0")
    async def a_counter_reaches_both_ends_of_64_bits(self, store: StorePort) -> None:
        await store.set(self.key, MAX - 1)
        assert await store.increment(self.key) == MAX

        await store.set(self.key, -MAX)
        assert await store.increment(self.key, -1) == -MAX - 1
        assert await store.increment(f"{self.key}-b", MAX) == MAX
        assert await store.increment(f"{self.key}-c", -MAX - 1) == -MAX - 1

    @clause("STORE-COUNT-07", since="1.0")
    async def beyond_64_bits_is_refused_and_nothing_changes(self, store: StorePort) -> None:
        for stored, amount in [(MAX, 1), (-MAX - 1, -1), (1, MAX), (-2, -MAX), (2**70, 0)]:
            await store.set(self.key, stored)
            with pytest.raises(StoreValueError):
                await store.increment(self.key, amount)

            assert same(await store.get(self.key), stored)

    @clause("STORE-COUNT-08", since="1.0")
    async def concurrent_increments_all_count(self, one: StorePort, other: StorePort) -> None:
        calls = [store.increment(self.key, by) for store in (one, other) for by in range(ROUNDS)]
        totals = await asyncio.gather(*calls)

        assert max(totals) == await one.get(self.key) == 2 * sum(range(ROUNDS))

    @clause("STORE-COUNT-09", since="1.0")
    async def every_increment_gives_its_own_total(self, one: StorePort, other: StorePort) -> None:
        totals = await asyncio.gather(*(store.increment(self.key) for store in (one, other) * 20))

        assert sorted(totals) == list(range(1, 41))

    @clause("STORE-COUNT-10", since="1.0")
    async def a_counter_is_a_value_like_any_other(self, store: StorePort) -> None:
        await store.set(self.key, 5)
        assert await store.increment(self.key) == 6
        assert await store.compare_and_set(self.key, 6, 10) is True
        assert await store.increment(self.key) == 11

        await store.delete(self.key)
        assert await store.increment(self.key) == 1


class LogClauses(Suite):
    """append adds to the end of a log, which is no value and lives apart from values."""

    @clause("STORE-LOG-01", since="1.0")
    async def a_log_is_read_in_order(self, store: StorePort) -> None:
        for step in range(12):
            await store.append(self.key, {"step": step})

        assert await store.list(self.key) == [{"step": step} for step in range(12)]

    @clause("STORE-LOG-02", since="1.0")
    async def an_unknown_log_is_empty(self, store: StorePort) -> None:
        assert await store.list(self.key) == []
        assert await store.get(self.key) is None

    @clause("STORE-LOG-03", since="1.0")
    async def a_log_and_a_value_of_one_name_stay_apart(self, store: StorePort) -> None:
        await store.append(self.key, "entry")
        assert await store.get(self.key) is None

        await store.set(self.key, "value")
        await store.append(self.key, "another")
        assert (await store.get(self.key), await store.list(self.key)) == (
            "value", ["entry", "another"],
        )  # fmt: skip

    @clause("STORE-LOG-04", since="1.0")
    async def a_deletion_leaves_the_log(self, store: StorePort) -> None:
        await store.set(self.key, "value")
        await store.append(self.key, "entry")
        await store.delete(self.key)

        assert await store.list(self.key) == ["entry"]

    @clause("STORE-LOG-05", since="1.0")
    async def concurrent_entries_are_all_there_once(self, one: StorePort, other: StorePort) -> None:
        entries = list(range(2 * ROUNDS))
        stores = (one, other) * ROUNDS
        await asyncio.gather(
            *(store.append(self.key, entry) for store, entry in zip(stores, entries, strict=True))
        )

        assert sorted(await one.list(self.key)) == entries

    @clause("STORE-LOG-06", since="1.0")
    async def entries_of_two_instances_keep_their_order(
        self, one: StorePort, other: StorePort
    ) -> None:
        for entry in range(6):
            await (one, other)[entry % 2].append(self.key, entry)

        assert await one.list(self.key) == await other.list(self.key) == [0, 1, 2, 3, 4, 5]

    @clause("STORE-LOG-07", since="1.0")
    async def empty_and_false_entries_are_entries(self, store: StorePort) -> None:
        for value in FALSY:
            await store.append(self.key, value)

        assert same(await store.list(self.key), FALSY)

    @clause("STORE-LOG-08", since="1.0")
    async def changing_an_entry_changes_nothing(self, store: StorePort) -> None:
        entry = {"a": [1]}
        await store.append(self.key, entry)
        entry["a"].append(2)
        read = await store.list(self.key)
        read[0]["a"].append(3)
        read.append("more")

        assert await store.list(self.key) == [{"a": [1]}]

    @clause("STORE-LOG-09", since="1.0")
    async def an_entry_is_refused_whole_or_kept_whole(self, store: StorePort) -> None:
        await store.append(self.key, "before")
        for strange in NOT_JSON:
            count = len(await store.list(self.key))
            taken = await accepts(store.append(self.key, strange))

            assert len(read := await store.list(self.key)) == count + taken
            assert unchanged(read[-1], strange) or not taken

    @clause("STORE-LOG-10", since="1.0")
    async def a_log_outlives_the_instance_that_wrote_it(self, adapter: Opener) -> None:
        async with adapter() as first:
            await first.append(self.key, {"a": [1]})

        async with adapter() as second:
            await second.append(self.key, 2)
            assert await second.list(self.key) == [{"a": [1]}, 2]

    @clause("STORE-LOG-11", since="1.0")
    async def entries_survive_exactly(self, store: StorePort) -> None:
        entries = [10**30, -0.0, "\x00\ud800", True, 1.0, {"é": None}]
        for entry in entries:
            await store.append(self.key, entry)

        assert same(await store.list(self.key), entries)
