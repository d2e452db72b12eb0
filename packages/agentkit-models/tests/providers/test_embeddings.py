"""The embedding clients over real HTTP: vectors in order, one request, one typed error."""

import base64
import json
import struct
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.core.contracts.errors import ErrorClass, ProviderError, UnsupportedOption
from agentkit.core.contracts.llm import EmbeddingClient, EmbeddingResult
from agentkit.models.providers import (
    GeminiEmbeddings,
    OllamaEmbeddings,
    OpenAICompatibleEmbeddings,
)

Ask = Callable[..., Any]
TEXTS = ["a", "b"]
OPENAI = {
    "data": [{"index": 1, "embedding": [3.0, 4]}, {"index": 0, "embedding": [1.0, 2.0]}],
    "model": "served",
    "usage": {"prompt_tokens": 7, "total_tokens": 7},
}
GEMINI = {
    "embeddings": [{"values": [1.0, 2.0]}, {"values": [3.0, 4.0]}],
    "usageMetadata": {"promptTokenCount": 7},
}
OLLAMA = {"embeddings": [[1.0, 2.0], [3.0, 4.0]], "model": "served", "prompt_eval_count": 7}
KINDS = {
    OpenAICompatibleEmbeddings: (OPENAI, "/v1/embeddings", "served"),
    GeminiEmbeddings: (GEMINI, "/v1/models/m:batchembedcontents", "m"),
    OllamaEmbeddings: (OLLAMA, "/v1/api/embed", "served"),
}


@pytest.fixture
def embed(ask: Ask) -> Ask:
    """Give what has texts embedded by a client *of* a provider that answers with JSON."""

    def run(of: Any, answer: Any, texts: Any = TEXTS, **how: Any) -> Any:
        async def use(client: Any, _: Any) -> Any:
            return await client.embed(texts)

        def make(*, default_model: str, **settings: Any) -> Any:
            return of(model=default_model, **settings)

        return ask(**{"use": use, "of": make, "chunks": (json.dumps(answer).encode(),), **how})

    return run


@pytest.mark.parametrize("kind", KINDS)
def test_a_vector_comes_for_each_text_in_its_order(embed: Ask, kind: Any) -> None:
    answer, path, model = KINDS[kind]
    asked = embed(kind, answer)

    assert asked.value == EmbeddingResult([[1.0, 2.0], [3.0, 4.0]], model, 7)
    assert asked.provider.heads[0].startswith(f"post {path} http")
    assert len(asked.provider.bodies) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_an_embedding_client_that_shows_no_key(kind: Any) -> None:
    client = kind(model="m", api_key="sk-canary", base_url="http://x/v1")

    assert isinstance(client, EmbeddingClient)
    assert repr(client) == f"{kind.__name__}(model='m', base='http://x')"


@pytest.mark.parametrize("kind", KINDS)
def test_no_texts_are_no_request(embed: Ask, kind: Any) -> None:
    asked = embed(kind, {}, [])

    assert asked.value == EmbeddingResult([], "m")
    assert asked.provider.connections == 0


def test_one_text_gives_one_vector(ask: Ask, embed: Ask) -> None:
    async def use(client: Any, _: Any) -> Any:
        return await client.embed_single("a")

    answer = {"data": [{"embedding": [1.0]}]}

    assert embed(OpenAICompatibleEmbeddings, answer, use=use).value == [1.0]


def test_one_text_in_the_place_of_many_is_refused(embed: Ask) -> None:
    with pytest.raises(TypeError, match="embed takes a list of texts"):
        raise embed(OpenAICompatibleEmbeddings, OPENAI, "ab").error


def test_vectors_in_base64_are_read_whether_asked_for_or_not(embed: Ask) -> None:
    packed = base64.b64encode(struct.pack("<2f", 0.5, -1.0)).decode()
    answer = {"data": [{"embedding": packed, "index": 0}]}
    asked = embed(OpenAICompatibleEmbeddings, answer, ["a"], encoding="base64")

    assert asked.value.embeddings == [[0.5, -1.0]]
    assert asked.provider.bodies[0]["encoding_format"] == "base64"


def test_openai_is_asked_for_what_was_set_and_for_nothing_else(embed: Ask) -> None:
    bare = embed(OpenAICompatibleEmbeddings, OPENAI).provider
    full = embed(OpenAICompatibleEmbeddings, OPENAI, dimensions=2, extra={"user": "u"}).provider

    assert bare.bodies == [{"model": "m", "input": TEXTS}]
    assert full.bodies == [{"model": "m", "input": TEXTS, "dimensions": 2, "user": "u"}]
    assert "authorization: bearer sk-canary" in bare.heads[0]


