"""Clauses: a filter keeps the chunks whose metadata have every one of its items."""

import warnings
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import VectorPort
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.testing.suites._clause import Feature, clause
from agentkit.testing.suites._samples import NOT_JSON
from agentkit.testing.suites._vector_finding import VectorSteps, chunks, ids

__all__ = ["IgnoredWhereClauses", "LackedWhereClauses", "WhereClauses"]

ODD_KEYS = ["a.b", "a", "$gt", "a'b", 'a"b', "%", "_", "a b", "\u00e9", "*", "[0]", "a->b", "?", ""]

ALIKE: list[Any] = [1, True, 1.0, "1", 0, False, None, "", "null", [], {}, [1], {"a": 1}, "a", "A"]
"""Values that databases have taken for one another."""


def marked(*metadata: dict[str, Any]) -> list[Chunk]:
    """Make a chunk of one text for each of *metadata*."""
    return [Chunk(f"c{n}", "red", each) for n, each in enumerate(metadata)]


class WhereClauses(VectorSteps):
    """A filter compares whole values, as JSON."""

    @clause("VECTOR-WHERE-01", since="1.0", needs=Feature.WHERE)
    async def a_filter_keeps_what_has_every_item(self, index: VectorPort) -> None:
        await index.upsert(self.scope, marked({"a": 1}, {"a": 1, "b": 2}, {"b": 2}, {"a": 2}))

        assert ids(await index.search(self.scope, "red", where={"a": 1})) == ["c0", "c1"]
        assert ids(await index.search(self.scope, "red", where={"a": 1, "b": 2})) == ["c1"]
        assert ids(await index.search(self.scope, "red", where={"a": 1, "b": 3})) == []

    @clause("VECTOR-WHERE-02", since="1.0", needs=Feature.WHERE)
    async def an_empty_filter_keeps_everything(self, index: VectorPort) -> None:
        await index.upsert(self.scope, marked({"a": 1}, {}))

        assert ids(await index.search(self.scope, "red", where={})) == ["c0", "c1"]

    @clause("VECTOR-WHERE-03", since="1.0", needs=Feature.WHERE)
    async def as_many_as_asked_for_are_given_where_they_match(self, index: VectorPort) -> None:
        nearer = [Chunk(f"n{n}", "red apple", {"a": 1}) for n in range(200)]
        kept = [Chunk(f"k{n}", "red apple on the far side", {"a": 2}) for n in range(5)]
        await index.upsert(self.scope, [*nearer, *kept])

        found = await index.search(self.scope, "red apple", 3, {"a": 2})
        assert [c.metadata["a"] for _, c in found] == [2, 2, 2]

    @clause("VECTOR-WHERE-04", since="1.0", needs=Feature.WHERE)
    async def a_missing_field_is_not_none(self, index: VectorPort) -> None:
        await index.upsert(self.scope, marked({"a": None}, {}, {"b": None}))

        assert ids(await index.search(self.scope, "red", where={"a": None})) == ["c0"]

    @clause("VECTOR-WHERE-05", since="1.0", needs=Feature.WHERE)
    async def values_that_look_alike_differ(self, index: VectorPort) -> None:
        await index.upsert(self.scope, marked(*({"a": value} for value in ALIKE)))

        for n, value in enumerate(ALIKE):
            found = await index.search(self.scope, "red", 100, {"a": value})
            assert ids(found) == [f"c{n}"], value

    @clause("VECTOR-WHERE-06", since="1.0", needs=Feature.WHERE)
    async def nested_values_compare_as_a_whole(self, index: VectorPort) -> None:
        inner = [{"b": 1}, {"b": 1, "c": 2}, {"b": {"d": 1}}, [1, 2], [2, 1], [1, 2, 3], [[1, 2]]]
        await index.upsert(self.scope, marked(*({"a": value} for value in inner)))

        for n, value in enumerate(inner):
            found = await index.search(self.scope, "red", 100, {"a": value})
            assert ids(found) == [f"c{n}"], value

    @clause("VECTOR-WHERE-07", since="1.0", needs=Feature.WHERE)
    async def the_order_of_keys_is_irrelevant(self, index: VectorPort) -> None:
        await index.upsert(self.scope, marked({"a": {"b": 1, "c": {"d": 2, "e": 3}}}))
        turned = {"a": {"c": {"e": 3, "d": 2}, "b": 1}}

        assert ids(await index.search(self.scope, "red", where=turned)) == ["c0"]

    @clause("VECTOR-WHERE-08", since="1.0", needs=Feature.WHERE)
    async def a_key_is_taken_as_it_is(self, index: VectorPort) -> None:
        every: list[dict[str, Any]] = [*({key: "x"} for key in ODD_KEYS), {"a": {"b": "x"}}]
        await index.upsert(self.scope, marked(*every))

        for n, key in enumerate(ODD_KEYS):
            found = await index.search(self.scope, "red", 100, {key: "x"})
            assert ids(found) == [f"c{n}"], key

    @clause("VECTOR-WHERE-09", since="1.0", needs=Feature.WHERE)
    async def a_filter_that_is_no_json_object_is_refused(self, index: VectorPort) -> None:
        await index.upsert(self.scope, marked({"a": [1, 2]}))
        wrong: list[Any] = [*({"a": bad} for bad in NOT_JSON), {1: 1}, [], "a", 1]
        for where in wrong:
            with pytest.raises(StoreValueError):
                await index.search(self.scope, "red", where=where)

    @clause("VECTOR-WHERE-10", since="1.0", needs=Feature.WHERE)
    async def a_replaced_chunk_is_kept_by_its_new_metadata(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red", a=1))
        await index.upsert(self.scope, chunks("red", a=2))

        assert ids(await index.search(self.scope, "red", where={"a": 1})) == []
        assert ids(await index.search(self.scope, "red", where={"a": 2})) == ["c0"]

    @clause("VECTOR-WHERE-11", since="1.0", needs=Feature.WHERE)
    async def a_filter_stays_within_the_tenant(self, index: VectorPort) -> None:
        await index.upsert(Scope(self.key, 2), [Chunk("theirs", "red", {"a": 1})])
        await index.upsert(self.scope, [Chunk("mine", "red", {"a": 2})])

        assert await index.search(self.scope, "red", where={"a": 1}) == []

    @clause("VECTOR-WHERE-12", since="1.0", needs=Feature.WHERE)
    async def what_is_kept_is_still_in_order(self, index: VectorPort) -> None:
        texts = ["red " + "blue " * n for n in range(9)]
        await index.upsert(self.scope, chunks(*texts, a=1))
        await index.upsert(self.scope, [Chunk("best", "red", {"a": 2})])

        scores = [score for score, _ in await index.search(self.scope, "red", 9, {"a": 1})]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) == 9


