"""Change core a little at a time, and list the changes that no test notices.

`python tools/mutation.py FOLDER [AREA...]` works in *FOLDER*, on the areas contracts, execution and
runtime unless told, and goes on where it was interrupted. docs/mutation.md explains what is left.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from workspace import ROOT

AREAS = ("contracts", "execution", "runtime")
CORE = ROOT / "packages" / "agentkit-core"
WORKERS = max(1, (os.cpu_count() or 2) // 2)
# mutmut's codes for: the tests pass, there are none; they take too long, which is to notice it.
QUIET, SLOW = {0, 5, 33}, {-24, -9, 24, 36}
# The test asks processes of its own, which would need core to be installed, about imports alone.
LEFT_OUT = ("__pycache__", ".mypy_cache", "test_on_demand.py")
# What mutmut puts around a function is one more line that asks.
DESELECTED = "tests/runtime/test_invoker.py::test_a_warning_is_about_the_line_that_asks"
# It has no code, and the methods that mutmut adds to a class would count as members of it.
PROTOCOL = re.compile(r"^class .*\(.*Protocol.*:$", re.MULTILINE)
SETTINGS = """
[tool.mutmut]
source_paths = ["src/agentkit/core"]
only_mutate = ["src/agentkit/core/{area}/*"]
also_copy = ["src"]
pytest_add_cli_args_test_selection = ["tests"]
timeout_multiplier = 5.0

[tool.pytest]
addopts = [
  "--import-mode=importlib", "-p", "no:cacheprovider", "--hypothesis-profile=ci",
  "--deselect={deselected}",
]
consider_namespace_packages = true
pythonpath = ["src"]
filterwarnings = ["error"]
"""


def main(folder: Path, areas: list[str]) -> None:
    """Print what survives in each of *areas*."""
    for area in areas:
        place = _prepared(folder / area, area)
        _mutmut(place, "run", f"--max-children={WORKERS}")
        _report(place, area)


def _prepared(place: Path, area: str) -> Path:
    """Give a copy of core and its tests, with settings of its own."""
    for part in ("src", "tests"):
        shutil.rmtree(place / part, ignore_errors=True)
        shutil.copytree(CORE / part, place / part, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for module in (place / "src").rglob("*.py"):
        code = module.read_text("utf-8")
        module.write_text(PROTOCOL.sub(r"\g<0>  # pragma: no mutate block", code), "utf-8")
    settings = SETTINGS.format(area=area, deselected=DESELECTED)
    (place / "pyproject.toml").write_text(settings, "utf-8")
    return place


def _report(place: Path, area: str) -> None:
    outcomes = dict(_outcomes(place))
    alive = [mutant for mutant, code in outcomes.items() if code in QUIET]
    slow = sum(code in SLOW for code in outcomes.values())
    for mutant in alive:
        print(_mutmut(place, "show", mutant))
    print(f"{area}: {len(outcomes)} changes, {len(alive)} survive, {slow} took too long")


def _outcomes(place: Path) -> Iterator[tuple[str, int | None]]:
    """Give every mutant with the exit code of its tests."""
    for meta in sorted((place / "mutants").rglob("*.meta")):
        yield from json.loads(meta.read_text("utf-8"))["exit_code_by_key"].items()


def _mutmut(place: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "mutmut", *arguments]
    done = subprocess.run(command, cwd=place, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout[-2000:] + done.stderr[-2000:])
    return done.stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(AREAS))
