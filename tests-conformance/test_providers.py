"""Every provider's client keeps both contracts of models, and EmbeddingClient, on a wire."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from agentkit.core.contracts.llm import LLMClient
from agentkit.core.execution.bridges import LLMClientAsPort
from agentkit.models.providers import (
    AnthropicLLM,
    GeminiEmbeddings,
    GeminiLLM,
    OllamaEmbeddings,
    OllamaLLM,
    OpenAICompatibleEmbeddings,
    OpenAICompatibleLLM,
)
from agentkit.testing import EmbeddingSuite, LLMClientSuite, LLMSuite, Opener, Played
from agentkit.testing.servers import (
    AnthropicMessages,
    ChatCompletions,
    EmbeddingWire,
    Gemini,
    OllamaChat,
    ScriptedProvider,
    WireDialect,
)

SECRET = "sk-conformance-0123456789"  # noqa: S105 - nobody's

WHOLE = {"CLIENT-RUN-03": "the answer is there, whole, when its first delta is given"}
UNCACHED = {"MODEL-ANSWER-07": "this API does not tell what came from a cache"}


class ProviderSteps:
    """The hooks of a client whose provider is scripted, on a loopback port."""

    dialect: WireDialect

    @pytest.fixture
    def adapter(self) -> Iterator[Opener]:
        with ScriptedProvider(self.dialect) as self.provider:
            yield self.open

    def open(self) -> AbstractAsyncContextManager[Any]:
        """Open a client of the provider."""
        raise NotImplementedError

    async def play(self, script: Sequence[Played]) -> None:
        self.provider.play(script)

    async def requests(self) -> int:
        return len(self.provider.requests)

    async def unfinished(self) -> int:
        return await asyncio.to_thread(self.provider.unfinished)

    def secret(self) -> str:
        return SECRET

    async def break_connection(self) -> None:
        await asyncio.to_thread(self.provider.break_off)

    async def restore(self) -> None:
        self.provider.restore()


class OpenAICompatibleSteps(ProviderSteps):
    """A client of the chat-completions API."""

    dialect: WireDialect = ChatCompletions()
    streaming = True

    def open(self) -> AbstractAsyncContextManager[Any]:
        return OpenAICompatibleLLM(
            api_key=SECRET,
            base_url=f"{self.provider.url}/v1",
            default_model="scripted",
            streaming=self.streaming,
        )


class AnthropicSteps(ProviderSteps):
    """A client of the messages API."""

    dialect: WireDialect = AnthropicMessages()
    streaming = True

    def open(self) -> AbstractAsyncContextManager[Any]:
        return AnthropicLLM(
            api_key=SECRET,
            base_url=self.provider.url,
            default_model="scripted",
            streaming=self.streaming,
        )


class GeminiSteps(ProviderSteps):
    """A client of generateContent."""

    dialect: WireDialect = Gemini()
    streaming = True

    def open(self) -> AbstractAsyncContextManager[Any]:
        return GeminiLLM(
            api_key=SECRET,
            base_url=f"{self.provider.url}/v1beta",
            default_model="scripted",
            streaming=self.streaming,
        )


class OllamaSteps(ProviderSteps):
    """A client of Ollama's own chat API."""

    dialect: WireDialect = OllamaChat()
    streaming = True

    def open(self) -> AbstractAsyncContextManager[Any]:
        return OllamaLLM(
            api_key=SECRET,
            base_url=self.provider.url,
            default_model="scripted",
            streaming=self.streaming,
        )


class TestOpenAICompatibleLLM(OpenAICompatibleSteps, LLMSuite): ...


class TestOpenAICompatibleLLMAsClient(OpenAICompatibleSteps, LLMClientSuite): ...


class TestOpenAICompatibleLLMWithoutStreaming(OpenAICompatibleSteps, LLMSuite):
    streaming = False


class TestOpenAICompatibleLLMAsClientWithoutStreaming(
    OpenAICompatibleSteps, LLMClientSuite, deviates=WHOLE
):
    streaming = False


class TestAnthropicLLM(AnthropicSteps, LLMSuite): ...


class TestAnthropicLLMAsClient(AnthropicSteps, LLMClientSuite): ...


class TestAnthropicLLMWithoutStreaming(AnthropicSteps, LLMSuite):
    streaming = False


class TestAnthropicLLMAsClientWithoutStreaming(AnthropicSteps, LLMClientSuite, deviates=WHOLE):
    streaming = False


class TestGeminiLLM(GeminiSteps, LLMSuite): ...


class TestGeminiLLMAsClient(GeminiSteps, LLMClientSuite): ...


class TestGeminiLLMWithoutStreaming(GeminiSteps, LLMSuite):
    streaming = False


class TestGeminiLLMAsClientWithoutStreaming(GeminiSteps, LLMClientSuite, deviates=WHOLE):
    streaming = False


class TestOllamaLLM(OllamaSteps, LLMSuite, deviates=UNCACHED): ...


class TestOllamaLLMAsClient(OllamaSteps, LLMClientSuite, deviates=UNCACHED): ...


class TestOllamaLLMWithoutStreaming(OllamaSteps, LLMSuite, deviates=UNCACHED):
    streaming = False


class TestOllamaLLMAsClientWithoutStreaming(OllamaSteps, LLMClientSuite, deviates=UNCACHED):
    streaming = False


class TestBridgedClient(OpenAICompatibleSteps, LLMSuite):
    """Anybody's client as a port: what it is besides is hidden."""

    def open(self) -> AbstractAsyncContextManager[Any]:
        return bridged(super().open())


@asynccontextmanager
async def bridged(
    opening: AbstractAsyncContextManager[LLMClient],
) -> AsyncGenerator[LLMClientAsPort]:
    """Open a client, to be seen as a port only."""
    async with opening as client:
        yield LLMClientAsPort(client)


class TestOpenAICompatibleEmbeddings(ProviderSteps, EmbeddingSuite):
    dialect: WireDialect = EmbeddingWire.openai()

    def open(self) -> AbstractAsyncContextManager[Any]:
        url = f"{self.provider.url}/v1"
        return OpenAICompatibleEmbeddings(api_key=SECRET, model="scripted", base_url=url)


class TestGeminiEmbeddings(ProviderSteps, EmbeddingSuite):
    dialect: WireDialect = EmbeddingWire.gemini()

    def open(self) -> AbstractAsyncContextManager[Any]:
        url = f"{self.provider.url}/v1beta"
        return GeminiEmbeddings(api_key=SECRET, model="scripted", base_url=url)


class TestOllamaEmbeddings(ProviderSteps, EmbeddingSuite):
    dialect: WireDialect = EmbeddingWire.ollama()

    def open(self) -> AbstractAsyncContextManager[Any]:
        return OllamaEmbeddings(api_key=SECRET, model="scripted", base_url=self.provider.url)
