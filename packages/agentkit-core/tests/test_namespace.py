import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from agentkit.core._namespace import warn_if_regular

IMPORT_TWICE = "import sys; sys.path.insert(0, sys.argv[1]); import agentkit.core, agentkit.core"


def test_a_namespace_raises_no_warning() -> None:
    warn_if_regular(ModuleType("agentkit"))


def test_a_regular_package_is_named_by_its_file() -> None:
    foreign = ModuleType("agentkit")
    foreign.__file__ = "/elsewhere/agentkit/__init__.py"

    with pytest.warns(RuntimeWarning, match="/elsewhere/agentkit/__init__.py belongs to another"):
        warn_if_regular(foreign)


def test_importing_core_beside_a_foreign_package_warns_once(tmp_path: Path) -> None:
    core = Path(str(import_module("agentkit.core").__file__)).parent
    shutil.copytree(core, tmp_path / "agentkit" / "core")
    (tmp_path / "agentkit" / "__init__.py").touch()

    run = [sys.executable, "-I", "-c", IMPORT_TWICE, str(tmp_path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)

    assert done.stderr.count("belongs to another distribution") == 1
