"""The vector index on PostgreSQL, which answers like the one in memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import asynccontextmanager
from inspect import isawaitable
from typing import Any

from agentkit.core.contracts.errors import StoreUnavailable, StoreValueError
from agentkit.core.contracts.llm import EmbeddingClient
from agentkit.core.contracts.store_rules import decode_value, encode_value
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.core.contracts.vector_rules import check_chunk, check_k
from agentkit.core.serialization.features import DIMENSIONS, term_counts, term_vector
from agentkit.state.postgres._chunks import facts_of, scope_key, words_of
from agentkit.state.postgres._database import Database
from agentkit.state.postgres._vector_sql import Statements, column_type, part_for, unit

__all__ = ["PgVectorStore"]

_MOST = 10**6
_MOST_KNOWN = 10_000
_NOTHING = 1e-6  # as much likeness as single floats leave between vectors that have none

_COLUMN = """\
SELECT t.typname::text, a.atttypmod, n.nspname::text
FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
  JOIN pg_namespace AS n ON n.oid = t.typnamespace
WHERE a.attrelid = to_regclass($1::text) AND a.attname = 'embedding'"""


class PgVectorStore:
    """A `VectorPort` on PostgreSQL 14 or later with pgvector 0.8 or later.

    As it is made it compares words, hashed into *dim* slots, and answers as `InMemoryVector` does.
    For likeness of meaning give an *embedder*, or override `_embed`, with *dim* as the model has
    it; every chunk of one index must be embedded alike. Up to 2,000 dimensions are kept as single
    floats, up to 4,000 as half ones. Up to 2,000 chunks that pass a filter are compared one by one;
    among more an index (HNSW) finds the nearest, which may miss some of the best. Where *k* exist,
    *k* are given, also with a filter.

    *dsn*, *pool*, *schema* and *timeout* are those of `PostgresStore`. Call `init` once, or use
    `async with PgVectorStore.open(dsn)`.

    Raises:
        TypeError: There is an *embedder*, and `_embed` is overridden as well.
        StoreValueError: Not exactly one of dsn and pool was given, *schema* names none, or *dim* is
            not from 1 to 4,000.

    """

    def __init__(
        self,
        dsn: str | None = None,
        *,
        pool: object | None = None,
        dim: int = DIMENSIONS,
        embedder: EmbeddingClient | None = None,
        schema: str = "public",
        timeout: float = 10.0,
    ) -> None:
        overridden = type(self)._embed is not PgVectorStore._embed  # noqa: SLF001 - our own
        if overridden and embedder is not None:
            raise TypeError("give an embedder or override _embed, not both")
        self._embedder = embedder
        self._by_words = embedder is None and not overridden
        self._dim = dim
        self._database = Database(
            dsn,
            pool,
            schema=schema,
            part=part_for(dim),
            timeout=timeout,
            unavailable=StoreUnavailable,
        )
        self._statements: Statements | None = None
        self._large: set[str] = set()  # scopes with many chunks, and none is ever taken away

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        dsn: str | None = None,
        *,
        pool: object | None = None,
        dim: int = DIMENSIONS,
        embedder: EmbeddingClient | None = None,
        schema: str = "public",
        timeout: float = 10.0,  # noqa: ASYNC109  # of each statement, not of this call
    ) -> AsyncGenerator[PgVectorStore]:
        """Open the index until the end of the block, creating or migrating its table.

        Raises:
            StoreValueError: *dsn* is malformed, or what the class says.
            StoreUnavailable: What `init` says.

        """
        index = cls(dsn, pool=pool, dim=dim, embedder=embedder, schema=schema, timeout=timeout)
        try:
            await index.init()
            yield index
        finally:
            await index.aclose()

    async def init(self) -> None:
        """Connect, and create the extension, the table and its indexes where they are not there.

        Raises:
            StoreUnavailable: The server cannot be reached, refuses the credentials or to create
                something, or the table is of a newer version.
            StoreValueError: The table holds vectors of another length.

        """
        await self._database.init()
        table = f"{self._database.schema}.agentkit_vectors"
        [(kind, dim, home)] = await self._database.fetch(_COLUMN, table)
        if (kind, dim) != (column_type(self._dim), self._dim):
            raise StoreValueError(
                f"{table} holds vectors of {dim} dimensions, not of {self._dim}; another schema "
                "has room for these"
            )
        self._statements = Statements(self._database.schema, dim=dim, home=home)

    async def aclose(self) -> None:
        """Close the connections, where they are the index's own."""
        await self._database.close()

    async def upsert(self, scope: Scope, chunks: list[Chunk]) -> None:
        """Put *chunks* into the index of *scope*, replacing those with the same id.

        Of two with one id the later counts. All of them are put, or none.

        Raises:
            StoreValueError: An id is no key, metadata is not JSON that a jsonb column holds (no
                NUL, no lone surrogate), or a vector has another length than the index.
            StoreUnavailable: The server cannot be reached.

        """
        checked = [check_chunk(chunk) for chunk in {each.id: each for each in chunks}.values()]
        facts = [encode_value(facts_of("metadata", chunk.metadata)) for chunk in checked]
        vectors = await self._written([chunk.text for chunk in checked])
        if not checked:
            return
        await self._database.fetch(
            self._sql.upsert,
            scope_key(scope),
            [chunk.id for chunk in checked],
            [encode_value(chunk.text) for chunk in checked],
            [encode_value(chunk.metadata) for chunk in checked],
            facts,
            [encode_value(words_of(chunk.text) if self._by_words else []) for chunk in checked],
            vectors,
        )

    async def search(  # noqa: PLR0917 - as the specification has it
        self, scope: Scope, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> list[tuple[float, Chunk]]:
        """Give at most *k* chunks of *scope* with their cosines, best first.

        *where* keeps the chunks whose metadata has every one of its items, equal as JSON: nested
        values compare as a whole, None is found where it is stored and not where nothing is.

        Raises:
            StoreValueError: *k* is no integer from 0, or *where* is no JSON object.
            StoreUnavailable: The server cannot be reached.

        """
        check_k(k)
        facts = facts_of("where", where)
        wanted = words_of(query) if self._by_words else None
        if not k or wanted == []:
            return []
        vector = await self._query(query)
        if vector is None:
            return []
        least = 0.0 if self._by_words else _NOTHING
        arguments = (scope_key(scope), self._sql.written(vector), wanted, least, facts)
        rows = await self._found(min(k, _MOST), arguments, filtered=bool(facts))
        return [self._match(row) for row in rows]

    def _embed(self, text: str) -> Sequence[float] | Awaitable[Sequence[float]]:
        """Give the vector of *text*; override it to use a model, as `def` or `async def`."""
        return term_vector(text, dimensions=self._dim)

    @property
    def _sql(self) -> Statements:
        if self._statements is None:
            raise StoreUnavailable(
                "the index is not open: call init(), or use `async with ….open(…)`"
            )
        return self._statements

    async def _found(
        self, k: int, arguments: tuple[Any, ...], *, filtered: bool
    ) -> list[Sequence[Any]]:
        """Give the rows found by looking at all that pass, where those are few, or by the index.

        Where that finds too few, all that pass are looked at after all.
        """
        kept = {"by_words": self._by_words, "filtered": filtered}
        scope = arguments[0]
        if self._by_words or filtered or scope not in self._large:
            rows = await self._database.fetch(self._sql.among_few(k, **kept), *arguments)
            if rows[0][0]:
                return [row[1:] for row in rows if row[1] is not None]
        if not self._by_words and not filtered and len(self._large) < _MOST_KNOWN:
            self._large.add(scope)
        rows = await self._database.fetch(self._sql.nearest(k, **kept), *arguments)
        if len(rows) < k:
            rows = await self._database.fetch(self._sql.exact(k, **kept), *arguments)
        return rows

    def _match(self, row: Sequence[Any]) -> tuple[float, Chunk]:
        chunk_id, text, metadata, distance = row
        try:
            return 1 - float(distance), Chunk(chunk_id, decode_value(text), decode_value(metadata))
        except (StoreValueError, TypeError) as problem:
            raise self._database.broken(f"the table holds something else: {problem}") from None

    async def _written(self, texts: list[str]) -> list[str]:
        """Give the vectors of *texts* as the table takes them."""
        if self._by_words:
            return [self._sql.written(self._counts(text)) for text in texts]
        zeros = [0.0] * self._dim
        units = [unit(vector, self._dim) for vector in await self._vectors(texts)]
        return [self._sql.written(each or zeros) for each in units]

    async def _vectors(self, texts: list[str]) -> Sequence[Sequence[float]]:
        if self._embedder is None:
            return [await self._overridden(text) for text in texts]
        if not texts:
            return []
        vectors = (await self._embedder.embed(texts)).embeddings
        if len(vectors) != len(texts):
            raise StoreValueError(
                f"the embedder gave {len(vectors)} vectors for {len(texts)} texts"
            )
        return list(vectors)

    async def _query(self, query: str) -> list[float] | None:
        """Give the vector of *query*, or None for one that is like nothing."""
        if self._by_words:
            return self._counts(query)
        if self._embedder is None:
            return unit(await self._overridden(query), self._dim)
        return unit(await self._embedder.embed_single(query), self._dim)

    def _counts(self, text: str) -> list[float]:
        """Give the counts of the words of *text*: whole numbers, so that nothing is rounded."""
        counts = [0.0] * self._dim
        for slot, count in term_counts(text, dimensions=self._dim).items():
            counts[slot] = float(count)
        return counts

    async def _overridden(self, text: str) -> Sequence[float]:
        vector = self._embed(text)
        return await vector if isawaitable(vector) else vector
