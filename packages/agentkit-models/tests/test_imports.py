"""What importing costs, and what it says when the extra is missing."""

import subprocess
import sys
from importlib import import_module

import pytest


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "module",
    ["agentkit.models", "agentkit.models.providers.pricing", "agentkit.models.codecs"],
)
def test_importing_what_needs_no_http_loads_no_httpx(module: str) -> None:
    assert run(f"import sys, {module}; print('httpx' in sys.modules)") == "False\n"


def test_importing_models_loads_no_event_loop() -> None:
    assert run("import sys, agentkit.models; print('asyncio' in sys.modules)") == "False\n"


def test_naming_a_client_without_httpx_names_the_extra() -> None:
    said = run(
        "import sys; sys.modules['httpx'] = None\n"
        "import agentkit.models.providers.pricing\n"
        "from agentkit.models import MissingProviderExtra\n"
        "try:\n    from agentkit.models.providers import openai\n"
        "except ImportError as exc:\n    print(type(exc) is MissingProviderExtra, exc.extra, exc)"
    )

    assert said.startswith("True http a provider's client needs httpx: pip install")


@pytest.mark.parametrize("name", ["agentkit.models", "agentkit.models.providers"])
def test_every_name_is_listed_and_nothing_else_is_there(name: str) -> None:
    module = import_module(name)

    assert set(module.__all__) <= set(dir(module))
    assert all(hasattr(module, offered) for offered in module.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nobody'"):
        _ = module.nobody


def test_the_neutral_contract_has_its_name_here() -> None:
    from agentkit.core.contracts.types import ModelUsage  # noqa: PLC0415
    from agentkit.models.contracts.types import Usage  # noqa: PLC0415

    assert Usage is ModelUsage
