"""A correct vector index, made of small steps, so that a mutant is one step done wrong."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.store_rules import check_key, decode_value, encode_value
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.core.serialization.features import cosine, term_vector
from agentkit.testing.mutants._backend import Backend, Row
from agentkit.testing.mutants._json import is_array, is_object
from agentkit.testing.mutants._store_trials import BackendTrial
from agentkit.testing.mutants._trial import tries
from agentkit.testing.suites import Feature, VectorSuite

__all__ = ["IgnoringVector", "LackingVector", "ReferenceVector"]


class ReferenceVector:
    """A `VectorPort` that keeps every clause."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        self.backend = backend
        self.space = backend.space(namespace)

    async def close(self) -> None:
        """Leave the backend as it is."""

    async def upsert(self, scope: Scope, chunks: list[Chunk]) -> None:
        """Put *chunks*, all of them or none."""
        rows = self.rows(chunks)
        await self.trip()
        self.write(self.tenant(scope), rows)

    async def search(
        self, scope: Scope, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> list[tuple[float, Chunk]]:
        """Give the *k* chunks most like *query*."""
        k, keep = self.count(k), self.keeping(where)
        await self.trip()
        return self.cut(self.ranked(self.tenant(scope), query, keep), k)

    async def trip(self) -> None:
        """Go to the backend and back."""
        await self.backend.trip()

    def tenant(self, scope: Scope) -> str:
        """Give *scope* as the backend has it."""
        return scope.key()

    def rows(self, chunks: list[Chunk]) -> dict[str, Row]:
        """Give the rows of *chunks*, by their ids."""
        return {self.id(chunk.id): self.row(chunk) for chunk in chunks}

    def id(self, chunk_id: str) -> str:
        """Give *chunk_id* as the backend has it."""
        return check_key(chunk_id)

    def row(self, chunk: Chunk) -> Row:
        """Give *chunk* as a row."""
        text = self.encode(chunk.metadata)
        self.check_texts(chunk.metadata)
        return Row(chunk.text, chunk.text, text, text)

    def check_texts(self, metadata: Any) -> None:
        """Refuse what a jsonb column does."""
        for text in _texts(metadata):
            if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
                raise StoreValueError(f"metadata hold no NUL and no lone surrogate; got {text!a}")

    def encode(self, metadata: dict[str, Any]) -> str:
        """Give the text of *metadata*."""
        return encode_value(metadata)

    def write(self, tenant: str, rows: dict[str, Row]) -> None:
        """Write *rows* in one step."""
        self.space.rows.setdefault(tenant, {}).update(rows)

    def held(self, tenant: str) -> dict[str, Row]:
        """Give the rows of *tenant*."""
        return self.space.rows.get(tenant, {})

    def ranked(
        self, tenant: str, query: str, keep: Callable[[Row], bool]
    ) -> list[tuple[float, Chunk]]:
        """Give what is like *query* and kept, best first."""
        rows = self.held(tenant).items()
        scored = [(self.score(query, row), id_, row) for id_, row in rows if keep(row)]
        scored = [each for each in scored if each[0] > 0]
        scored.sort(key=lambda each: (-each[0], each[1]))
        return [(score, self.chunk(id_, row)) for score, id_, row in scored]

    def score(self, query: str, row: Row) -> float:
        """Give how alike they are."""
        return cosine(term_vector(query), term_vector(row.embedded))

    def chunk(self, chunk_id: str, row: Row) -> Chunk:
        """Give the chunk of *row*."""
        return Chunk(chunk_id, row.text, self.metadata(row))

    def metadata(self, row: Row) -> dict[str, Any]:
        """Give the metadata of *row*."""
        metadata: dict[str, Any] = decode_value(row.metadata)
        return metadata

    def count(self, k: int) -> int:
        """Give *k* if so many can be given."""
        if type(k) is not int or k < 0:
            raise StoreValueError(f"k is a whole number from 0; got {k!r}")
        return k

    def cut(self, found: list[tuple[float, Chunk]], k: int) -> list[tuple[float, Chunk]]:
        """Give the first *k* of what was *found*."""
        return found[:k]

    def keeping(self, where: dict[str, Any] | None) -> Callable[[Row], bool]:
        """Give what tells whether a row is kept."""
        wanted = self.filter({} if where is None else where)
        return lambda row: self.keeps(decode_value(row.filtered), wanted)

    def filter(self, where: Any) -> dict[str, Any]:
        """Give *where* if it is a JSON object."""
        if not isinstance(where, dict):
            raise StoreValueError(f"where is a dict; got {where!r}")
        given: dict[str, Any] = decode_value(encode_value(where))
        return given

    def keeps(self, metadata: dict[str, Any], wanted: dict[str, Any]) -> bool:
        """Whether *metadata* have every item that is *wanted*."""
        return all(
            key in metadata and self.equal(metadata[key], value) for key, value in wanted.items()
        )

    def equal(self, left: Any, right: Any) -> bool:
        """Whether both are the same JSON."""
        return encode_value(left) == encode_value(right)


class LackingVector(ReferenceVector):
    """A `VectorPort` without filters that says so."""

    def keeping(self, where: dict[str, Any] | None) -> Callable[[Row], bool]:
        """Refuse any filter."""
        if where is not None:
            raise NotImplementedError("this index has no filters")
        return super().keeping(None)


class IgnoringVector(ReferenceVector):
    """A `VectorPort` that ignores a filter and warns once."""

    has_warned = False

    def keeping(self, where: dict[str, Any] | None) -> Callable[[Row], bool]:
        """Say once that *where* is not kept."""
        super().keeping(where)
        if where is not None:
            self.warn()
        return super().keeping(None)

    def warn(self) -> None:
        """Warn, once."""
        if not self.has_warned:
            self.has_warned = True
            warnings.warn("this index ignores where", stacklevel=4)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif is_array(value):
        for part in value:
            yield from _texts(part)
    elif is_object(value):
        for key, part in value.items():
            yield from _texts(key)
            yield from _texts(part)


@tries(ReferenceVector)
class _VectorTrial(BackendTrial, VectorSuite): ...


@tries(LackingVector)
class _LackingVectorTrial(BackendTrial, VectorSuite, lacks={Feature.WHERE}): ...


@tries(IgnoringVector)
class _IgnoringVectorTrial(BackendTrial, VectorSuite, ignores={Feature.WHERE}): ...
