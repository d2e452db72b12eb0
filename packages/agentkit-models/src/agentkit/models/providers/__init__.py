"""Clients of model providers, and what their models cost.

The clients need the extra `http`; `pricing` does not. Naming a client without it raises
`MissingProviderExtra`.
"""

from typing import TYPE_CHECKING, Any

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

_HOMES = {
    "AnthropicLLM": "agentkit.models.providers._anthropic",
    "GeminiEmbeddings": "agentkit.models.providers._embeddings",
    "GeminiLLM": "agentkit.models.providers._gemini",
    "OllamaLLM": "agentkit.models.providers._ollama",
    "OllamaEmbeddings": "agentkit.models.providers._embeddings",
    "OpenAICompatibleEmbeddings": "agentkit.models.providers._embeddings",
    "OpenAICompatibleLLM": "agentkit.models.providers._openai_compatible",
    "Timeouts": "agentkit.models._transport",
    "claude": "agentkit.models.providers._anthropic",
    "deepseek": "agentkit.models.providers._presets",
    "gemini": "agentkit.models.providers._gemini",
    "ollama": "agentkit.models.providers._ollama",
    "openai": "agentkit.models.providers._presets",
    "openrouter": "agentkit.models.providers._presets",
}


def __getattr__(name: str) -> Any:
    """Load a client when it is first named.

    Raises:
        MissingProviderExtra: The extra `http` is not installed.

    """
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only a first use pays for it

    import_module("agentkit.models._transport")  # first, since it names the extra that is missing
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
