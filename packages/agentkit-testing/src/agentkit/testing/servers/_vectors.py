"""The embedding APIs, as a scripted provider speaks them: a text's vector follows from its words.

What is played matters only where it is a failure or a cut; a turn stands for the vectors asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.testing import Turn
from agentkit.testing.servers._chat_completions import ChatCompletions
from agentkit.testing.servers._gemini import Gemini
from agentkit.testing.servers._ollama_chat import OllamaChat
from agentkit.testing.servers._wires import Answer, Asked, WireDialect, json_bytes, words_in

__all__ = ["EmbeddingWire", "vector_of"]

_DIMENSIONS = 8


def vector_of(text: str) -> list[float]:
    """Give the vector that a scripted provider has for *text*."""
    raw = text.encode("utf-8", "surrogatepass")
    return [byte / 256 - 0.5 for byte in blake2b(raw, digest_size=_DIMENSIONS).digest()]


class EmbeddingWire:
    """One of the embedding APIs; errors are told as the provider's chat API tells them."""

    def __init__(
        self, texts: Callable[[Any], Sequence[str]], body: Callable[..., Any], chat: WireDialect
    ) -> None:
        self._texts = texts
        self._body = body
        self._chat = chat

    @classmethod
    def openai(cls) -> EmbeddingWire:
        """Speak as OpenAI and most others do, with vectors out of order, each with its index."""
        return cls(lambda body: body["input"], _openai, ChatCompletions())

    @classmethod
    def gemini(cls) -> EmbeddingWire:
        """Speak as `batchEmbedContents` does."""
        return cls(_gemini_texts, _gemini, Gemini())

    @classmethod
    def ollama(cls) -> EmbeddingWire:
        """Speak as `/api/embed` does."""
        return cls(lambda body: body["input"], _ollama, OllamaChat())

    def answer(self, turn: Turn, asked: Asked) -> Answer:  # noqa: ARG002 - see the module
        """Give the vectors of the texts that were asked for."""
        vectors = [vector_of(text) for text in self._texts(asked.body)]
        return Answer(frames=[json_bytes(self._body(vectors, words_in(asked)))])

    def failure(self, error: ProviderError, asked: Asked, *, after: str) -> Answer:  # noqa: ARG002 - nothing streams
        """Give the error body."""
        return self._chat.failure(error, asked, after="")

    def aside(self, asked: Asked) -> Answer | None:  # noqa: ARG002 - everything is a model call
        """Give None."""
        return None


def _openai(vectors: Sequence[list[float]], tokens: int) -> Any:
    data = [
        {"object": "embedding", "index": index, "embedding": vector}
        for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data[::-1], "model": "scripted", "usage": usage}


def _gemini_texts(body: Any) -> Sequence[str]:
    return [request["content"]["parts"][0]["text"] for request in body["requests"]]


def _gemini(vectors: Sequence[list[float]], tokens: int) -> Any:  # noqa: ARG001 - it counts none
    return {"embeddings": [{"values": vector} for vector in vectors]}


def _ollama(vectors: Sequence[list[float]], tokens: int) -> Any:
    return {"model": "scripted", "embeddings": vectors, "prompt_eval_count": tokens}
