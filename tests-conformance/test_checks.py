"""The checks of this repository fail when they should, and are run where it says so."""

from collections.abc import Callable
from pathlib import Path

import acceptance
import declared_imports
import pytest
from workspace import ROOT, Distribution

RUN_PY = "import sys; sys.exit(sys.argv[1] in {failing!r})"
PYPROJECT = """\
[project]
name = "acme-agents"
dependencies = [{dependencies}]
[dependency-groups]
test = ["pytest"]
"""


@pytest.fixture
def samples(tmp_path: Path) -> Callable[..., str]:
    def make(*names: str, failing: str = "") -> str:
        for name in names:
            (tmp_path / f"{name}_sample.py").touch()
        (tmp_path / "run.py").write_text(RUN_PY.format(failing=[failing]))
        return str(tmp_path)

    return make


@pytest.fixture
def differences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., int]:
    def count(*, dependencies: str, source: str) -> int:
        (tmp_path / "src").mkdir()
        (tmp_path / "src" / "acme.py").write_text(source)
        (tmp_path / "pyproject.toml").write_text(PYPROJECT.format(dependencies=dependencies))
        monkeypatch.setattr(declared_imports, "ROOT", tmp_path)
        monkeypatch.setattr(
            declared_imports, "DISTRIBUTIONS", {"acme-agents": Distribution(tmp_path)}
        )
        return declared_imports.main()

    return count


def test_samples_that_all_pass_are_a_success(samples: Callable[..., str]) -> None:
    assert acceptance.main(samples("k1", "a10")) == 0


def test_a_sample_that_fails_is_a_failure(
    samples: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert acceptance.main(samples("k1", "a10", failing="a10")) == 1
    assert "failed: a10" in capsys.readouterr().out


def test_no_samples_are_a_failure(samples: Callable[..., str]) -> None:
    assert acceptance.main(samples()) == 1


def test_imports_that_equal_what_is_declared_pass(differences: Callable[..., int]) -> None:
    assert differences(dependencies='"packaging"', source="import packaging.tags, json") == 0


def test_an_import_that_is_not_declared_is_found(differences: Callable[..., int]) -> None:
    assert differences(dependencies="", source="def f(): import packaging") == 1


def test_a_requirement_that_is_not_imported_is_found(differences: Callable[..., int]) -> None:
    assert differences(dependencies='"packaging"', source="import json") == 1


def test_an_import_by_name_counts(differences: Callable[..., int]) -> None:
    source = "import importlib\nimportlib.import_module('packaging.tags')"

    assert differences(dependencies='"packaging"', source=source) == 0


@pytest.mark.parametrize("last", ["examples/quickstart.py", "--group dev nox"])
def test_the_readme_has_its_two_commands(last: str) -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()

    assert sum(line.endswith(f".uv/bin/uv run {last}") for line in lines) == 1


def test_ci_runs_the_readme_s_test_command() -> None:
    *_, command = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()

    assert command in (ROOT / "README.md").read_text("utf-8").splitlines()
    assert ".ci/run" in (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
