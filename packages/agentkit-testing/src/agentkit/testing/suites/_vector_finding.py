"""Clauses: what a search gives, of how many chunks, in which order, and of whose."""

import asyncio
import math
from functools import cached_property
from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import VectorPort
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._judging import Opener
from agentkit.testing.suites._suite import Suite

__all__ = ["VERBS", "FindingClauses", "ScopeClauses", "VectorSteps", "chunks", "ids"]

VERBS = ("upsert", "search")

SCOPES = [
    Scope(), Scope(1), Scope(1, 2), Scope(12), Scope("1"), Scope("1", "2"), Scope(None, 1),
    Scope("None"), Scope("a", "1:dom2"), Scope("a:dom1", 2), Scope("a"), Scope("A"), Scope("%"),
    Scope("a%"), Scope("a_"), Scope("a", "b"), Scope('a"', "b"), Scope(""), Scope("org1:dom2"),
]  # fmt: skip
"""Tenants that indexes have taken for one another."""

BAD_COUNTS: list[Any] = [-1, True, 1.5, "1", None]


def chunks(*texts: str, **metadata: Any) -> list[Chunk]:
    """Make a chunk of each of *texts*, with the ids `c0`, `c1`, ... and *metadata*."""
    return [Chunk(f"c{n}", text, metadata) for n, text in enumerate(texts)]


def ids(found: list[tuple[float, Chunk]]) -> list[str]:
    """Give the ids of what was *found*, in order of the alphabet."""
    return sorted(chunk.id for _, chunk in found)


class VectorSteps(Suite):
    """What the clauses of vector indexes share."""

    @cached_property
    def scope(self) -> Scope:
        """A tenant no other case uses."""
        return Scope(self.key)


