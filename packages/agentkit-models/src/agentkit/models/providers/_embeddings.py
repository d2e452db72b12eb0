"""Clients of what turns text into vectors."""

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import httpx

from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import EmbeddingResult
from agentkit.models._outer_frames import OuterFrames
from agentkit.models._transport import Timeouts
from agentkit.models._transport._settings import (
    check_count,
    check_json,
    check_key,
    check_text,
    refused,
)
from agentkit.models.codecs.embeddings import (
    Encoding,
    encode_gemini,
    encode_ollama,
    encode_openai,
    read_vectors,
)
from agentkit.models.providers._endpoint import HttpEndpoint
from agentkit.models.providers._gemini import GEMINI_URL, model_path

__all__ = ["GeminiEmbeddings", "HttpEmbeddings", "OllamaEmbeddings", "OpenAICompatibleEmbeddings"]


class HttpEmbeddings(HttpEndpoint):
    """An embedding model over HTTP: one request for each call, whatever happens."""

    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        *,
        provider: str,
        key_header: Mapping[str, str],
        api_key: str | None,
        model: str,
        base_url: str,
        dimensions: int | None,
        client: httpx.AsyncClient | None,
        timeout: float | Timeouts | None,
        extra_headers: Mapping[str, str] | None,
        extra: Mapping[str, Any] | None,
    ) -> None:
        check_text(model, "model")
        if dimensions is not None:
            check_count(dimensions, "dimensions")
        check_json(extra or {}, "extra")
        super().__init__(
            provider=provider,
            headers={} if api_key is None else key_header,
            secrets=[api_key],
            base_url=base_url,
            client=client,
            timeout=timeout,
            extra_headers=extra_headers,
        )
        self.model = model
        self._dimensions = dimensions
        self._extra = dict(extra or {})

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model!r}, base={self._transport.origin!r})"

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        """Give one vector for each of *texts*; without any, nothing is asked.

        Raises:
            ProviderError: The provider refused or failed.
            UnsupportedOption: The API does not take so many at once; nothing was sent.

        """
        if isinstance(texts, str):
            raise TypeError("embed takes a list of texts; embed_single takes one")
        if not texts:
            return EmbeddingResult([], self.model)
        path, body = self._request(texts)
        read = partial(read_vectors, wanted=len(texts), now=time.time())
        vectors = await self._ask(path, body | dict(self._extra), read)
        return EmbeddingResult(vectors.embeddings, vectors.model or self.model, vectors.tokens)

    async def embed_single(self, text: str) -> list[float]:
        """Give the vector of *text*; it raises what `embed` raises."""
        result = await self.embed([text])
        return list(result.embeddings[0])

    @abstractmethod
    def _request(self, texts: Sequence[str]) -> tuple[str, dict[str, Any]]:
        """Give the path below the base URL, and the body, that ask for the vectors."""


class OpenAICompatibleEmbeddings(HttpEmbeddings):
    """An embedding model behind `/embeddings`, as OpenAI and most others have it.

    *dimensions* shortens the vectors, where the model can. *encoding* asks for numbers or for
    base64, which is a third of the size; what comes is read either way. *extra* goes to the
    provider as it is. All the rest is as in `OpenAICompatibleLLM`.

    Raises:
        ClientSettingError: A setting cannot be used, as an empty *api_key*. The message never
            holds a credential.

    """

    @OuterFrames()
    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        *,
        api_key: str | None,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        dimensions: int | None = None,
        encoding: Encoding | None = None,
        client: httpx.AsyncClient | None = None,
        timeout: float | Timeouts | None = 60.0,
        extra_headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
        provider: str = "openai_compatible",
    ) -> None:
        check_key(api_key)
        super().__init__(
            provider=provider,
            key_header={"authorization": f"Bearer {api_key}"},
            api_key=api_key,
            model=model,
            base_url=base_url,
            dimensions=dimensions,
            client=client,
            timeout=timeout,
            extra_headers=extra_headers,
            extra=extra,
        )
        if encoding not in {None, "float", "base64"}:
            raise refused("encoding", f"is float, base64 or None; got {encoding!r}")
        self._encoding: Encoding | None = encoding

    def _request(self, texts: Sequence[str]) -> tuple[str, dict[str, Any]]:
        body = encode_openai(
            texts, model=self.model, dimensions=self._dimensions, encoding=self._encoding
        )
        return "/embeddings", body


