"""How a search in memory compares with a peer's: `python benchmarks/vectors.py [ROUNDS]`.

Both hold the same 10,000 chunks and embed alike. Figures differ from machine to machine; the
ratios are what stays.
"""

import asyncio
import random
import sys
from functools import partial
from importlib import import_module
from typing import Any

from measuring import Row, Sample, compare, seconds_of_await, table

from agentkit.core.contracts.types import Chunk, Scope
from agentkit.core.serialization.features import term_vector
from agentkit.state.vectors import InMemoryVector

__all__ = ["vectors"]

CHUNKS = 10_000
WORDS = 40
HERE = Scope(1)
QUERY = "word3 word40 word400 word1900"
SEARCHES = 3
TAG = 3
"""Which chunks a filter keeps: one in ten."""


def main(rounds: int) -> None:
    """Print the table."""
    print(f"medians of {rounds} interleaved rounds, Python {sys.version.split()[0]}\n")
    print(table(asyncio.run(_measured(rounds))))


async def _measured(rounds: int) -> list[str]:
    return await compare(await vectors(), rounds)


async def vectors() -> list[Row]:
    """A search of 10,000 chunks, by words and by a model's vectors, whole and filtered."""
    chunks = _corpus()
    theirs = await _peer(chunks)
    if theirs is None:
        print("without langchain-core and numpy (benchmarks/state-requirements.txt) no vectors\n")
        return []
    indexes = {"by words": InMemoryVector(), "by a model": Modelled()}
    for index in indexes.values():
        await index.upsert(HERE, chunks)
    return [
        Row(
            what=f"search of {CHUNKS:,} chunks {how}{filtered}",
            ours=seconds_of_await(partial(index.search, HERE, QUERY, 5, where), times=SEARCHES),
            floor=theirs[filtered],
            against="langchain-core",
            at_most=0.5,
            unit="ms",
        )
        for how, index in indexes.items()
        for filtered, where in (("", None), (", filtered", {"tag": TAG}))
    ]


class Modelled(InMemoryVector):
    """The index with vectors of every dimension, as a model gives them."""

    def _embed(self, text: str) -> list[float]:
        return term_vector(text)


def _corpus() -> list[Chunk]:
    """Give chunks of 2,000 words, of which few are frequent, as in any language."""
    words = [f"word{n}" for n in range(1, 2001)]
    weights = [1 / n for n in range(1, 2001)]
    dice = random.Random(7)  # noqa: S311 - not a secret: the same corpus for everybody
    texts = [" ".join(dice.choices(words, weights, k=WORDS)) for _ in range(CHUNKS)]
    return [Chunk(str(n), text, {"tag": n % 10}) for n, text in enumerate(texts)]


async def _peer(chunks: list[Chunk]) -> dict[str, Sample] | None:
    try:
        peers, embeddings = (
            import_module(name)
            for name in ("langchain_core.vectorstores", "langchain_core.embeddings")
        )
        import_module("numpy")  # which its search needs
    except ImportError:
        return None
    store = peers.InMemoryVectorStore(_embedding(embeddings.Embeddings))
    await store.aadd_texts(
        [chunk.text for chunk in chunks], metadatas=[dict(chunk.metadata) for chunk in chunks]
    )
    search = partial(store.asimilarity_search_with_score, QUERY, k=5)

    def keep(document: Any) -> bool:
        return bool(document.metadata["tag"] == TAG)

    return {
        "": seconds_of_await(search, times=SEARCHES),
        ", filtered": seconds_of_await(partial(search, filter=keep), times=SEARCHES),
    }


def _embedding(base: Any) -> Any:
    """Give an embedding of the peer's kind that gives the very vectors of ours."""

    def embed_documents(_: Any, texts: list[str]) -> list[list[float]]:
        return [term_vector(text) for text in texts]

    def embed_query(_: Any, text: str) -> list[float]:
        return term_vector(text)

    methods = {"embed_documents": embed_documents, "embed_query": embed_query}
    return type("Hashed", (base,), methods)()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
