"""Packages that load a module of theirs when they are first asked for something in it."""

import subprocess
import sys
from types import ModuleType

import pytest

from agentkit.core import execution, policies, runtime, serialization
from agentkit.core.contracts import ports, types

LOADED = "import sys, agentkit.core.{0} as package; {1}; print(*sys.modules)"

every_package = pytest.mark.parametrize(
    "package", [execution, policies, ports, runtime, serialization, types], ids=lambda p: p.__name__
)


def loaded_by(package: str, statement: str = "pass") -> list[str]:
    program = LOADED.format(package, statement)
    return subprocess.check_output([sys.executable, "-c", program], text=True).split()


def test_an_import_loads_no_module_that_nobody_asked_for() -> None:
    assert [
        name for name in loaded_by("runtime") if name.startswith("agentkit.core.runtime.")
    ] == []


def test_a_name_loads_its_module() -> None:
    assert "agentkit.core.runtime._quota" in loaded_by("runtime", "package.Quota")


@every_package
def test_a_package_lists_what_it_offers(package: ModuleType) -> None:
    assert set(package.__all__) <= set(dir(package))


@every_package
def test_a_name_is_the_same_each_time(package: ModuleType) -> None:
    assert [getattr(package, name) for name in package.__all__] == [
        vars(package)[name] for name in package.__all__
    ]


@every_package
def test_an_unknown_name_is_an_attribute_error(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"'{package.__name__}' has no attribute 'nothing'"):
        _ = package.nothing
