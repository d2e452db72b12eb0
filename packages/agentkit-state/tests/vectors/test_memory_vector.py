"""Chunks found by their words: which, in what order, and for whom."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import VectorPort
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.core.serialization.features import cosine, term_vector
from agentkit.state.vectors import InMemoryVector

T = TypeVar("T")
HERE, ELSEWHERE = Scope(1), Scope(2)
COLLIDING = ("w13", "w22")  # two words in one slot


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


def index_of(*texts: str, **metadata: Any) -> InMemoryVector:
    index = InMemoryVector()
    chunks = [Chunk(str(n), text, metadata) for n, text in enumerate(texts)]
    run(index.upsert(HERE, chunks))
    return index


def ids(index: InMemoryVector, query: str, k: int = 5, **where: Any) -> list[str]:
    return [chunk.id for _, chunk in run(index.search(HERE, query, k, where or None))]


def test_it_is_a_vector_port() -> None:
    assert isinstance(InMemoryVector(), VectorPort)


def test_one_word_of_four_scores_a_half() -> None:
    index = index_of("the TLS certificate expired")

    assert run(index.search(HERE, "Certificate!")) == [
        (0.5, Chunk("0", "the TLS certificate expired"))
    ]


@pytest.mark.parametrize("query", ["red", "red red blue", "w13 red", "Blue, red; green"])
def test_scores_are_the_cosines_of_hashed_vectors(query: str) -> None:
    [(score, chunk)] = run(index_of("red red green w22").search(HERE, query))

    assert score == pytest.approx(cosine(term_vector(query), term_vector(chunk.text)), abs=1e-12)


def test_the_same_words_in_another_order_score_exactly_one() -> None:
    index = index_of("a b b c d e f", "f e d c b b a")

    assert [score for score, _ in run(index.search(HERE, "b a b f c e d"))] == [1.0, 1.0]


def test_a_chunk_that_only_shares_a_slot_is_not_found() -> None:
    left, right = COLLIDING
    assert cosine(term_vector(left), term_vector(right)) == pytest.approx(1.0)

    assert ids(index_of(left), right) == []


@pytest.mark.parametrize("query", ["", "…", "absent"])
def test_a_query_without_a_known_word_finds_nothing(query: str) -> None:
    assert ids(index_of("here", "…", ""), query) == []


def test_the_best_come_first_and_equal_scores_by_id() -> None:
    index = index_of("red blue", "red", "blue red", "red red")

    assert ids(index, "red") == ["1", "3", "0", "2"]


@pytest.mark.parametrize(("k", "found"), [(0, 0), (1, 1), (3, 3), (4, 3)])
def test_k_are_given_where_k_match(k: int, found: int) -> None:
    assert len(ids(index_of("red", "red", "red", "blue"), "red", k)) == found


@pytest.mark.parametrize("k", [-1, True, 1.0, None], ids=repr)
def test_a_k_that_counts_nothing_is_refused(k: Any) -> None:
    with pytest.raises(StoreValueError, match="k must"):
        run(InMemoryVector().search(HERE, "red", k))


def test_another_tenant_finds_nothing() -> None:
    index = index_of("red")

    assert run(index.search(ELSEWHERE, "red")) == []
    assert run(index.search(Scope("1"), "red")) == []


def test_a_tenants_chunk_does_not_replace_anothers() -> None:
    index = index_of("red")
    run(index.upsert(ELSEWHERE, [Chunk("0", "blue")]))

    assert ids(index, "red") == ["0"]


def test_a_chunk_with_a_known_id_replaces() -> None:
    index = index_of("red old", "red")
    run(index.upsert(HERE, [Chunk("0", "blue new")]))

    assert ids(index, "red") == ["1"]
    assert ids(index, "old") == []
    assert ids(index, "new") == ["0"]


def test_the_later_of_two_with_one_id_counts() -> None:
    index = InMemoryVector()
    run(index.upsert(HERE, [Chunk("0", "red"), Chunk("0", "blue")]))

    assert (ids(index, "red"), ids(index, "blue")) == ([], ["0"])


def test_nothing_is_put_when_a_chunk_is_refused() -> None:
    index = InMemoryVector()
    with pytest.raises(StoreValueError, match="chunk '1'"):
        run(index.upsert(HERE, [Chunk("0", "red"), Chunk("1", "red", {"at": object()})]))

    assert ids(index, "red") == []


@pytest.mark.parametrize(
    "metadata",
    [
        {"a": (1,)},
        {"a": {1}},
        {"a": float("nan")},
        {"a": {1: 2}},
        {"a": ["\0"]},
        {"a": {"\0": 1}},
        {"a": "\ud800"},
    ],
    ids=repr,
)
def test_metadata_that_some_index_could_not_hold_is_refused(metadata: Any) -> None:
    with pytest.raises(StoreValueError, match="metadata of chunk '0'"):
        run(InMemoryVector().upsert(HERE, [Chunk("0", "red", metadata)]))


@pytest.mark.parametrize(
    "chunk_id",
    ["", "\0", "\ud800", "x" * 1025],
    ids=["empty", "NUL", "surrogate", "long"],
)
def test_an_id_that_is_no_key_is_refused(chunk_id: str) -> None:
    with pytest.raises(StoreValueError, match="a key must"):
        run(InMemoryVector().upsert(HERE, [Chunk(chunk_id, "red")]))


def test_what_the_caller_changes_afterwards_changes_nothing() -> None:
    metadata = {"tags": ["a"]}
    index = index_of("red", **metadata)
    metadata["tags"].append("b")

    assert ids(index, "red", tags=["a"]) == ["0"]


def test_metadata_comes_back_as_it_went_in_and_frozen() -> None:
    [(_, chunk)] = run(index_of("red", at={"page": 1}).search(HERE, "red"))

    assert chunk.metadata == {"at": {"page": 1}}
    with pytest.raises(TypeError, match="frozen"):
        chunk.metadata["at"]["page"] = 2
