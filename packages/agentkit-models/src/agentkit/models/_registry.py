"""What is known of models by their names: who serves them and what they can do."""

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib import import_module
from typing import Any, Literal, Self

from agentkit.core.contracts.ports import LLMPort
from agentkit.models._capabilities import Capability, ModelCapabilities
from agentkit.models._entries import (
    BUILT_IN_MODELS,
    BUILT_IN_PROVIDERS,
    BUILT_IN_RULES,
    ModelEntry,
    ProviderEntry,
    Rule,
)
from agentkit.models._names import normalize_model_name
from agentkit.models._outer_frames import OuterFrames
from agentkit.models.errors import (
    CapabilityMismatch,
    ProviderNotConfigured,
    RegistryError,
    UnknownModel,
)

__all__ = ["ModelRegistry", "OnUnknown", "default_registry"]

OnUnknown = Literal["warn", "refuse", "allow"]
"""What to do about a required capability that nothing is known of."""

_POLICIES = ("warn", "refuse", "allow")


class ModelRegistry:
    """Rows of models and providers, and rules for the models that have no row.

    A row wins over every rule. Of the rules the latest is asked first, with every form of the name,
    before the next. What is registered replaces what has the same name.
    """

    def __init__(self) -> None:
        self._models: dict[str, ModelEntry] = {}
        self._providers: dict[str, ProviderEntry] = {}
        self._rules: list[Rule] = []
        self._has_told_of_fake = False

    def register_model(self, entry: ModelEntry) -> Self:
        """Add the row of a model, and give the registry."""
        self._models[entry.name.lower()] = entry
        return self

    def register_provider(self, entry: ProviderEntry) -> Self:
        """Add the row of a provider, and give the registry."""
        self._providers[entry.name] = entry
        return self

    def register_rule(self, rule: Rule) -> Self:
        """Add a rule, to be asked before the others, and give the registry."""
        self._rules.append(rule)
        return self

    def entry_for(self, model: str) -> ModelEntry | None:
        """Give the row of *model*, also by its name without prefix and date, or None."""
        for name in normalize_model_name(model):
            if name in self._models:
                return self._models[name]
        return None

    def provider_for(self, model: str) -> str | None:
        """Give the name of the provider that serves *model*, or None."""
        if (entry := self.entry_for(model)) is not None:
            return entry.provider
        names = normalize_model_name(model)
        answers = (rule(name) for rule in reversed(self._rules) for name in names)
        return next((answer for answer in answers if answer is not None), None)

    def provider_entry(self, provider: str) -> ProviderEntry | None:
        """Give the row of *provider*, or None."""
        return self._providers.get(provider)

    def capabilities(self, model: str) -> ModelCapabilities:
        """Give what *model* declares; all unknown where it has no row."""
        entry = self.entry_for(model)
        return ModelCapabilities() if entry is None else entry.capabilities

    def describe(self) -> dict[str, Any]:
        """Give all rows as JSON; there is no credential in them."""
        return {
            "models": [asdict(entry) for entry in self._models.values()],
            "providers": [asdict(entry) for entry in self._providers.values()],
        }

    def check(
        self,
        model: str,
        requires: Iterable[str] = (),
        *,
        derived: Iterable[str] = (),
        min_context_window: int | None = None,
        on_unknown: OnUnknown = "warn",
        subject: str = "",
    ) -> None:
        """Return if *model* can do what is required of it, as far as that is known.

        *requires* is what the caller declared, *derived* what its wiring implies. A declared NO is
        fatal in both. What is unknown is up to *on_unknown*, for *requires* and the window only.

        Raises:
            CapabilityMismatch: It cannot, or it is unknown and *on_unknown* is `refuse`.
            ValueError: There is no such capability or policy.

        """
        if on_unknown not in _POLICIES:
            raise ValueError(f"on_unknown is one of {_POLICIES}; got {on_unknown!r}")
        wanted, implied = tuple(requires), tuple(derived)
        known = self.capabilities(model)
        lacking = [n for n in dict.fromkeys(wanted + implied) if known.get(n) is Capability.NO]
        unknown = [name for name in wanted if known.get(name) is Capability.UNKNOWN]
        if min_context_window is not None:
            window = f"a context window of {min_context_window} tokens"
            if known.context_window is None:
                unknown.append(window)
            elif known.context_window < min_context_window:
                lacking.append(f"{window} (it has {known.context_window})")
        about = f"{subject}: " if subject else ""
        if lacking:
            what = f"{about}model {model!r} does not have {', '.join(lacking)}"
            raise CapabilityMismatch(what, model=model, capabilities=tuple(lacking))
        if not unknown or on_unknown == "allow":
            return
        what = (
            f"{about}model {model!r} is UNKNOWN to have {', '.join(unknown)}, which is not "
            "assumed present; register_model() says what it has"
        )
        if on_unknown == "refuse":
            raise CapabilityMismatch(what, model=model, capabilities=tuple(unknown))
        warnings.warn(what, stacklevel=2)

    @OuterFrames()
    def resolve(
        self,
        model: str | None = None,
        *,
        provider: str | None = None,
        api_key: str | None = None,
        fallback: Literal["fake"] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> LLMPort:
        """Give a client of *model*, with the credential given or in the environment.

        Without *model* and *provider* it is the first provider whose credential is there. An empty
        credential is none. With *fallback* `fake` a missing credential gives a model that makes its
        answers up, and a warning, once.

        Raises:
            UnknownModel: Nobody is known to serve the model.
            ProviderNotConfigured: There is no credential.
            MissingProviderExtra: The client's extra is not installed; no fallback hides that.
            ValueError: There is no such fallback.

        """
        if fallback not in {None, "fake"}:
            raise ValueError(f"the only fallback is 'fake'; got {fallback!r}")
        env = os.environ if env is None else env
        entry = self._provider_of(model, provider, env)
        key = api_key or _credential(entry, env)
        if not key and fallback is None:
            raise ProviderNotConfigured(
                f"provider {entry.name!r} is not configured: set {' or '.join(entry.env_vars)}, "
                "or pass api_key=",
                provider=entry.name,
                env_vars=entry.env_vars,
            )
        factory = _load(entry)
        if not key:
            return self._fake(entry)
        name = (model or entry.default_model or "").removeprefix(f"{entry.name}/")
        kwargs = {"model": name} if name and entry.accepts_model_kwarg else {}
        client: LLMPort = factory(api_key=key, **kwargs)
        return client

    def _provider_of(
        self, model: str | None, provider: str | None, env: Mapping[str, str]
    ) -> ProviderEntry:
        if model is None and provider is None:
            return self._first_configured(env)
        name = provider or self.provider_for(model or "")
        entry = self._providers.get(name or "")
        if entry is None:
            what = f"provider {name!r}" if name else f"model {model!r}"
            raise UnknownModel(
                f"{what} is not known; register_model(), register_rule() or register_provider() "
                "says who serves it",
                model=model or "",
            )
        return entry

    def _first_configured(self, env: Mapping[str, str]) -> ProviderEntry:
        for entry in self._providers.values():
            if _credential(entry, env):
                return entry
        names = tuple(name for entry in self._providers.values() for name in entry.env_vars)
        raise ProviderNotConfigured(
            f"no provider is configured: none of {', '.join(names)} is set", env_vars=names
        )

    def _fake(self, entry: ProviderEntry) -> LLMPort:
        from agentkit.core.testing import FakeLLM  # noqa: PLC0415 - only where it was asked for

        if not self._has_told_of_fake:
            self._has_told_of_fake = True
            warnings.warn(
                f"provider {entry.name!r} is not configured: a FakeLLM makes the answers up",
                stacklevel=4,
            )
        return FakeLLM()


def default_registry() -> ModelRegistry:
    """Give a new registry with the rows and rules that agentkit comes with."""
    registry = ModelRegistry()
    for provider in BUILT_IN_PROVIDERS:
        registry.register_provider(provider)
    for model in BUILT_IN_MODELS:
        registry.register_model(model)
    for rule in BUILT_IN_RULES:
        registry.register_rule(rule)
    return registry


def _credential(entry: ProviderEntry, env: Mapping[str, str]) -> str:
    return next((env[name] for name in entry.env_vars if env.get(name)), "")


def _load(entry: ProviderEntry) -> Any:
    module, _, attribute = entry.factory.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except AttributeError:
        raise RegistryError(
            f"provider {entry.name!r} has no client: there is no {entry.factory}"
        ) from None