class GeminiEmbeddings(HttpEmbeddings):
    """An embedding model of Google AI, behind `batchEmbedContents`.

    *task_type* is what the vectors are for, as `RETRIEVAL_DOCUMENT`. The key goes into a header.
    All the rest is as in `OpenAICompatibleEmbeddings`.

    Raises:
        ClientSettingError: A setting cannot be used, as an empty *api_key*. The message never
            holds a credential.

    """

    @OuterFrames()
    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        *,
        api_key: str | None,
        model: str = "gemini-embedding-001",
        base_url: str = GEMINI_URL,
        dimensions: int | None = None,
        task_type: str | None = None,
        client: httpx.AsyncClient | None = None,
        timeout: float | Timeouts | None = 60.0,
        extra_headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        check_key(api_key)
        check_text(model, "model")
        self._path = model_path(model)
        super().__init__(
            provider="gemini",
            key_header={"x-goog-api-key": api_key or ""},
            api_key=api_key,
            model=model,
            base_url=base_url,
            dimensions=dimensions,
            client=client,
            timeout=timeout,
            extra_headers=extra_headers,
            extra=extra,
        )
        if task_type is not None:
            check_text(task_type, "task_type")
        self._task_type = task_type

    def _request(self, texts: Sequence[str]) -> tuple[str, dict[str, Any]]:
        resource = self.model if "/" in self.model else f"models/{self.model}"
        body = encode_gemini(
            texts, model=resource, dimensions=self._dimensions, task_type=self._task_type
        )
        return f"{self._path}:batchEmbedContents", body


class OllamaEmbeddings(HttpEmbeddings):
    """An embedding model that an Ollama server runs.

    With *api* `embeddings`, which servers before 0.3 have alone, a call takes one text. All the
    rest is as in `OpenAICompatibleEmbeddings`.

    Raises:
        ClientSettingError: A setting cannot be used, or there is no such *api*.
        UnsupportedOption: The older API has no *dimensions*.

    """

    @OuterFrames()
    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        *,
        model: str,
        base_url: str = "http://localhost:11434",
        api_key: str | None = None,
        dimensions: int | None = None,
        api: Literal["embed", "embeddings"] = "embed",
        client: httpx.AsyncClient | None = None,
        timeout: float | Timeouts | None = 60.0,
        extra_headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        check_key(api_key)
        if api not in {"embed", "embeddings"}:
            raise refused("api", f"is embed or embeddings; got {api!r}")
        if api == "embeddings" and dimensions is not None:
            raise UnsupportedOption("/api/embeddings has no dimensions", option="dimensions")
        super().__init__(
            provider="ollama",
            key_header={"authorization": f"Bearer {api_key}"},
            api_key=api_key,
            model=model,
            base_url=base_url,
            dimensions=dimensions,
            client=client,
            timeout=timeout,
            extra_headers=extra_headers,
            extra=extra,
        )
        self._is_old = api == "embeddings"

    def _request(self, texts: Sequence[str]) -> tuple[str, dict[str, Any]]:
        if not self._is_old:
            return "/api/embed", encode_ollama(texts, model=self.model, dimensions=self._dimensions)
        if len(texts) > 1:
            raise UnsupportedOption(
                f"/api/embeddings takes one text a call; got {len(texts)}", option="texts"
            )
        return "/api/embeddings", {"model": self.model, "prompt": texts[0]}
