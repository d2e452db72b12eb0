"""The rows of the registry, and those that it comes with."""

from collections.abc import Callable
from dataclasses import dataclass, field

from agentkit.models._capabilities import Capability, ModelCapabilities

__all__ = [
    "BUILT_IN_MODELS",
    "BUILT_IN_PROVIDERS",
    "BUILT_IN_RULES",
    "ModelEntry",
    "ProviderEntry",
    "Rule",
]

Rule = Callable[[str], str | None]
"""Gives the provider of a normalised model name, or None where it does not know."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model: who serves it and what it can do."""

    name: str
    provider: str
    capabilities: ModelCapabilities = field(default_factory=ModelCapabilities)


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """A provider: where its credential is, and what makes its client.

    *factory* is `module:attribute` and is imported when a client is made, so that a row costs no
    import. *extra* is what it takes to be installed.
    """

    name: str
    env_vars: tuple[str, ...]
    factory: str
    extra: str = "http"
    default_model: str | None = None
    accepts_model_kwarg: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "env_vars", tuple(self.env_vars))
        module, colon, attribute = self.factory.partition(":")
        if not (module and colon and attribute):
            raise ValueError(f"a factory is 'module:attribute'; got {self.factory!r}")


_PROVIDERS = "agentkit.models.providers"

BUILT_IN_PROVIDERS = (
    ProviderEntry(
        "anthropic",
        ("ANTHROPIC_API_KEY",),
        f"{_PROVIDERS}:claude",
        default_model="claude-sonnet-4-6",
    ),
    ProviderEntry("openai", ("OPENAI_API_KEY",), f"{_PROVIDERS}:openai"),
    ProviderEntry(
        "deepseek",
        ("DEEPSEEK_API_KEY",),
        f"{_PROVIDERS}:deepseek",
        default_model="deepseek-chat",
    ),
    ProviderEntry("openrouter", ("OPENROUTER_API_KEY",), f"{_PROVIDERS}:openrouter"),
    ProviderEntry(
        "gemini",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        f"{_PROVIDERS}:gemini",
        default_model="gemini-2.5-flash",
    ),
)


def _model(
    name: str,
    provider: str,
    context_window: int,
    *,
    tools: Capability = Capability.YES,
    native_json_schema: Capability = Capability.NO,
    vision: Capability = Capability.YES,
) -> ModelEntry:
    capabilities = ModelCapabilities(
        tools=tools,
        structured_output=Capability.YES,
        native_json_schema=native_json_schema,
        streaming=Capability.YES,
        vision=vision,
        context_window=context_window,
    )
    return ModelEntry(name, provider, capabilities)


BUILT_IN_MODELS = (
    _model("claude-sonnet-4-6", "anthropic", 200_000),
    _model("claude-haiku-4-5", "anthropic", 200_000),
    _model("claude-opus-4-1", "anthropic", 200_000),
    _model("gpt-4o", "openai", 128_000, native_json_schema=Capability.YES),
    _model("gpt-4o-mini", "openai", 128_000, native_json_schema=Capability.YES),
    _model("gpt-4.1", "openai", 1_047_576, native_json_schema=Capability.YES),
    _model("gpt-4.1-mini", "openai", 1_047_576, native_json_schema=Capability.YES),
    _model("deepseek-chat", "deepseek", 64_000, vision=Capability.NO),
    _model("deepseek-reasoner", "deepseek", 64_000, tools=Capability.NO, vision=Capability.NO),
)

_FAMILIES = {
    "anthropic": ("claude-", "anthropic."),
    "openai": ("gpt-", "o1-", "o3-", "o4-", "chatgpt-"),
    "deepseek": ("deepseek",),
    "gemini": ("gemini-",),
}


def _with_slash(name: str) -> str | None:
    return "openrouter" if "/" in name else None


def _family(name: str) -> str | None:
    for provider, prefixes in _FAMILIES.items():
        if name.startswith(prefixes):
            return provider
    return None


BUILT_IN_RULES: tuple[Rule, ...] = (_with_slash, _family)
"""In the order of registration: the last one is asked first."""