class FindingClauses(VectorSteps):
    """A search gives the chunks most like the query, best first, and no more than are asked for."""

    @clause("VECTOR-PORT-01", since="1.0")
    async def an_adapter_has_the_verbs_of_its_port(self, index: VectorPort) -> None:
        verbs = [verb for verb in VERBS if verb not in self.partial]

        assert [verb for verb in verbs if not callable(getattr(index, verb, None))] == []

    @clause("VECTOR-FIND-01", since="1.0")
    async def a_chunk_is_found_by_its_text(self, index: VectorPort) -> None:
        put = Chunk("runbook-1", "the TLS certificate expired", {"doc": "runbook", "page": 3})
        await index.upsert(self.scope, [put])

        [(_, found)] = await index.search(self.scope, "the TLS certificate expired")
        assert found == put

    @clause("VECTOR-FIND-02", since="1.0")
    async def an_unknown_tenant_has_nothing(self, index: VectorPort) -> None:
        assert await index.search(self.scope, "certificate") == []

    @clause("VECTOR-FIND-03", since="1.0")
    async def the_most_alike_comes_first(self, index: VectorPort) -> None:
        texts = ("red apple", "red apple pie", "red car on a long road", "red")
        await index.upsert(self.scope, chunks(*texts))

        for text in texts:
            found = await index.search(self.scope, text)
            assert found[0][1].text == text

    @clause("VECTOR-FIND-04", since="1.0")
    async def scores_fall(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks(*("red " + "blue " * n for n in range(9))))
        for query in ("red", "blue", "red blue blue"):
            scores = [score for score, _ in await index.search(self.scope, query, 9)]

            assert scores == sorted(scores, reverse=True)
            assert scores[0] > scores[-1]

    @clause("VECTOR-FIND-05", since="1.0")
    async def a_score_is_a_finite_float(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red apple", "red car"))
        for pair in await index.search(self.scope, "red apple"):
            score, found = pair

            assert type(score) is float
            assert math.isfinite(score)
            assert isinstance(found, Chunk)

    @clause("VECTOR-FIND-06", since="1.0")
    async def no_more_are_given_than_asked_for(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks(*(f"red {n}" for n in range(9))))

        for k in (1, 2, 8, 9):
            assert len(await index.search(self.scope, "red", k)) == k

    @clause("VECTOR-FIND-07", since="1.0")
    async def five_are_given_unless_told(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks(*(f"red {n}" for n in range(9))))

        assert len(await index.search(self.scope, "red")) == 5

    @clause("VECTOR-FIND-08", since="1.0")
    async def more_than_there_are_gives_all_once(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks(*(f"red {n}" for n in range(3))))

        assert ids(await index.search(self.scope, "red", 1000)) == ["c0", "c1", "c2"]

    @clause("VECTOR-FIND-09", since="1.0")
    async def none_are_given_where_none_are_asked_for(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red apple"))

        assert await index.search(self.scope, "red", 0) == []

    @clause("VECTOR-FIND-10", since="1.0")
    async def what_is_no_count_is_refused(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red apple", "red car"))
        for k in BAD_COUNTS:
            with pytest.raises(StoreValueError):
                await index.search(self.scope, "red", k)

    @clause("VECTOR-FIND-11", since="1.0")
    async def the_same_question_has_the_same_answer(
        self, one: VectorPort, other: VectorPort
    ) -> None:
        await one.upsert(self.scope, chunks(*(f"red {n % 3}" for n in range(30))))
        first = await one.search(self.scope, "red", 7)

        assert await one.search(self.scope, "red", 7) == first
        assert await other.search(self.scope, "red", 7) == first

    @clause("VECTOR-FIND-12", since="1.0")
    async def a_query_that_says_nothing_is_answered(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red apple"))
        for query in ("", " ", "?!", "\n", "red " * 5000):
            found = await index.search(self.scope, query)

            assert ids(found) in ([], ["c0"])

    @clause("VECTOR-FIND-13", since="1.0")
    async def the_answer_is_the_callers_own(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red apple"))
        first = await index.search(self.scope, "red apple")
        first.clear()

        assert ids(await index.search(self.scope, "red apple")) == ["c0"]


class ScopeClauses(VectorSteps):
    """A tenant finds its own chunks and nobody else's."""

    @clause("VECTOR-SCOPE-01", since="1.0")
    async def tenants_that_look_alike_stay_apart(self, index: VectorPort) -> None:
        for n, scope in enumerate(SCOPES):
            await index.upsert(scope, [Chunk(self.key, f"{self.key} {n}")])

        for n, scope in enumerate(SCOPES):
            found = await index.search(scope, self.key, len(SCOPES))
            assert [c.text for _, c in found if c.id == self.key] == [f"{self.key} {n}"]

    @clause("VECTOR-SCOPE-02", since="1.0")
    async def another_tenant_finds_nothing(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red apple"))

        for other in (Scope(self.key, 1), Scope(None, self.key), Scope(self.key + "1")):
            assert await index.search(other, "red apple", 100) == []

    @clause("VECTOR-SCOPE-03", since="1.0")
    async def replacing_in_one_tenant_leaves_the_other(self, index: VectorPort) -> None:
        other = Scope(self.key, "other")
        await index.upsert(self.scope, chunks("red apple"))
        await index.upsert(other, chunks("red car"))
        await index.upsert(other, chunks("red boat"))

        [(_, found)] = await index.search(self.scope, "red")
        assert found.text == "red apple"

    @clause("VECTOR-SCOPE-04", since="1.0")
    async def many_chunks_of_others_do_not_crowd_out_ones_own(self, index: VectorPort) -> None:
        others = [Scope(self.key, n) for n in range(20)]
        await asyncio.gather(*(index.upsert(o, chunks(*["red"] * 10)) for o in others))
        await index.upsert(self.scope, chunks("red apple", "red car"))

        assert ids(await index.search(self.scope, "red", 2)) == ["c0", "c1"]

    @clause("VECTOR-SCOPE-05", since="1.0", hook="other_namespace")
    async def a_sibling_namespace_finds_nothing(self, adapter: Opener) -> None:
        async with adapter() as index, self.sibling()() as other:
            await index.upsert(self.scope, chunks("red apple"))
            assert await other.search(self.scope, "red apple") == []

            await other.upsert(self.scope, chunks("red car"))
            [(_, found)] = await index.search(self.scope, "red")
            assert found.text == "red apple"