class LackedWhereClauses(VectorSteps):
    """An index without filters that says so."""

    @clause("VECTOR-LACK-01", since="1.0", lacks=Feature.WHERE)
    async def a_refused_filter_leaves_the_index_usable(self, index: VectorPort) -> None:
        await index.upsert(self.scope, marked({"a": 1}, {"a": 2}))
        for where in ({"a": 1}, {}):
            with pytest.raises(NotImplementedError):
                await index.search(self.scope, "red", where=where)

        assert ids(await index.search(self.scope, "red")) == ["c0", "c1"]


class IgnoredWhereClauses(VectorSteps):
    """An index that ignores a filter and warns."""

    @clause("VECTOR-IGNORE-01", since="1.0", ignores=Feature.WHERE)
    async def an_ignored_filter_is_told_once(self, index: VectorPort) -> None:
        await index.upsert(self.scope, marked({"a": 1}, {"a": 2}))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            await index.search(self.scope, "red", where={"a": 1})
            await index.search(self.scope, "red", where={"a": 2})

        assert len(told) == 1

    @clause("VECTOR-IGNORE-02", since="1.0", ignores=Feature.WHERE)
    async def an_ignored_filter_keeps_everything(self, index: VectorPort) -> None:
        await index.upsert(self.scope, marked({"a": 1}, {"a": 2}))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = await index.search(self.scope, "red", where={"a": 1})

        assert found == await index.search(self.scope, "red")

    @clause("VECTOR-IGNORE-03", since="1.0", ignores=Feature.WHERE)
    async def a_filter_that_is_no_json_object_is_refused_though_ignored(
        self, index: VectorPort
    ) -> None:
        wrong: list[Any] = [{"a": object()}, {1: 1}, [], "a"]
        for where in wrong:
            with pytest.raises(StoreValueError):
                await index.search(self.scope, "red", where=where)
