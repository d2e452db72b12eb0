"""Clauses: what is put into an index is there once, whole, and as it was."""

import asyncio
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import VectorPort
from agentkit.core.contracts.types import Chunk
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._judging import Opener
from agentkit.testing.suites._samples import BAD_KEYS, NOT_JSON, ODD_NAMES, TEXTS, same
from agentkit.testing.suites._steps import accepts
from agentkit.testing.suites._vector_finding import VectorSteps, chunks, ids

__all__ = ["MetadataClauses", "UpsertClauses"]

METADATA: dict[str, Any] = {
    "none": None, "no": False, "zero": 0, "one": 1.0, "big": 10**30, "small": 5e-324, "": "",
    "list": [1, [], {}], "dict": {"a": {"b": [None]}}, "\u00e9": "e\u0301", "a.b": "\U0001f600",
}  # fmt: skip

NOT_JSONB: list[dict[str, Any]] = [
    {"a": "\x00"}, {"\x00": 1}, {"a": "\ud800"}, {"\udfff": 1}, {"a": [{"b": "x\x00y"}]},
    {"a": {"b\ud800": 1}},
]  # fmt: skip
"""JSON that a jsonb column refuses, so that no index takes it."""


class UpsertClauses(VectorSteps):
    """A chunk is there once it is put, and once only."""

    @clause("VECTOR-UPSERT-01", since="1.0")
    async def a_chunk_is_replaced_by_its_id(self, index: VectorPort) -> None:
        await index.upsert(self.scope, [Chunk("one", "red apple", {"v": 1})])
        await index.upsert(self.scope, [Chunk("one", "red car", {"v": 2})])

        found = [each for _, each in await index.search(self.scope, "red", 10)]
        assert found == [Chunk("one", "red car", {"v": 2})]

    @clause("VECTOR-UPSERT-02", since="1.0")
    async def a_replaced_text_is_compared_anew(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red apple", "blue boat"))
        await index.upsert(self.scope, [Chunk("c0", "green tree")])

        assert (await index.search(self.scope, "green tree"))[0][1].id == "c0"
        assert (await index.search(self.scope, "blue boat"))[0][1].id == "c1"

    @clause("VECTOR-UPSERT-03", since="1.0")
    async def of_two_with_one_id_the_later_counts(self, index: VectorPort) -> None:
        await index.upsert(self.scope, [Chunk("one", "red apple"), Chunk("one", "red car")])

        assert [c.text for _, c in await index.search(self.scope, "red", 10)] == ["red car"]

    @clause("VECTOR-UPSERT-04", since="1.0")
    async def putting_nothing_changes_nothing(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red apple"))
        await index.upsert(self.scope, [])

        assert ids(await index.search(self.scope, "red")) == ["c0"]

    @clause("VECTOR-UPSERT-05", since="1.0")
    async def many_at_once_are_all_there(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks(*(f"red {n}" for n in range(300))))

        assert len(set(ids(await index.search(self.scope, "red", 300)))) == 300

    @clause("VECTOR-UPSERT-06", since="1.0")
    async def a_chunk_outlives_the_instance_that_put_it(self, adapter: Opener) -> None:
        async with adapter() as first:
            await first.upsert(self.scope, chunks("red apple", doc=1))

        async with adapter() as second:
            [(_, found)] = await second.search(self.scope, "red apple")
            assert found == chunks("red apple", doc=1)[0]

    @clause("VECTOR-UPSERT-07", since="1.0")
    async def another_instance_finds_what_one_put(self, one: VectorPort, other: VectorPort) -> None:
        await one.upsert(self.scope, chunks("red apple"))
        await other.search(self.scope, "red")
        await one.upsert(self.scope, chunks("red car"))

        assert [c.text for _, c in await other.search(self.scope, "red")] == ["red car"]

    @clause("VECTOR-UPSERT-08", since="1.0")
    async def what_many_put_at_once_is_all_there(self, one: VectorPort, other: VectorPort) -> None:
        every = chunks(*(f"red {n}" for n in range(20)))
        puts = [(one, other)[n % 2].upsert(self.scope, [each]) for n, each in enumerate(every)]
        await asyncio.gather(*puts)

        assert ids(await one.search(self.scope, "red", 50)) == sorted(each.id for each in every)

    @clause("VECTOR-UPSERT-09", since="1.0")
    async def ids_that_look_alike_stay_apart(self, index: VectorPort) -> None:
        names = [f"{self.key}{name}" for name in ODD_NAMES]
        await index.upsert(self.scope, [Chunk(name, "red") for name in names])

        assert ids(await index.search(self.scope, "red", 100)) == sorted(names)

    @clause("VECTOR-UPSERT-10", since="1.0")
    async def an_id_that_is_no_key_is_refused_whole(self, index: VectorPort) -> None:
        for bad in [each for each in BAD_KEYS if isinstance(each, str)]:
            with pytest.raises(StoreValueError):
                await index.upsert(self.scope, [Chunk("good", "red"), Chunk(bad, "red")])

        assert await index.search(self.scope, "red") == []

    @clause("VECTOR-UPSERT-11", since="1.0")
    async def a_text_is_kept_as_it_is_or_refused(self, index: VectorPort) -> None:
        for text in [*TEXTS, "", "red\r\n\tapple", "x" * 100_000]:
            if await accepts(index.upsert(self.scope, [Chunk("one", f"red {text}")])):
                [(_, found)] = await index.search(self.scope, f"red {text}")
                assert found.text == f"red {text}"

    @clause("VECTOR-UPSERT-12", since="1.0")
    async def changing_the_list_that_was_put_changes_nothing(self, index: VectorPort) -> None:
        put = chunks("red apple")
        await index.upsert(self.scope, put)
        put.append(Chunk("more", "red car"))

        assert ids(await index.search(self.scope, "red", 10)) == ["c0"]


class MetadataClauses(VectorSteps):
    """Metadata are JSON that every backend holds, and come back as they went in."""

    @clause("VECTOR-META-01", since="1.0")
    async def metadata_survive_exactly(self, index: VectorPort) -> None:
        await index.upsert(self.scope, [Chunk("one", "red", METADATA)])

        [(_, found)] = await index.search(self.scope, "red")
        assert same(found.metadata, METADATA)

    @clause("VECTOR-META-02", since="1.0")
    async def metadata_that_are_no_json_are_refused_whole(self, index: VectorPort) -> None:
        for bad in NOT_JSON:
            with pytest.raises(StoreValueError):
                await index.upsert(self.scope, [Chunk("a", "red"), Chunk("b", "red", {"x": bad})])

        assert await index.search(self.scope, "red") == []

    @clause("VECTOR-META-03", since="1.0")
    async def metadata_that_jsonb_cannot_hold_are_refused(self, index: VectorPort) -> None:
        for bad in NOT_JSONB:
            with pytest.raises(StoreValueError):
                await index.upsert(self.scope, [Chunk("a", "red"), Chunk("b", "red", bad)])

        assert await index.search(self.scope, "red") == []

    @clause("VECTOR-META-04", since="1.0")
    async def metadata_are_frozen_on_the_way_out(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red", a=[1], b={"c": 1}))

        [(_, found)] = await index.search(self.scope, "red")
        with pytest.raises(TypeError):
            found.metadata["a"].append(2)
        with pytest.raises(TypeError):
            found.metadata["b"]["c"] = 2

    @clause("VECTOR-META-05", since="1.0")
    async def a_replacement_brings_its_own_metadata(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red", old=1, both=1))
        await index.upsert(self.scope, chunks("red", new=2, both=2))

        [(_, found)] = await index.search(self.scope, "red")
        assert found.metadata == {"new": 2, "both": 2}
