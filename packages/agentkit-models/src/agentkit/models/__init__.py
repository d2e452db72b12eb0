"""Model clients, the registry that picks one, and what they cost.

Importing it loads no driver: the clients in `providers` need the extra `http`, this does not.
"""

from typing import TYPE_CHECKING

from agentkit.models import _on_demand

if TYPE_CHECKING:
    from agentkit.models._callable import CallableLLM
    from agentkit.models._capabilities import CAPABILITY_NAMES, Capability, ModelCapabilities
    from agentkit.models._entries import ModelEntry, ProviderEntry
    from agentkit.models._names import normalize_model_name
    from agentkit.models._registry import ModelRegistry, default_registry
    from agentkit.models._shared_registry import (
        model_capabilities,
        register_model,
        register_provider,
        register_rule,
        registry,
        require_capabilities,
        resolve_llm,
    )
    from agentkit.models.errors import (
        CapabilityMismatch,
        ClientSettingError,
        MissingProviderExtra,
        ProviderNotConfigured,
        RegistryError,
        UnknownModel,
    )
else:
    __getattr__, __dir__ = _on_demand.names(
        __name__,
        _callable="CallableLLM",
        _capabilities="CAPABILITY_NAMES Capability ModelCapabilities",
        _entries="ModelEntry ProviderEntry",
        _names="normalize_model_name",
        _registry="ModelRegistry default_registry",
        _shared_registry="model_capabilities register_model register_provider register_rule"
        " registry require_capabilities resolve_llm",
        errors="CapabilityMismatch ClientSettingError MissingProviderExtra ProviderNotConfigured"
        " RegistryError UnknownModel",
    )

__all__ = [
    "CAPABILITY_NAMES",
    "CallableLLM",
    "Capability",
    "CapabilityMismatch",
    "ClientSettingError",
    "MissingProviderExtra",
    "ModelCapabilities",
    "ModelEntry",
    "ModelRegistry",
    "ProviderEntry",
    "ProviderNotConfigured",
    "RegistryError",
    "UnknownModel",
    "default_registry",
    "model_capabilities",
    "normalize_model_name",
    "register_model",
    "register_provider",
    "register_rule",
    "registry",
    "require_capabilities",
    "resolve_llm",
]
