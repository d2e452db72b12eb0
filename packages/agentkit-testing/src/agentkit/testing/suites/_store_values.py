"""Clauses: what is stored comes back, and nothing else."""

from typing import Any

from agentkit.core.contracts.ports import StorePort
from agentkit.core.serialization import deep_freeze
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._judging import Opener
from agentkit.testing.suites._samples import (
    DEEP,
    FALSY,
    NOT_JSON,
    NUMBERS,
    TEXTS,
    is_plain,
    same,
    unchanged,
)
from agentkit.testing.suites._steps import accepts, gives
from agentkit.testing.suites._suite import Suite

__all__ = ["BasicClauses", "ValueClauses"]

NINE = (
    "get", "set", "get_or_set", "delete", "append", "list", "compare_and_set", "increment", "scan",
)  # fmt: skip


class BasicClauses(Suite):
    """Reading, writing, deleting; one backend behind every instance."""

    @clause("STORE-PORT-01", since="1.0")
    async def an_adapter_has_the_verbs_of_its_port(self, store: StorePort) -> None:
        verbs = [verb for verb in NINE if verb not in self.partial]

        assert [verb for verb in verbs if not callable(getattr(store, verb, None))] == []

    @clause("STORE-KV-01", since="1.0")
    async def a_key_never_set_reads_none(self, store: StorePort) -> None:
        assert await store.get(self.key) is None

    @clause("STORE-KV-02", since="1.0")
    async def the_last_write_wins(self, store: StorePort) -> None:
        await store.set(self.key, {"a": 1})
        await store.set(self.key, "second")

        assert await store.get(self.key) == "second"

    @clause("STORE-KV-03", since="1.0")
    async def a_deleted_key_reads_none(self, store: StorePort) -> None:
        await store.set(self.key, 1)
        await store.delete(self.key)

        assert await store.get(self.key) is None

    @clause("STORE-KV-04", since="1.0")
    async def deleting_what_is_not_there_changes_nothing(self, store: StorePort) -> None:
        await store.set(self.key, 1)
        await store.delete(f"{self.key}-absent")
        await store.delete(f"{self.key}-absent")

        assert await store.get(self.key) == 1

    @clause("STORE-KV-05", since="1.0")
    async def another_instance_reads_what_one_wrote(self, one: StorePort, other: StorePort) -> None:
        await one.set(self.key, 1)
        assert await other.get(self.key) == 1

        await other.set(self.key, 2)
        assert await one.get(self.key) == 2

    @clause("STORE-KV-06", since="1.0")
    async def a_value_outlives_the_instance_that_wrote_it(self, adapter: Opener) -> None:
        async with adapter() as first:
            await first.set(self.key, {"a": [1]})

        async with adapter() as second:
            assert await second.get(self.key) == {"a": [1]}

    @clause("STORE-KV-07", since="1.0")
    async def another_instance_sees_a_deletion(self, one: StorePort, other: StorePort) -> None:
        await one.set(self.key, 1)
        await other.get(self.key)
        await one.delete(self.key)

        assert await other.get(self.key) is None


class ValueClauses(Suite):
    """JSON survives exactly; what is no JSON is refused whole or kept whole."""

    @clause("STORE-VALUE-01", since="1.0")
    async def empty_and_false_values_are_values(self, store: StorePort) -> None:
        for value in FALSY:
            await store.set(self.key, value)

            assert same(await store.get(self.key), value)

    @clause("STORE-VALUE-02", since="1.0")
    async def any_text_survives(self, store: StorePort) -> None:
        for text in TEXTS:
            await store.set(self.key, {text: [text]})

            assert await store.get(self.key) == {text: [text]}

    @clause("STORE-VALUE-03", since="1.0")
    async def numbers_keep_their_size_and_type(self, store: StorePort) -> None:
        for number in NUMBERS:
            await store.set(self.key, [number])

            assert same(await store.get(self.key), [number])

    @clause("STORE-VALUE-04", since="1.0")
    async def nesting_survives(self, store: StorePort) -> None:
        value: object = "core"
        for _ in range(DEEP):
            value = [{"in": value}]
        await store.set(self.key, value)

        assert same(await store.get(self.key), value)

    @clause("STORE-VALUE-05", since="1.0")
    async def a_megabyte_survives(self, store: StorePort) -> None:
        text = "é\U0001f600\x00x" * 250_000
        await store.set(self.key, text)

        assert await store.get(self.key) == text

    @clause("STORE-VALUE-06", since="1.0")
    async def what_is_no_json_is_refused_whole_or_kept_whole(self, store: StorePort) -> None:
        for strange in NOT_JSON:
            await store.set(self.key, "before")
            taken = await accepts(store.set(self.key, strange))

            assert unchanged(await store.get(self.key), strange if taken else "before")

    @clause("STORE-VALUE-07", since="1.0")
    async def a_refused_value_makes_no_key(self, store: StorePort) -> None:
        for strange in NOT_JSON:
            taken = await accepts(store.set(self.key, [strange]))

            assert taken or not [key async for key in store.scan(self.key)]
            await store.delete(self.key)

    @clause("STORE-VALUE-08", since="1.0")
    async def integers_have_4300_digits_at_most_or_stay_whole(self, store: StorePort) -> None:
        await store.set(self.key, 10**4300 - 1)
        assert await store.get(self.key) == 10**4300 - 1

        taken = await accepts(store.set(self.key, 10**4300))
        assert await store.get(self.key) == 10**4300 - (0 if taken else 1)

    @clause("STORE-VALUE-09", since="1.0")
    async def changing_a_value_after_writing_it_changes_nothing(self, store: StorePort) -> None:
        value = {"a": [1]}
        await store.set(self.key, value)
        value["a"].append(2)

        assert await store.get(self.key) == {"a": [1]}

    @clause("STORE-VALUE-10", since="1.0")
    async def changing_a_value_after_reading_it_changes_nothing(self, store: StorePort) -> None:
        await store.set(self.key, {"a": [1]})
        read: Any = await store.get(self.key)
        read["a"].append(2)

        assert await store.get(self.key) == {"a": [1]}

    @clause("STORE-VALUE-11", since="1.0")
    async def frozen_values_are_read_back_plain(self, store: StorePort) -> None:
        await store.set(self.key, deep_freeze({"a": [{"b": [1]}]}))
        read = await store.get(self.key)

        assert read == {"a": [{"b": [1]}]}
        assert is_plain(read)

    @clause("STORE-VALUE-12", since="1.0")
    async def a_produced_value_is_refused_whole_or_kept_whole(self, store: StorePort) -> None:
        for strange in NOT_JSON:
            taken = await accepts(store.get_or_set(self.key, gives(strange)))

            assert unchanged(await store.get(self.key), strange if taken else None)
            await store.delete(self.key)

    @clause("STORE-VALUE-13", since="1.0")
    async def a_swapped_in_value_is_refused_whole_or_kept_whole(self, store: StorePort) -> None:
        for strange in NOT_JSON:
            await store.set(self.key, "before")
            taken = await accepts(store.compare_and_set(self.key, "before", strange))

            assert unchanged(await store.get(self.key), strange if taken else "before")

    @clause("STORE-VALUE-14", since="1.0")
    async def a_value_that_holds_itself_is_refused_or_kept(self, store: StorePort) -> None:
        knot: list[object] = []
        knot.append(knot)
        await store.set(self.key, "before")
        taken = await accepts(store.set(self.key, knot))

        assert unchanged(await store.get(self.key), knot if taken else "before")
