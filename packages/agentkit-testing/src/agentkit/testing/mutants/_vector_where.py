"""Vector indexes that filter wrongly."""

import json
import warnings
from collections.abc import Callable
from typing import Any

from agentkit.core.contracts.types import Chunk
from agentkit.testing.mutants._backend import Backend, Row
from agentkit.testing.mutants._json import is_array, is_object
from agentkit.testing.mutants._trial import breaks
from agentkit.testing.mutants._vector_reference import (
    IgnoringVector,
    LackingVector,
    ReferenceVector,
)

Found = list[tuple[float, Chunk]]


@breaks("VECTOR-WHERE-01")
class KeepsWhatHasAnyItem(ReferenceVector):
    """It wants one item only."""

    def keeps(self, metadata: dict[str, Any], wanted: dict[str, Any]) -> bool:
        items = wanted.items()
        return not wanted or any(super(type(self), self).keeps(metadata, {k: v}) for k, v in items)


@breaks("VECTOR-WHERE-02")
class KeepsNothingForAnEmptyFilter(ReferenceVector):
    """It finds nothing that has one of no items."""

    def keeping(self, where: dict[str, Any] | None) -> Callable[[Row], bool]:
        keep = super().keeping(where)
        return lambda row: where != {} and keep(row)


@breaks("VECTOR-WHERE-03")
class FiltersTheNearest(ReferenceVector):
    """It takes the nearest, and filters those."""

    def ranked(self, tenant: str, query: str, keep: Callable[[Row], bool]) -> Found:
        nearest = super().ranked(tenant, query, lambda _: True)[:50]
        return [each for each in nearest if keep(self.held(tenant)[each[1].id])]


@breaks("VECTOR-WHERE-04")
class TakesMissingForNone(ReferenceVector):
    """It reads a field that is not there as None."""

    def keeps(self, metadata: dict[str, Any], wanted: dict[str, Any]) -> bool:
        return all(self.equal(metadata.get(key), value) for key, value in wanted.items())


@breaks("VECTOR-WHERE-05")
class FiltersAsPython(ReferenceVector):
    """It compares with ==, for which True is 1."""

    def equal(self, left: Any, right: Any) -> bool:
        return bool(left == right)


@breaks("VECTOR-WHERE-06")
class FiltersByContainment(ReferenceVector):
    """It keeps what contains the value, as jsonb's @> does."""

    def equal(self, left: Any, right: Any) -> bool:
        if is_object(left) and is_object(right):
            return all(key in left and self.equal(left[key], right[key]) for key in right)
        if is_array(left) and is_array(right):
            return all(any(self.equal(each, wanted) for each in left) for wanted in right)
        return super().equal(left, right)


@breaks("VECTOR-WHERE-07")
class FiltersInOrder(ReferenceVector):
    """It compares texts whose keys are in no order."""

    def row(self, chunk: Chunk) -> Row:
        super().row(chunk)
        text = json.dumps(chunk.metadata)
        return Row(chunk.text, chunk.text, text, text)

    def filter(self, where: Any) -> dict[str, Any]:
        super().filter(where)
        return dict(where)

    def equal(self, left: Any, right: Any) -> bool:
        return json.dumps(left) == json.dumps(right)


@breaks("VECTOR-WHERE-08")
class ReadsKeysAsPaths(ReferenceVector):
    """It takes a dot for a step into what is nested."""

    def keeps(self, metadata: dict[str, Any], wanted: dict[str, Any]) -> bool:
        return all(self.equal(_at(metadata, key), value) for key, value in wanted.items())


@breaks("VECTOR-WHERE-09")
class TakesAnyFilter(ReferenceVector):
    """It filters by whatever it is given."""

    def filter(self, where: Any) -> dict[str, Any]:
        return dict(where) if is_object(where) else {}

    def equal(self, left: Any, right: Any) -> bool:
        return json.dumps(left, default=str) == json.dumps(right, default=str)


@breaks("VECTOR-WHERE-10")
class KeepsTheOldFilter(ReferenceVector):
    """It updates the metadata, not the column that filters read."""

    def write(self, tenant: str, rows: dict[str, Row]) -> None:
        held = self.held(tenant)
        for id_, row in rows.items():
            filtered = held[id_].filtered if id_ in held else row.filtered
            super().write(tenant, {id_: Row(row.text, row.embedded, row.metadata, filtered)})


@breaks("VECTOR-WHERE-11")
class FiltersEverybodys(ReferenceVector):
    """It takes the filter in the place of the tenant."""

    is_filtering = False

    def keeping(self, where: dict[str, Any] | None) -> Callable[[Row], bool]:
        self.is_filtering = bool(where)
        return super().keeping(where)

    def held(self, tenant: str) -> dict[str, Row]:
        if not self.is_filtering:
            return super().held(tenant)
        return {id_: row for rows in self.space.rows.values() for id_, row in rows.items()}


@breaks("VECTOR-WHERE-12")
class FiltersOutOfOrder(ReferenceVector):
    """It gives what an index on metadata gives, in that order."""

    is_filtering = False

    def keeping(self, where: dict[str, Any] | None) -> Callable[[Row], bool]:
        self.is_filtering = bool(where)
        return super().keeping(where)

    def cut(self, found: Found, k: int) -> Found:
        if self.is_filtering:
            found.sort(key=lambda each: each[1].id, reverse=True)
        return super().cut(found, k)


@breaks("VECTOR-LACK-01", "VECTOR-WHERE-02")
class TakesAnEmptyFilterAsNone(LackingVector):
    """It refuses filters that are not empty."""

    def keeping(self, where: dict[str, Any] | None) -> Callable[[Row], bool]:
        return super().keeping(where or None)


@breaks("VECTOR-LACK-01")
class StaysRefusing(LackingVector):
    """It does not get over a filter."""

    has_refused = False

    def keeping(self, where: dict[str, Any] | None) -> Callable[[Row], bool]:
        self.has_refused = self.has_refused or where is not None
        return super().keeping({} if self.has_refused else where)


@breaks("VECTOR-IGNORE-01")
class WarnsOfEveryFilter(IgnoringVector):
    """It warns each time."""

    def warn(self) -> None:
        warnings.warn("this index ignores where", stacklevel=4)


@breaks("VECTOR-IGNORE-01")
class SaysNothingOfFilters(IgnoringVector):
    """It ignores a filter without a word."""

    def warn(self) -> None: ...


@breaks("VECTOR-IGNORE-02")
class FiltersAllTheSame(IgnoringVector):
    """It says that it ignores a filter, and does not."""

    def keeping(self, where: dict[str, Any] | None) -> Callable[[Row], bool]:
        super().keeping(where)
        return ReferenceVector.keeping(self, where)


@breaks("VECTOR-IGNORE-03")
class IgnoresWrongFiltersToo(IgnoringVector):
    """It does not look at what it ignores."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.has_warned = True

    def keeping(self, where: dict[str, Any] | None) -> Callable[[Row], bool]:
        return super().keeping(None)


def _at(metadata: Any, path: str) -> Any:
    for step in path.split("."):
        metadata = metadata.get(step) if is_object(metadata) else None
    return metadata
