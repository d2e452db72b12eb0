"""The vector index in memory, which every durable one answers like."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from inspect import isawaitable
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.llm import EmbeddingClient
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.core.contracts.vector_rules import check_chunk, check_k
from agentkit.core.serialization.features import term_vector
from agentkit.state.vectors._dense import DenseIndex
from agentkit.state.vectors._filters import matching
from agentkit.state.vectors._terms import TermIndex

__all__ = ["InMemoryVector"]


class InMemoryVector:
    """A `VectorPort` in memory: exact, deterministic, gone with the process.

    As it is made it compares words, hashed into 256 slots, and needs no model; a chunk that shares
    no word with the query is not returned. For likeness of meaning give an *embedder*, or override
    `_embed`; every chunk of one index must be embedded alike. Only scores above 0 are matches, the
    best first, and equal scores in the order of the chunks' ids.

    Raises:
        TypeError: There is an *embedder*, and `_embed` is overridden as well.

    """

    def __init__(self, *, embedder: EmbeddingClient | None = None) -> None:
        overridden = type(self)._embed is not InMemoryVector._embed  # noqa: SLF001 - our own
        if overridden and embedder is not None:
            raise TypeError("give an embedder or override _embed, not both")
        self._embedder = embedder
        self._by_words = embedder is None and not overridden
        self._words: dict[str, TermIndex] = {}
        self._dense: dict[str, DenseIndex] = {}

    async def upsert(self, scope: Scope, chunks: list[Chunk]) -> None:
        """Put *chunks* into the index of *scope*, replacing those with the same id.

        Of two with one id the later counts. All of them are put, or none.

        Raises:
            StoreValueError: An id is no key, metadata is not JSON that a jsonb column holds (no
                NUL, no lone surrogate), or a vector has another length than those there.

        """
        checked = {chunk.id: check_chunk(chunk) for chunk in chunks}
        if self._by_words:
            self._words.setdefault(scope.key(), TermIndex()).put(checked.values())
            return
        vectors = await self._vectors([chunk.text for chunk in checked.values()])
        self._dense.setdefault(scope.key(), DenseIndex()).put(
            list(zip(checked.values(), vectors, strict=True))
        )

    async def search(  # noqa: PLR0917 - as the specification has it
        self, scope: Scope, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> list[tuple[float, Chunk]]:
        """Give at most *k* chunks of *scope* with their cosines, best first.

        *where* keeps the chunks whose metadata has every one of its items, equal as JSON: nested
        values compare as a whole, None is found where it is stored and not where nothing is.

        Raises:
            StoreValueError: *k* is no integer from 0, or *where* is no JSON object.

        """
        check_k(k)
        keep = matching(where)
        if self._by_words:
            words = self._words.get(scope.key())
            return [] if words is None else words.best(query, k, keep)
        dense = self._dense.get(scope.key())
        if dense is None or not k:
            return []
        return dense.best(await self._query_vector(query), k, keep)

    def _embed(self, text: str) -> Sequence[float] | Awaitable[Sequence[float]]:
        """Give the vector of *text*; override it to use a model, as `def` or `async def`."""
        return term_vector(text)

    async def _vectors(self, texts: list[str]) -> list[Sequence[float]]:
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

    async def _query_vector(self, query: str) -> Sequence[float]:
        if self._embedder is None:
            return await self._overridden(query)
        return await self._embedder.embed_single(query)

    async def _overridden(self, text: str) -> Sequence[float]:
        vector = self._embed(text)
        return await vector if isawaitable(vector) else vector