def test_gemini_is_asked_for_each_text_with_the_key_in_a_header(embed: Ask) -> None:
    provider = embed(GeminiEmbeddings, GEMINI, dimensions=2, task_type="CLUSTERING").provider
    settings = {"outputDimensionality": 2, "taskType": "CLUSTERING"}

    assert provider.bodies[0]["requests"][1] == {
        "model": "models/m",
        "content": {"parts": [{"text": "b"}]},
        **settings,
    }
    assert "x-goog-api-key: sk-canary" in provider.heads[0]


def test_ollama_is_asked_for_dimensions(embed: Ask) -> None:
    [body] = embed(OllamaEmbeddings, OLLAMA, dimensions=2).provider.bodies

    assert body == {"model": "m", "input": TEXTS, "dimensions": 2}


def test_ollamas_older_api_takes_one_text(embed: Ask) -> None:
    asked = embed(OllamaEmbeddings, {"embedding": [1.0]}, ["a"], api="embeddings")

    assert asked.value == EmbeddingResult([[1.0]], "m")
    assert asked.provider.bodies == [{"model": "m", "prompt": "a"}]


def test_ollamas_older_api_is_not_asked_for_what_it_cannot(embed: Ask) -> None:
    asked = embed(OllamaEmbeddings, {}, api="embeddings")

    assert isinstance(asked.error, UnsupportedOption)
    assert asked.provider.connections == 0
    with pytest.raises(UnsupportedOption, match="no dimensions"):
        OllamaEmbeddings(model="m", api="embeddings", dimensions=2)


def test_an_api_that_there_is_not_is_refused() -> None:
    bad: Any = "embeds"

    with pytest.raises(ValueError, match="got 'embeds'"):
        OllamaEmbeddings(model="m", api=bad)


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_is_one_request_and_one_error(embed: Ask, kind: Any) -> None:
    answer = {"error": {"message": "sk-canary is not welcome"}}
    asked = embed(kind, answer, status=429, headers={"retry-after": "7"})

    assert isinstance(asked.error, ProviderError)
    assert (asked.error.error_class, asked.error.retry_after) == (ErrorClass.TRANSIENT, 7)
    assert "[secret] is not welcome" in str(asked.error)
    assert len(asked.provider.bodies) == 1


NO_VECTORS: list[Any] = [
    "text",
    {},
    {"data": []},
    {"data": [{"embedding": [1.0]}]},
    {"data": [{"embedding": [1.0]}, {"embedding": []}]},
    {"data": [{"embedding": [1.0], "index": 1}, {"embedding": [1.0], "index": 1}]},
    {"data": [{"embedding": [1.0], "index": 2}, {"embedding": [1.0], "index": 1}]},
    {"data": [{"embedding": [True]}, {"embedding": [1.0]}]},
    {"data": [{"embedding": [float("nan")]}, {"embedding": [1.0]}]},
    {"data": [{"embedding": [10**400]}, {"embedding": [1.0]}]},
    {"data": [{"embedding": "AAAA!"}, {"embedding": [1.0]}]},
    {"data": [{"embedding": "AAA="}, {"embedding": [1.0]}]},
    {"data": [{"embedding": "AADAfw=="}, {"embedding": [1.0]}]},
    {"embeddings": [{"values": None}, {"values": [1.0]}]},
    {"embedding": [1.0]},
]


@pytest.mark.parametrize("answer", NO_VECTORS, ids=str)
def test_anything_but_a_vector_for_each_text_is_an_error(embed: Ask, answer: Any) -> None:
    error = embed(OpenAICompatibleEmbeddings, answer).error

    assert isinstance(error, ProviderError)
    assert (error.error_type, error.error_class) == ("malformed_response", ErrorClass.PERMANENT)
    assert error.provider == "openai_compatible"


def test_an_error_inside_a_success_is_one(embed: Ask) -> None:
    error = embed(OpenAICompatibleEmbeddings, {"error": {"message": "no", "code": 503}}).error

    assert (error.status, error.error_class) == (503, ErrorClass.TRANSIENT)


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        ({"data": [{"embedding": [1.0]}], "usage": {"total_tokens": 5}}, 5),
        ({"embeddings": {"float": [[1.0]]}, "meta": {"billed_units": {"input_tokens": 5}}}, 5),
        ({"embedding": {"values": [1.0]}}, 0),
    ],
    ids=str,
)
def test_the_shapes_of_other_providers_are_read_too(
    embed: Ask, answer: dict[str, Any], tokens: int
) -> None:
    result = embed(OpenAICompatibleEmbeddings, answer, ["a"]).value

    assert (result.embeddings, result.usage_tokens) == ([[1.0]], tokens)
