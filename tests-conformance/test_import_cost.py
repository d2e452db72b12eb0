"""What an import loads: without extras nothing but what the distribution declares."""

import pkgutil
import subprocess
import sys

import pytest
from workspace import DISTRIBUTIONS

import agentkit.core

# `-I` keeps the environment and the folder out, so that only what is installed can be loaded.
LOADED_BY = """
import sys
before = set(sys.modules)
from importlib import import_module
import_module({module!r})
print(*(set(sys.modules) - before))
"""
CORE = [f"agentkit.core.{found.name}" for found in pkgutil.iter_modules(agentkit.core.__path__)]
LIGHT = [
    leaf
    for distribution in DISTRIBUTIONS.values()
    if all(requirement.name in DISTRIBUTIONS for requirement in distribution.requirements(()))
    for leaf in distribution.leaves
]


@pytest.mark.parametrize("module", sorted({*CORE, *LIGHT}))
def test_what_requires_only_agentkit_loads_the_standard_library_alone(module: str) -> None:
    run = [sys.executable, "-I", "-c", LOADED_BY.format(module=module)]
    loaded = subprocess.check_output(run, text=True).split()

    assert {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names == {"agentkit"}
