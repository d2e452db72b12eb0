"""Vector indexes that find wrongly: too much, too little, out of order, or what is another's."""

from collections.abc import Callable
from typing import Any

from agentkit.core.contracts.types import Chunk, Scope
from agentkit.core.serialization.features import tokens
from agentkit.testing.mutants._backend import Backend, Row
from agentkit.testing.mutants._trial import breaks
from agentkit.testing.mutants._vector_reference import ReferenceVector

Found = list[tuple[float, Chunk]]


@breaks("VECTOR-PORT-01")
class SearchesNothing(ReferenceVector):
    """It leaves out a verb of the port."""

    search = None  # type: ignore[assignment]


@breaks("VECTOR-FIND-01")
class GivesItsOwnIds(ReferenceVector):
    """It gives the id of the row, in which the tenant is."""

    def chunk(self, chunk_id: str, row: Row) -> Chunk:
        return super().chunk(f"1/{chunk_id}", row)


@breaks("VECTOR-FIND-02")
class MissesTheUnknownTenant(ReferenceVector):
    """It fails on a tenant that it does not know."""

    def held(self, tenant: str) -> dict[str, Row]:
        return self.space.rows[tenant]


@breaks("VECTOR-FIND-03")
class CountsSharedWords(ReferenceVector):
    """It counts words in common, whatever else a text says."""

    def score(self, query: str, row: Row) -> float:
        return float(len(set(tokens(query)) & set(tokens(row.embedded))))


@breaks("VECTOR-FIND-04")
class GivesDistances(ReferenceVector):
    """It gives how far apart they are."""

    def cut(self, found: Found, k: int) -> Found:
        return [(1 - score, chunk) for score, chunk in super().cut(found, k)]


@breaks("VECTOR-FIND-05")
class GivesPercents(ReferenceVector):
    """It rounds scores to whole numbers."""

    def score(self, query: str, row: Row) -> float:
        return int(100 * super().score(query, row))


@breaks("VECTOR-FIND-06")
class GivesEverything(ReferenceVector):
    """It takes no notice of how many are wanted."""

    def cut(self, found: Found, k: int) -> Found:
        return found if k else []


@breaks("VECTOR-FIND-07")
class GivesTen(ReferenceVector):
    """It gives ten where it is told nothing."""

    async def search(
        self, scope: Scope, query: str, k: int = 10, where: dict[str, Any] | None = None
    ) -> Found:
        return await super().search(scope, query, k, where)


@breaks("VECTOR-FIND-08")
class PadsTheAnswer(ReferenceVector):
    """It repeats what it has until there are enough."""

    def cut(self, found: Found, k: int) -> Found:
        return super().cut(found * 2, k)


@breaks("VECTOR-FIND-09")
class TakesZeroForFive(ReferenceVector):
    """It takes zero for nothing said."""

    def count(self, k: int) -> int:
        return super().count(k) or 5


@breaks("VECTOR-FIND-10")
class TakesAnyCount(ReferenceVector):
    """It slices by whatever it is given."""

    def count(self, k: int) -> int:
        return k


@breaks("VECTOR-FIND-11")
class BreaksTiesByChance(ReferenceVector):
    """It gives what is alike in the order in which it comes along."""

    searches = 0

    def cut(self, found: Found, k: int) -> Found:
        self.searches += 1
        found.sort(key=lambda each: (-each[0], hash((each[1].id, self.searches))))
        return super().cut(found, k)


@breaks("VECTOR-FIND-12")
class DividesByNoWords(ReferenceVector):
    """It divides by the number of words in the query."""

    def score(self, query: str, row: Row) -> float:
        words = tokens(query)
        return super().score(query, row) * len(words) / len(words)


@breaks("VECTOR-FIND-13")
class CachesAnswers(ReferenceVector):
    """It gives the same list again."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.answers: dict[str, Found] = {}

    async def search(
        self, scope: Scope, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> Found:
        if query not in self.answers:
            self.answers[query] = await super().search(scope, query, k, where)
        return self.answers[query]


@breaks("VECTOR-SCOPE-01")
class NamesTenantsAlike(ReferenceVector):
    """It joins ids without quoting them."""

    def tenant(self, scope: Scope) -> str:
        return f"org{scope.org_id}:dom{scope.domain_id}"


@breaks("VECTOR-SCOPE-02")
class TakesTheFirstHalfOfATenant(ReferenceVector):
    """It has a column for the organisation only."""

    def tenant(self, scope: Scope) -> str:
        return str(scope.org_id)


@breaks("VECTOR-SCOPE-03")
class ReplacesEverywhere(ReferenceVector):
    """It deletes by id, in whatever tenant that is."""

    def write(self, tenant: str, rows: dict[str, Row]) -> None:
        for held in self.space.rows.values():
            for chunk_id in rows:
                held.pop(chunk_id, None)
        super().write(tenant, rows)


@breaks("VECTOR-SCOPE-04")
class PicksTheTenantLast(ReferenceVector):
    """It takes the nearest of all tenants, and then those of this one."""

    nearest = 50

    def ranked(self, tenant: str, query: str, keep: Callable[[Row], bool]) -> Found:
        every = [(each, t) for t in self.space.rows for each in super(type(self), self).ranked(
            t, query, keep
        )]  # fmt: skip
        every.sort(key=lambda pair: -pair[0][0])
        return [each for each, t in every[: self.nearest] if t == tenant]


@breaks("VECTOR-SCOPE-05")
class SharesNamespaces(ReferenceVector):
    """It has one table for all."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace[:0])
