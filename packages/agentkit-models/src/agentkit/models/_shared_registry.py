"""The registry of the process, and its methods as functions."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal

from agentkit.core.contracts.ports import LLMPort
from agentkit.models._capabilities import ModelCapabilities
from agentkit.models._entries import ModelEntry, ProviderEntry, Rule
from agentkit.models._outer_frames import OuterFrames
from agentkit.models._registry import ModelRegistry, OnUnknown, default_registry

__all__ = [
    "model_capabilities",
    "register_model",
    "register_provider",
    "register_rule",
    "registry",
    "require_capabilities",
    "resolve_llm",
]


@cache
def registry() -> ModelRegistry:
    """Give the registry that the whole process shares, made on first use."""
    return default_registry()


@OuterFrames()
def resolve_llm(
    model: str | None = None,
    *,
    provider: str | None = None,
    api_key: str | None = None,
    fallback: Literal["fake"] | None = None,
    env: Mapping[str, str] | None = None,
) -> LLMPort:
    """Do `ModelRegistry.resolve` of the shared registry."""
    return registry().resolve(model, provider=provider, api_key=api_key, fallback=fallback, env=env)


def model_capabilities(model: str) -> ModelCapabilities:
    """Do `ModelRegistry.capabilities` of the shared registry."""
    return registry().capabilities(model)


def require_capabilities(
    model: str,
    requires: Iterable[str] = (),
    *,
    derived: Iterable[str] = (),
    min_context_window: int | None = None,
    on_unknown: OnUnknown = "warn",
    subject: str = "",
) -> None:
    """Do `ModelRegistry.check` of the shared registry."""
    registry().check(
        model,
        requires,
        derived=derived,
        min_context_window=min_context_window,
        on_unknown=on_unknown,
        subject=subject,
    )


def register_model(entry: ModelEntry) -> ModelRegistry:
    """Do `ModelRegistry.register_model` of the shared registry."""
    return registry().register_model(entry)


def register_provider(entry: ProviderEntry) -> ModelRegistry:
    """Do `ModelRegistry.register_provider` of the shared registry."""
    return registry().register_provider(entry)


def register_rule(rule: Rule) -> ModelRegistry:
    """Do `ModelRegistry.register_rule` of the shared registry."""
    return registry().register_rule(rule)
