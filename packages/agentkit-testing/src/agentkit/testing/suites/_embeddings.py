"""The suite of EmbeddingClient."""

import math
from collections.abc import Sequence
from typing import ClassVar

from agentkit.core.contracts.llm import EmbeddingClient
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._embedding_failures import (
    EmbeddingErrorClauses,
    EmbeddingFaultClauses,
    EmbeddingOnceClauses,
)

__all__ = ["EmbeddingSuite"]

VERBS = ("embed", "embed_single")
WORDS = ("apple", "boat", "cloud", "door", "engine")
ODD_TEXTS = ["\U0001f600", "a\r\nb", "e\u0301", "\u00e9", "null", '"a"', " a ", "x " * 2000, "\\n"]


class VectorClauses(
    EmbeddingFaultClauses,
    EmbeddingErrorClauses,
    EmbeddingOnceClauses,
):
    """A text has a vector, wherever among others it stands."""

    @clause("EMBED-PORT-01", since="1.0")
    async def an_adapter_has_the_verbs_of_its_contract(self, client: EmbeddingClient) -> None:
        verbs = [verb for verb in VERBS if verb not in self.partial]

        assert [verb for verb in verbs if not callable(getattr(client, verb, None))] == []

    @clause("EMBED-VECTOR-01", since="1.0")
    async def each_text_has_a_vector(self, client: EmbeddingClient) -> None:
        for count in (1, 2, 5):
            assert len((await client.embed(list(WORDS[:count]))).embeddings) == count

    @clause("EMBED-VECTOR-02", since="1.0")
    async def vectors_are_in_the_order_of_their_texts(self, client: EmbeddingClient) -> None:
        together = (await client.embed(list(WORDS))).embeddings
        turned = (await client.embed(list(WORDS[::-1]))).embeddings

        assert all(map(alike, together, turned[::-1]))
        assert not alike(together[0], together[-1])

    @clause("EMBED-VECTOR-03", since="1.0")
    async def one_text_has_the_vector_that_it_has_among_others(
        self, client: EmbeddingClient
    ) -> None:
        together = (await client.embed(list(WORDS))).embeddings
        for word, vector in zip(WORDS, together, strict=True):
            assert alike(await client.embed_single(word), vector)

    @clause("EMBED-VECTOR-04", since="1.0")
    async def no_texts_have_no_vectors(self, client: EmbeddingClient) -> None:
        assert list((await client.embed([])).embeddings) == []

    @clause("EMBED-VECTOR-05", since="1.0")
    async def vectors_are_of_one_length(self, client: EmbeddingClient) -> None:
        vectors = (await client.embed(list(WORDS))).embeddings
        lengths = {len(vector) for vector in [*vectors, await client.embed_single("apple")]}

        assert len(lengths) == 1
        assert lengths != {0}

    @clause("EMBED-VECTOR-06", since="1.0")
    async def a_vector_is_a_list_of_finite_floats(self, client: EmbeddingClient) -> None:
        for vector in [*(await client.embed(["apple"])).embeddings, await client.embed_single("a")]:
            assert isinstance(vector, list)
            assert {type(part) for part in vector} == {float}
            assert all(map(math.isfinite, vector))

    @clause("EMBED-VECTOR-07", since="1.0")
    async def the_model_and_the_tokens_are_told(self, client: EmbeddingClient) -> None:
        result = await client.embed(["apple"])

        assert result.model
        assert type(result.usage_tokens) is int

    @clause("EMBED-VECTOR-08", since="1.0")
    async def equal_texts_have_equal_vectors(self, client: EmbeddingClient) -> None:
        one, _, other = (await client.embed(["apple", "boat", "apple"])).embeddings

        assert alike(one, other)

    @clause("EMBED-VECTOR-09", since="1.0")
    async def many_texts_have_a_vector_each(self, client: EmbeddingClient) -> None:
        texts = [f"text number {n}" for n in range(120)]
        vectors = (await client.embed(texts)).embeddings

        assert len(vectors) == 120
        assert alike(vectors[77], await client.embed_single(texts[77]))

    @clause("EMBED-VECTOR-10", since="1.0")
    async def odd_texts_have_vectors_too(self, client: EmbeddingClient) -> None:
        vectors = (await client.embed(ODD_TEXTS)).embeddings
        for text, vector in zip(ODD_TEXTS, vectors, strict=True):
            assert alike(await client.embed_single(text), vector), text

    @clause("EMBED-VECTOR-11", since="1.0")
    async def a_vector_is_the_callers_own(self, client: EmbeddingClient) -> None:
        first = await client.embed_single("apple")
        kept = list(first)
        first.clear()

        assert alike(await client.embed_single("apple"), kept)


class EmbeddingSuite(VectorClauses):
    """What an embedding client promises; subclass it and define the `adapter` fixture.

    Hooks: `play` for failures, `requests`, `unfinished`, `secret`, `break_connection` with
    `restore`, `backend_version`. A turn that is played stands for the vectors that are asked for.
    """

    port: ClassVar[str] = "EmbeddingClient"
    version: ClassVar[str] = "1.0"
    verbs: ClassVar[frozenset[str]] = frozenset(VERBS)


def alike(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two vectors point the same way, as far as a backend that rounds can tell."""
    product = math.hypot(*one) * math.hypot(*other)
    cosine = sum(a * b for a, b in zip(one, other, strict=True)) / product if product else 0.0
    return cosine > 0.9999
