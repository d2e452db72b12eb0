"""PgVectorStore finds what is nearest, also where few pass the filter, and in order."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import uuid4

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.llm import EmbeddingResult
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.core.serialization.features import cosine, term_vector
from agentkit.state.postgres import PgVectorStore
from agentkit.testing.servers import Server

SCOPE = Scope("tests")
WORDS = [f"word{number}" for number in range(60)]
Play = Callable[[PgVectorStore], Awaitable[Any]]


@pytest.fixture
def schema() -> str:
    return f"vectors-{uuid4().hex[:8]}"


def played(server: Server, play: Play, schema: str, **options: Any) -> Any:
    async def run() -> Any:
        async with PgVectorStore.open(server.url, schema=schema, **options) as index:
            return await play(index)

    return asyncio.run(run())


def texts(count: int) -> list[str]:
    chance = random.Random(count)  # noqa: S311  # the same every time
    return [" ".join(chance.choices(WORDS, k=6)) for _ in range(count)]


def expected(query: str, chunks: list[Chunk], k: int) -> list[tuple[float, str]]:
    """What comparing all of them gives, by words."""
    scored = [(cosine(term_vector(query), term_vector(c.text)), c) for c in chunks]
    shared = [(s, c.id) for s, c in scored if set(query.split()) & set(c.text.split())]
    return sorted(shared, key=lambda pair: (-round(pair[0], 9), pair[1]))[:k]


@pytest.mark.parametrize("k", [1, 7, 400])
def test_scores_and_order_are_those_of_comparing_all(
    postgres_server: Server, schema: str, k: int
) -> None:
    chunks = [Chunk(f"c{n}", text) for n, text in enumerate(texts(400))]

    async def play(index: PgVectorStore) -> Any:
        await index.upsert(SCOPE, chunks)
        return await index.search(SCOPE, "word1 word2 word3", k)

    found = played(postgres_server, play, schema)
    wanted = expected("word1 word2 word3", chunks, k)
    assert [chunk.id for _, chunk in found] == [chunk_id for _, chunk_id in wanted]
    assert [s for s, _ in found] == pytest.approx([s for s, _ in wanted], abs=1e-6)


def test_k_are_given_where_one_in_a_thousand_passes(postgres_server: Server, schema: str) -> None:
    async def play(index: PgVectorStore) -> Any:
        near = [Chunk(f"n{n}", "red apple", {"kept": False}) for n in range(5000)]
        kept = [Chunk(f"k{n}", "red apple far away", {"kept": True}) for n in range(5)]
        await index.upsert(SCOPE, near + kept)
        return await index.search(SCOPE, "red apple", 5, {"kept": True})

    found = played(postgres_server, play, schema)
    assert [chunk.id for _, chunk in found] == [f"k{n}" for n in range(5)]


class Embedder:
    """A model that gives what it was made with."""

    model = "fixed"

    def __init__(self, vectors: dict[str, Sequence[float]]) -> None:
        self.vectors = vectors

    async def embed(self, texts: list[str]) -> EmbeddingResult:
        return EmbeddingResult([list(self.vectors[text]) for text in texts], self.model)

    async def embed_single(self, text: str) -> Sequence[float]:
        return self.vectors[text]


def test_a_models_vectors_compare_whatever_their_length(
    postgres_server: Server, schema: str
) -> None:
    made: Any = Embedder({"a": [3e30, 0.0], "b": [1e-30, 1e-30], "z": [0.0, 0.0], "-": [-1, 0]})

    async def play(index: PgVectorStore) -> Any:
        await index.upsert(SCOPE, [Chunk(name, name) for name in "abz-"])
        return [await index.search(SCOPE, "a"), await index.search(SCOPE, "z")]

    found, nothing = played(postgres_server, play, schema, dim=2, embedder=made)
    assert [chunk.id for _, chunk in found] == ["a", "b"]
    assert [score for score, _ in found] == pytest.approx([1, 0.5**0.5], abs=1e-6)
    assert nothing == []


@pytest.mark.parametrize("bad", [[1.0], [1.0, float("nan")], [float("inf"), 1.0]])
def test_a_vector_that_does_not_fit_is_refused(
    postgres_server: Server, schema: str, bad: list[float]
) -> None:
    made: Any = Embedder({"bad": bad})

    with pytest.raises(StoreValueError, match="a vector"):
        played(
            postgres_server,
            lambda index: index.upsert(SCOPE, [Chunk("c", "bad")]),
            schema,
            dim=2,
            embedder=made,
        )


def test_an_embedder_and_an_override_are_too_many() -> None:
    class Overridden(PgVectorStore):
        def _embed(self, text: str) -> Sequence[float]:
            return [1.0]

    made: Any = Embedder({})
    with pytest.raises(TypeError, match="not both"):
        Overridden("postgres://x", embedder=made)


def test_long_metadata_and_words_are_found(postgres_server: Server, schema: str) -> None:
    long, word = "x" * 100_000, "y" * 5000

    async def play(index: PgVectorStore) -> Any:
        await index.upsert(SCOPE, [Chunk("c", word, {"long": long}), Chunk("d", word, {"long": 1})])
        return await index.search(Scope("tests"), word, where={"long": long})

    [(score, found)] = played(postgres_server, play, schema)
    assert (round(score, 6), found.id, found.metadata["long"]) == (1.0, "c", long)
