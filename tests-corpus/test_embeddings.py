"""Recorded embeddings, through the codec and through the clients.

An official SDK reads them alike.
"""

import asyncio
from typing import Any

import pytest
from replay import NOW, Exchange, error_facts, server, wanted_error

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.llm import EmbeddingResult
from agentkit.models.codecs import error_from_response
from agentkit.models.codecs.embeddings import Vectors, read_vectors
from agentkit.models.providers import (
    GeminiEmbeddings,
    OllamaEmbeddings,
    OpenAICompatibleEmbeddings,
)
from agentkit.models.providers._embeddings import HttpEmbeddings


def test_the_codec_reads_what_the_oracle_read(exchange: Exchange) -> None:
    _check(exchange["expected"], _decoded(exchange))


def test_the_client_reads_what_the_oracle_read(exchange: Exchange) -> None:
    _check(exchange["expected"], asyncio.run(_over_http(exchange)))


def test_a_body_cut_anywhere_is_an_error_and_never_fewer_vectors(exchange: Exchange) -> None:
    body = exchange["response"]["body"].rstrip().encode()

    for at in range(1, len(body), 1 + len(body) // 50):
        with pytest.raises(ProviderError):
            read_vectors(body[:at], wanted=_count(exchange["expected"]))


def _count(expected: dict[str, Any]) -> int:
    return expected["embeddings"]["count"] if expected["kind"] == "success" else 1


def _decoded(exchange: Exchange) -> Vectors | ProviderError:
    response = exchange["response"]
    body = response["body"].encode()
    if response["status"] != 200:
        return error_from_response(response["status"], body, headers=response["headers"], now=NOW)
    return read_vectors(body, wanted=_count(exchange["expected"]))


async def _over_http(exchange: Exchange) -> EmbeddingResult | ProviderError:
    texts = ["a text"] * _count(exchange["expected"])
    async with server(exchange["response"]) as (url, requests), _client(exchange, url) as client:
        try:
            return await client.embed(texts)
        except ProviderError as error:
            return error
        finally:
            assert len(requests) == 1


def _client(exchange: Exchange, url: str) -> HttpEmbeddings:
    path = exchange["request"]["path"]
    if "mbedContent" in path:
        return GeminiEmbeddings(api_key="a-key", model="m", base_url=url)
    if path.endswith("/api/embed"):
        return OllamaEmbeddings(model="m", base_url=url)
    if path.endswith("/api/embeddings"):
        return OllamaEmbeddings(model="m", base_url=url, api="embeddings")
    return OpenAICompatibleEmbeddings(api_key="a-key", model="m", base_url=url)


def _check(expected: dict[str, Any], outcome: Vectors | EmbeddingResult | ProviderError) -> None:
    if expected["kind"] != "success":
        assert isinstance(outcome, ProviderError)
        assert error_facts(outcome) == wanted_error(expected)
        assert expected["message"] in str(outcome)
        return
    assert not isinstance(outcome, ProviderError), outcome
    wanted, vectors = expected["embeddings"], outcome.embeddings
    assert len(vectors) == wanted["count"]
    assert {len(vector) for vector in vectors} == {wanted["dims"]}
    assert [list(vector[:3]) for vector in vectors] == wanted["first3"]
    assert _tokens(outcome) == _wanted_tokens(expected["usage"] or {})


def _tokens(outcome: Vectors | EmbeddingResult) -> int:
    return outcome.tokens if isinstance(outcome, Vectors) else outcome.usage_tokens


# The tokens from the raw fields: the first of these that is there.
_FIELDS = ("prompt_tokens", "total_tokens", "promptTokenCount", "prompt_eval_count")


def _wanted_tokens(raw: dict[str, Any]) -> int:
    return next((raw[name] for name in _FIELDS if name in raw), 0)
