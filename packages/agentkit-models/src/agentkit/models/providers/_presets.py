"""The providers whose address and ways are known."""

from typing import Any

from agentkit.models._outer_frames import OuterFrames
from agentkit.models.codecs.chat_completions import Dialect
from agentkit.models.providers._openai_compatible import OpenAICompatibleLLM

__all__ = ["deepseek", "openai", "openrouter"]

_OPENAI = Dialect(provider="openai", max_tokens="max_completion_tokens")
_DEEPSEEK = Dialect(provider="deepseek", reasoning_effort=(), has_json_schema=False)
_OPENROUTER = Dialect(provider="openrouter", reasoning_effort=("reasoning", "effort"))


@OuterFrames()
def openai(
    *,
    api_key: str | None,
    model: str | None = None,
    base_url: str = "https://api.openai.com/v1",
    **settings: Any,
) -> OpenAICompatibleLLM:
    """Give a client of OpenAI; *settings* are those of `OpenAICompatibleLLM`."""
    return _client(_OPENAI, api_key=api_key, model=model, base_url=base_url, **settings)


@OuterFrames()
def deepseek(
    *,
    api_key: str | None,
    model: str | None = "deepseek-chat",
    base_url: str = "https://api.deepseek.com/v1",
    **settings: Any,
) -> OpenAICompatibleLLM:
    """Give a client of DeepSeek; *settings* are those of `OpenAICompatibleLLM`."""
    return _client(_DEEPSEEK, api_key=api_key, model=model, base_url=base_url, **settings)


@OuterFrames()
def openrouter(
    *,
    api_key: str | None,
    model: str | None = None,
    base_url: str = "https://openrouter.ai/api/v1",
    **settings: Any,
) -> OpenAICompatibleLLM:
    """Give a client of OpenRouter; *settings* are those of `OpenAICompatibleLLM`."""
    return _client(_OPENROUTER, api_key=api_key, model=model, base_url=base_url, **settings)


def _client(
    dialect: Dialect, *, api_key: str | None, model: str | None, base_url: str, **settings: Any
) -> OpenAICompatibleLLM:
    settings.setdefault("dialect", dialect)
    settings.setdefault("default_model", model)
    return OpenAICompatibleLLM(api_key=api_key, base_url=base_url, **settings)
