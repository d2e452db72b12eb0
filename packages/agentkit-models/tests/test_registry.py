"""The registry: what is known of a model's name, what is not, and what it takes to reach it."""

import asyncio
import sys
import traceback
from types import ModuleType
from typing import Any

import pytest

from agentkit.core.contracts.types import LLMResult
from agentkit.core.testing import FakeLLM
from agentkit.models import (
    CAPABILITY_NAMES,
    Capability,
    CapabilityMismatch,
    MissingProviderExtra,
    ModelCapabilities,
    ModelEntry,
    ModelRegistry,
    ProviderEntry,
    ProviderNotConfigured,
    RegistryError,
    UnknownModel,
    default_registry,
    model_capabilities,
    normalize_model_name,
    register_model,
    register_provider,
    register_rule,
    registry,
    require_capabilities,
    resolve_llm,
)
from agentkit.models.errors import ClientSettingError

CANARY = "sk-canary"


def make(*, api_key: str, model: str = "none") -> Any:
    return FakeLLM(f"{model} with {len(api_key)}")


@pytest.fixture
def models() -> ModelRegistry:
    """Give a registry with a provider whose client this module makes."""
    sys.modules["registry_clients"] = sys.modules[__name__]
    acme = ProviderEntry("acme", ("ACME_KEY", "ACME_TOKEN"), "registry_clients:make")
    return default_registry().register_provider(acme).register_model(ModelEntry("big", "acme"))


def content(llm: Any) -> str:
    result: LLMResult = asyncio.run(llm.complete(system="", user="hello", model="m"))
    return result.content


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("GPT-4o", ("gpt-4o",)),
        (
            "anthropic/claude-x-20250101",
            ("anthropic/claude-x-20250101", "claude-x-20250101", "anthropic/claude-x", "claude-x"),
        ),
        ("gpt-4o-mini-2024-07-18", ("gpt-4o-mini-2024-07-18", "gpt-4o-mini")),
        ("m-2024", ("m-2024",)),
    ],
)
def test_a_name_is_looked_for_in_all_its_forms(given: str, names: tuple[str, ...]) -> None:
    assert normalize_model_name(given) == names


def test_nothing_is_guessed_of_an_unregistered_model(models: ModelRegistry) -> None:
    known = models.capabilities("gpt-99")

    assert known.all_unknown
    assert known.context_window is None


def test_a_typo_in_a_capability_is_no_unknown_one() -> None:
    with pytest.raises(ValueError, match="no capability 'tool'"):
        ModelCapabilities().get("tool")


def test_every_capability_can_be_asked_for() -> None:
    assert {ModelCapabilities().get(name) for name in CAPABILITY_NAMES} == {Capability.UNKNOWN}


def test_a_row_replaces_the_row_of_its_name(models: ModelRegistry) -> None:
    models.register_model(ModelEntry("BIG", "openai"))

    assert models.provider_for("big") == "openai"


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("claude-sonnet-9", "anthropic"),
        ("anthropic/claude-sonnet-9", "anthropic"),
        ("gpt-99", "openai"),
        ("o3-mini", "openai"),
        ("deepseek-x", "deepseek"),
        ("gemini-9-flash", "gemini"),
        ("google/gemini-9-flash", "gemini"),
        ("meta-llama/llama-4", "openrouter"),
        ("acme-llm-v3", None),
    ],
)
def test_a_rule_finds_the_provider_of_a_family(model: str, provider: str | None) -> None:
    assert default_registry().provider_for(model) == provider


def test_the_latest_rule_is_asked_first_and_a_row_wins(models: ModelRegistry) -> None:
    models.register_rule(lambda name: "mine" if name.startswith(("gpt", "big")) else None)

    assert [models.provider_for(name) for name in ("gpt-99", "big")] == ["mine", "acme"]


@pytest.mark.parametrize("where", ["requires", "derived"])
@pytest.mark.parametrize("on_unknown", ["warn", "allow"])
def test_a_declared_no_is_fatal_whatever_the_policy(where: str, on_unknown: Any) -> None:
    how: dict[str, Any] = {where: ("tools",), "on_unknown": on_unknown, "subject": "sre"}

    with pytest.raises(CapabilityMismatch, match=r"^sre: model 'deepseek-reasoner' does not have"):
        default_registry().check("deepseek-reasoner", **how)


def test_an_unknown_capability_that_is_required_is_told() -> None:
    with pytest.warns(UserWarning, match="is UNKNOWN to have tools, which is not assumed present"):
        default_registry().check("acme-llm-v3", ("tools",))


def test_an_unknown_capability_can_be_refused_or_allowed() -> None:
    default_registry().check("acme-llm-v3", ("tools",), on_unknown="allow")

    with pytest.raises(CapabilityMismatch, match="UNKNOWN") as caught:
        default_registry().check("acme-llm-v3", ("tools",), on_unknown="refuse")
    assert caught.value.capabilities == ("tools",)


@pytest.mark.parametrize("on_unknown", ["warn", "refuse"])
def test_a_derived_requirement_is_quiet_about_the_unknown(on_unknown: Any) -> None:
    default_registry().check("acme-llm-v3", derived=("tools",), on_unknown=on_unknown)


def test_a_window_that_is_too_small_is_fatal() -> None:
    with pytest.raises(CapabilityMismatch, match="200001 tokens"):
        default_registry().check("claude-sonnet-4-6", min_context_window=200_001)


