"""What an import loads: core the standard library alone, models no HTTP library."""

import subprocess
import sys

import pytest

# `-I` keeps the environment and the folder out, so that only what is installed can be loaded.
LOADED_BY = """
import sys
before = set(sys.modules)
from importlib import import_module
import_module({module!r})
print(*(set(sys.modules) - before))
"""


def loaded_by(module: str) -> set[str]:
    run = [sys.executable, "-I", "-c", LOADED_BY.format(module=module)]
    return {name.partition(".")[0] for name in subprocess.check_output(run, text=True).split()}


@pytest.mark.parametrize(
    "module",
    [
        "agentkit.core",
        "agentkit.core.contracts.content",
        "agentkit.core.contracts.errors",
        "agentkit.core.contracts.llm",
        "agentkit.core.contracts.ports",
        "agentkit.core.execution",
        "agentkit.core.policies",
        "agentkit.core.runtime",
        "agentkit.core.serialization",
        "agentkit.core.start",
        "agentkit.core.telemetry",
        "agentkit.core.testing",
    ],
)
def test_core_loads_the_standard_library_alone(module: str) -> None:
    assert loaded_by(module) - sys.stdlib_module_names == {"agentkit"}


def test_models_loads_no_http_library() -> None:
    assert loaded_by("agentkit.models") - sys.stdlib_module_names == {"agentkit"}


def test_state_loads_the_standard_library_alone() -> None:
    assert loaded_by("agentkit.state.stores") - sys.stdlib_module_names == {"agentkit"}
