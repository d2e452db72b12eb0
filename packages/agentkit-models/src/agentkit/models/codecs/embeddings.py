"""Texts to the JSON of the embedding APIs, and vectors back out of their answers."""

import base64
import binascii
import struct
from collections.abc import Sequence
from math import isfinite
from typing import Any, Literal, NamedTuple

from agentkit.models.codecs._errors import answer_in, malformed
from agentkit.models.codecs._json import as_dict, as_list, as_text, count, is_dict, is_list

__all__ = ["Encoding", "Vectors", "encode_gemini", "encode_ollama", "encode_openai", "read_vectors"]

Encoding = Literal["float", "base64"]
"""How vectors are sent: as JSON numbers, or as base64 of 32-bit floats, which is a third of it."""


class Vectors(NamedTuple):
    """One vector for each text, in its order, and what the provider says of them."""

    embeddings: list[list[float]]
    model: str
    tokens: int


def encode_openai(
    texts: Sequence[str],
    *,
    model: str,
    dimensions: int | None = None,
    encoding: Encoding | None = None,
) -> dict[str, Any]:
    """Give the body for `/embeddings`; what is None is not in it."""
    body: dict[str, Any] = {"model": model, "input": list(texts)}
    if dimensions is not None:
        body["dimensions"] = dimensions
    if encoding is not None:
        body["encoding_format"] = encoding
    return body


def encode_gemini(
    texts: Sequence[str],
    *,
    model: str,
    dimensions: int | None = None,
    task_type: str | None = None,
) -> dict[str, Any]:
    """Give the body for `:batchEmbedContents`; *model* is the resource's name."""
    settings: dict[str, Any] = {"outputDimensionality": dimensions, "taskType": task_type}
    settings = {name: value for name, value in settings.items() if value is not None}
    return {
        "requests": [
            {"model": model, "content": {"parts": [{"text": text}]}, **settings} for text in texts
        ]
    }


def encode_ollama(
    texts: Sequence[str], *, model: str, dimensions: int | None = None
) -> dict[str, Any]:
    """Give the body for `/api/embed`."""
    body: dict[str, Any] = {"model": model, "input": list(texts)}
    return body if dimensions is None else body | {"dimensions": dimensions}


def read_vectors(body: bytes, *, wanted: int, now: float = 0.0) -> Vectors:
    """Give the *wanted* number of vectors in a successful answer, of any of the APIs.

    *now* is the time in seconds since the epoch, for errors that name a moment to try again.

    Raises:
        ProviderError: The answer is an error, is none of these APIs, or holds another number of
            vectors.

    """
    answer = answer_in(body, now=now)
    vectors = [_vector(item) for item in _in_order(answer)]
    if len(vectors) != wanted or not all(vectors):
        raise malformed(body[:400].decode(errors="replace"))
    return Vectors(
        [vector for vector in vectors if vector],
        as_text(answer.get("model")),
        _tokens(answer),
    )


def _in_order(answer: dict[str, Any]) -> list[Any]:
    """Give the vectors as they came, each in the place that its index names; none if one is amiss.

    OpenAI has a list of objects with an index, Gemini of objects with values, Ollama and Cohere of
    lists, which Cohere may put under the name of their type. A single one may stand alone.
    """
    if is_list(data := answer.get("data")):
        places = {_index(item, at): as_dict(item).get("embedding") for at, item in enumerate(data)}
        found = len(places) == len(data) and all(at in places for at in range(len(data)))
        return [places[at] for at in range(len(data))] if found else []
    several = answer.get("embeddings")
    if is_dict(several):
        several = several.get("float")
    if is_list(several):
        return several
    return [] if answer.get("embedding") is None else [answer["embedding"]]


def _index(item: Any, at: int) -> int:
    index = as_dict(item).get("index")
    return index if type(index) is int else at


def _vector(raw: Any) -> list[float] | None:
    """Give a vector, or None where it is none."""
    if is_dict(raw):
        raw = raw.get("values")
    if isinstance(raw, str):
        return _unpacked(raw)
    values = as_list(raw)
    if not all(type(value) is float or type(value) is int for value in values):
        return None
    try:
        vector = [float(value) for value in values]
    except OverflowError:
        return None
    return vector if isfinite(sum(vector)) else None


def _unpacked(text: str) -> list[float] | None:
    """Give the vector in base64 of 32-bit floats, the lowest byte first."""
    try:
        data = base64.b64decode(text, validate=True)
        vector = list(struct.unpack(f"<{len(data) // 4}f", data))
    except (binascii.Error, ValueError, struct.error):
        return None
    return vector if isfinite(sum(vector)) else None


def _tokens(answer: dict[str, Any]) -> int:
    usage = as_dict(answer.get("usage"))
    billed = as_dict(as_dict(answer.get("meta")).get("billed_units"))
    return (
        count(usage.get("prompt_tokens"))
        or count(usage.get("total_tokens"))
        or count(as_dict(answer.get("usageMetadata")).get("promptTokenCount"))
        or count(answer.get("prompt_eval_count"))
        or count(billed.get("input_tokens"))
    )
