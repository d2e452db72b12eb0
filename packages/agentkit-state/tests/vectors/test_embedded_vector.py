"""Chunks found by a model's vectors."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar, cast

import pytest

from agentkit.core.contracts.errors import StoreUnavailable, StoreValueError
from agentkit.core.contracts.llm import EmbeddingResult
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.state.vectors import InMemoryVector

T = TypeVar("T")
HERE = Scope(1)
COLOURS = {"red": [1.0, 0.0], "crimson": [3.0, 4.0], "blue": [-1.0, 0.0], "nothing": [0.0, 0.0]}
CHUNKS = [Chunk(name, name) for name in COLOURS]


class Colours:
    """An embedding client that knows colours, and keeps what it was asked."""

    def __init__(self, known: dict[str, list[float]] | None = None) -> None:
        self.known = COLOURS if known is None else known
        self.asked: list[list[str]] = []

    async def embed(self, texts: list[str]) -> EmbeddingResult:
        self.asked.append(texts)
        return EmbeddingResult([self.known[text] for text in texts], "colours")

    async def embed_single(self, text: str) -> list[float]:
        return (await self.embed([text])).embeddings[0]


class Forgetful(Colours):
    async def embed(self, texts: list[str]) -> EmbeddingResult:
        return EmbeddingResult([[1.0]] * (len(texts) - 1), "forgetful")


class Overriding(InMemoryVector):
    def _embed(self, text: str) -> list[float]:
        return COLOURS[text]


class OverridingAsync(InMemoryVector):
    async def _embed(self, text: str) -> list[float]:
        return COLOURS[text]


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


@pytest.fixture(
    params=[lambda: InMemoryVector(embedder=Colours()), Overriding, OverridingAsync],
    ids=["embedder", "def", "async def"],
)
def index(request: pytest.FixtureRequest) -> InMemoryVector:
    made: InMemoryVector = request.param()
    run(made.upsert(HERE, CHUNKS))
    return made


def test_likeness_is_the_cosine_and_only_what_is_alike_is_found(index: InMemoryVector) -> None:
    found = run(index.search(HERE, "red"))

    assert [chunk.id for _, chunk in found] == ["red", "crimson"]
    assert [score for score, _ in found] == pytest.approx([1.0, 0.6])


def test_what_is_like_nothing_finds_nothing(index: InMemoryVector) -> None:
    assert run(index.search(HERE, "nothing")) == []


def test_what_stands_at_a_right_angle_is_not_found() -> None:
    index = InMemoryVector(embedder=Colours({"a": [1.0, 1.0, 1.0], "b": [1.0, 1.0, -2.0]}))
    run(index.upsert(HERE, [Chunk("b", "b")]))

    assert run(index.search(HERE, "a")) == []


def test_a_filter_works_alike(index: InMemoryVector) -> None:
    run(index.upsert(HERE, [Chunk("x", "crimson", {"doc": 1})]))

    assert [chunk.id for _, chunk in run(index.search(HERE, "red", 1, {"doc": 1}))] == ["x"]


def test_a_tenant_without_chunks_finds_nothing(index: InMemoryVector) -> None:
    assert run(index.search(Scope(2), "red")) == []


def test_equal_scores_come_by_id() -> None:
    index = Overriding()
    run(index.upsert(HERE, [Chunk("b", "red"), Chunk("a", "red")]))

    assert [chunk.id for _, chunk in run(index.search(HERE, "red"))] == ["a", "b"]


def test_an_override_may_start_from_the_words() -> None:
    class Words(InMemoryVector):
        async def _embed(self, text: str) -> list[float]:
            # It gives a vector at once, which its type leaves open.
            return [2 * part for part in cast("list[float]", super()._embed(text))]

    index = Words()
    run(index.upsert(HERE, [Chunk("0", "the TLS certificate expired")]))

    assert [score for score, _ in run(index.search(HERE, "certificate"))] == pytest.approx([0.5])


def test_all_chunks_are_embedded_in_one_call() -> None:
    embedder = Colours()
    run(InMemoryVector(embedder=embedder).upsert(HERE, CHUNKS))

    assert embedder.asked == [list(COLOURS)]


def test_no_chunks_ask_nothing() -> None:
    embedder = Colours()
    run(InMemoryVector(embedder=embedder).upsert(HERE, []))

    assert embedder.asked == []


def test_a_vector_of_another_length_puts_nothing() -> None:
    index = InMemoryVector(embedder=Colours({"red": [1.0, 0.0], "short": [1.0]}))
    run(index.upsert(HERE, [Chunk("old", "red")]))
    with pytest.raises(StoreValueError, match="1 dimensions where the index has 2"):
        run(index.upsert(HERE, [Chunk("new", "red"), Chunk("bad", "short")]))

    assert [chunk.id for _, chunk in run(index.search(HERE, "red"))] == ["old"]


def test_a_missing_vector_puts_nothing() -> None:
    with pytest.raises(StoreValueError, match="3 vectors for 4 texts"):
        run(InMemoryVector(embedder=Forgetful()).upsert(HERE, CHUNKS))


@pytest.mark.parametrize("part", [float("nan"), float("inf")], ids=repr)
def test_a_vector_that_is_not_finite_is_refused(part: float) -> None:
    index = InMemoryVector(embedder=Colours({"odd": [part]}))

    with pytest.raises(StoreValueError, match="finite"):
        run(index.upsert(HERE, [Chunk("0", "odd")]))


def test_what_the_model_raises_leaves_as_it_came() -> None:
    class Down(InMemoryVector):
        async def _embed(self, text: str) -> list[float]:
            raise StoreUnavailable(f"no model for {text}")

    with pytest.raises(StoreUnavailable, match="no model for red"):
        run(Down().upsert(HERE, CHUNKS))


def test_an_embedder_and_an_override_contradict() -> None:
    with pytest.raises(TypeError, match="not both"):
        Overriding(embedder=Colours())
