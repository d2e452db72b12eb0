"""Hashed term vectors: golden values, so that a database may keep them."""

from math import isclose

import pytest

from agentkit.core.serialization.features import (
    DIMENSIONS,
    cosine,
    term_counts,
    term_vector,
    tokens,
)


def _filled(text: str) -> dict[int, float]:
    return {slot: part for slot, part in enumerate(term_vector(text)) if part}


def test_words_are_runs_of_ascii_letters_and_digits() -> None:
    assert tokens("The TLS-certificate, v2 é!") == ["the", "tls", "certificate", "v2"]


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("certificate certificate", {144: 1.0}),
        ("red red red red blue blue blue", {163: 0.8, 219: 0.6}),
    ],
)
def test_a_word_counts_in_the_slot_of_its_digest(text: str, slots: dict[int, float]) -> None:
    assert _filled(text) == slots


def test_a_vector_has_length_one() -> None:
    vector = term_vector("one two two three")

    assert len(vector) == DIMENSIONS
    assert isclose(cosine(vector, vector), 1.0)


def test_a_text_without_words_is_like_nothing() -> None:
    assert cosine(term_vector("…"), term_vector("a")) == 0.0


def test_one_word_of_four_is_half_alike() -> None:
    score = cosine(term_vector("the tls certificate expired"), term_vector("certificate"))

    assert isclose(score, 0.5)


def test_counts_are_the_vector_before_it_is_scaled() -> None:
    assert term_counts("red red red red blue blue blue") == {163: 4, 219: 3}
