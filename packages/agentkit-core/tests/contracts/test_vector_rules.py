"""What every vector index takes."""

from typing import Any

import pytest

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.types import Chunk
from agentkit.core.contracts.vector_rules import check_chunk, check_k, check_metadata

SAMPLE = {"doc": {"pages": [1, None, 0.5]}, "é": "\U0001f600", "many": 10**30}


def test_a_chunk_that_an_index_can_hold_is_given_back() -> None:
    chunk = Chunk("a", "some \0 words", SAMPLE)

    assert check_chunk(chunk) is chunk


def test_an_id_is_a_key() -> None:
    with pytest.raises(StoreValueError, match="a key must not be empty"):
        check_chunk(Chunk("", "words"))


def test_metadata_that_cannot_be_held_is_told_with_its_chunk() -> None:
    with pytest.raises(StoreValueError, match="the metadata of chunk 'a' must hold no NUL"):
        check_chunk(Chunk("a", "words", {"k": "\0"}))


@pytest.mark.parametrize("k", [0, 1, 10**6])
def test_any_whole_number_is_a_k(k: int) -> None:
    assert check_k(k) == k


@pytest.mark.parametrize(
    ("k", "said"), [(-1, "negative; got -1"), (True, "got bool"), (1.0, "got float")], ids=repr
)
def test_what_counts_nothing_is_no_k(k: Any, said: str) -> None:
    with pytest.raises(StoreValueError, match=f"k must.*{said}"):
        check_k(k)


def test_json_without_odd_letters_is_metadata() -> None:
    assert check_metadata("where", SAMPLE) is SAMPLE


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([1], "where must be a dict; got list"),
        ({"a": (1,)}, "where: .*tuple"),
        ({1: 2}, "where: "),
        ({"a": float("nan")}, "where: "),
        ({"a": ["x\0"]}, "no NUL and no lone surrogate"),
        ({"\0": 1}, "no NUL"),
        ({"a": {"b": "é\ud800"}}, r"lone surrogate, which a jsonb column refuses; got '\\xe9"),
    ],
    ids=repr,
)
def test_what_some_index_could_not_hold_is_refused(value: Any, said: str) -> None:
    with pytest.raises(StoreValueError, match=said):
        check_metadata("where", value)
