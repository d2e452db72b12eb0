"""Clients of model providers, and what their models cost.

The clients need the extra `http`; `pricing` does not. Naming a client without it raises
`MissingProviderExtra`.
"""

from typing import TYPE_CHECKING

from agentkit.models import _on_demand
from agentkit.models.codecs import raise_if_error_frame

if TYPE_CHECKING:
    from agentkit.models._transport import Timeouts
    from agentkit.models.providers._anthropic import AnthropicLLM, claude
    from agentkit.models.providers._embeddings import (
        GeminiEmbeddings,
        OllamaEmbeddings,
        OpenAICompatibleEmbeddings,
    )
    from agentkit.models.providers._gemini import GeminiLLM, gemini
    from agentkit.models.providers._ollama import OllamaLLM, ollama
    from agentkit.models.providers._openai_compatible import OpenAICompatibleLLM
    from agentkit.models.providers._presets import deepseek, openai, openrouter
else:
    __getattr__, __dir__ = _on_demand.names(
        __name__,
        first="agentkit.models._transport",  # which names the extra where that is missing
        _anthropic="AnthropicLLM claude",
        _embeddings="GeminiEmbeddings OllamaEmbeddings OpenAICompatibleEmbeddings",
        _gemini="GeminiLLM gemini",
        _http_llm="Timeouts",
        _ollama="OllamaLLM ollama",
        _openai_compatible="OpenAICompatibleLLM",
        _presets="deepseek openai openrouter",
    )

__all__ = [
    "AnthropicLLM",
    "GeminiEmbeddings",
    "GeminiLLM",
    "OllamaEmbeddings",
    "OllamaLLM",
    "OpenAICompatibleEmbeddings",
    "OpenAICompatibleLLM",
    "Timeouts",
    "claude",
    "deepseek",
    "gemini",
    "ollama",
    "openai",
    "openrouter",
    "raise_if_error_frame",
]