def test_a_window_that_is_unknown_is_up_to_the_policy() -> None:
    with pytest.raises(CapabilityMismatch, match="a context window of 1 tokens"):
        default_registry().check("acme-llm-v3", min_context_window=1, on_unknown="refuse")


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="on_unknown is one of"):
        default_registry().check("m", on_unknown="perhaps")  # type: ignore[arg-type]


@pytest.mark.parametrize("env", [{"ACME_KEY": CANARY}, {"ACME_KEY": "", "ACME_TOKEN": CANARY}])
def test_the_credential_comes_from_the_environment(
    models: ModelRegistry, env: dict[str, str]
) -> None:
    assert content(models.resolve("acme/big", env=env)) == "big with 9"


def test_a_credential_that_is_given_wins(models: ModelRegistry) -> None:
    assert content(models.resolve("big", api_key="k", env={"ACME_KEY": CANARY})) == "big with 1"


def test_a_provider_can_be_named(models: ModelRegistry) -> None:
    assert content(models.resolve("x", provider="acme", api_key="k")) == "x with 1"


def test_without_a_name_the_first_provider_with_a_credential_is_taken(
    models: ModelRegistry,
) -> None:
    assert content(models.resolve(env={"ACME_KEY": "k"})) == "none with 1"


@pytest.mark.parametrize("env", [{}, {"ACME_KEY": ""}])
def test_an_empty_credential_is_none(models: ModelRegistry, env: dict[str, str]) -> None:
    with pytest.raises(ProviderNotConfigured, match="set ACME_KEY or ACME_TOKEN"):
        models.resolve("big", api_key="", env=env)


def test_nothing_configured_at_all_names_what_was_looked_for(models: ModelRegistry) -> None:
    with pytest.raises(ProviderNotConfigured, match=r"none of ANTHROPIC_API_KEY, .* is set"):
        models.resolve(env={})


def test_no_message_of_a_missing_credential_shows_another(models: ModelRegistry) -> None:
    with pytest.raises(ProviderNotConfigured) as caught:
        models.resolve("big", env={"ANTHROPIC_API_KEY": CANARY})

    assert CANARY not in repr(caught.value) + repr(models) + str(models.describe())


def test_a_model_that_nobody_serves_is_unknown(models: ModelRegistry) -> None:
    with pytest.raises(UnknownModel, match="model 'acme-llm-v3' is not known"):
        models.resolve("acme-llm-v3", fallback="fake", env={})


def test_no_frame_of_a_failed_resolution_shows_a_credential() -> None:
    env = {"OPENAI_API_KEY": f"{CANARY}\n", "OTHER_KEY": CANARY}
    with pytest.raises(ClientSettingError, match="api_key holds") as caught:
        default_registry().resolve("gpt-4o", env=env)
    outer, *inner = traceback.walk_tb(caught.value.__traceback__)
    shown = traceback.StackSummary.extract(iter(inner), capture_locals=True)

    assert (outer[0].f_code.co_filename, CANARY in "".join(shown.format())) == (__file__, False)


def test_the_fallback_is_made_up_and_told_once(models: ModelRegistry) -> None:
    with pytest.warns(UserWarning, match="a FakeLLM makes the answers up") as told:
        assert isinstance(models.resolve("big", fallback="fake", env={}), FakeLLM)
    assert [warning.filename for warning in told] == [__file__]
    assert isinstance(models.resolve("big", fallback="fake", env={}), FakeLLM)


def test_there_is_no_other_fallback(models: ModelRegistry) -> None:
    with pytest.raises(ValueError, match="the only fallback is 'fake'"):
        models.resolve("big", fallback="gpt", env={})  # type: ignore[arg-type]


def test_a_missing_extra_is_not_absorbed_by_the_fallback(models: ModelRegistry) -> None:
    sys.modules["registry_clients_without"] = _Without("registry_clients_without")
    models.register_provider(ProviderEntry("acme", ("ACME_KEY",), "registry_clients_without:make"))

    with pytest.raises(MissingProviderExtra, match="http"):
        models.resolve("big", fallback="fake", env={})


class _Without(ModuleType):
    """The module of a client whose extra is not installed."""

    def __getattr__(self, name: str) -> Any:
        raise MissingProviderExtra("pip install 'agentkit-models[http]'", extra="http")


def test_a_factory_that_is_not_there_is_told(models: ModelRegistry) -> None:
    models.register_provider(ProviderEntry("acme", ("ACME_KEY",), "registry_clients:nothing"))

    with pytest.raises(RegistryError, match="there is no registry_clients:nothing"):
        models.resolve("big", api_key="k")


def test_a_factory_that_is_no_path_is_refused() -> None:
    with pytest.raises(ValueError, match="'module:attribute'"):
        ProviderEntry("acme", (), "make")


def test_a_built_in_provider_resolves_to_its_client() -> None:
    llm: Any = default_registry().resolve("openai/gpt-4o", env={"OPENAI_API_KEY": CANARY})

    assert (llm.provider, llm.model) == ("openai", "gpt-4o")


def test_the_functions_act_on_the_shared_registry(models: ModelRegistry) -> None:
    acme = models.provider_entry("acme")
    assert acme is not None
    register_provider(acme)
    register_model(ModelEntry("huge", "acme", ModelCapabilities(tools=Capability.YES)))
    register_rule(lambda name: "acme" if name == "tiny" else None)

    require_capabilities("huge", ("tools",))
    assert model_capabilities("huge").tools is Capability.YES
    assert content(resolve_llm("tiny", api_key="k")) == "tiny with 1"
    assert default_registry().provider_for("tiny") is None is not registry().provider_for("tiny")
