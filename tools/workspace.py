"""The distributions under packages/, as their pyproject files describe them."""

import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

__all__ = ["DISTRIBUTIONS", "ROOT", "WHEELS", "Distribution", "floor_version", "to_install"]

ROOT = Path(__file__).resolve().parents[1]
WHEELS = ROOT / "dist"


@dataclass(frozen=True)
class Distribution:
    """One member of the workspace; *folder* holds its pyproject."""

    folder: Path

    @cached_property
    def pyproject(self) -> dict[str, Any]:
        """What its pyproject says."""
        return tomllib.loads((self.folder / "pyproject.toml").read_text("utf-8"))

    @cached_property
    def project(self) -> dict[str, Any]:
        """The [project] table."""
        table: dict[str, Any] = self.pyproject["project"]
        return table

    @property
    def name(self) -> str:
        """Its name, as a requirement spells it."""
        return canonicalize_name(self.project["name"])

    @property
    def version(self) -> str:
        """Its version in this tree."""
        return str(self.project["version"])

    @property
    def source(self) -> Path:
        """The folder that goes on the path."""
        return self.folder / "src"

    @property
    def tests(self) -> Path:
        """Where its own tests are."""
        return self.folder / "tests"

    @property
    def extras(self) -> list[str]:
        """The extras it offers."""
        return list(self.project.get("optional-dependencies", {}))

    @property
    def itself(self) -> Requirement:
        """A requirement on it with every extra."""
        return Requirement(f"{self.name}[{','.join(self.extras)}]")

    @property
    def editable(self) -> str:
        """The same as an argument that installs it from this tree."""
        return f"--editable={self.folder}{str(self.itself).removeprefix(self.name)}"

    @property
    def test_group(self) -> list[Requirement]:
        """What its tests need besides."""
        groups = self.pyproject.get("dependency-groups", {})
        return [Requirement(line) for line in groups.get("test", [])]

    @cached_property
    def leaves(self) -> list[str]:
        """The import names it ships: each regular package whose parent is a namespace."""
        packages = {init.parent for init in self.source.rglob("__init__.py")}
        tops = sorted(package for package in packages if package.parent not in packages)
        return [".".join(top.relative_to(self.source).parts) for top in tops]

    @property
    def wheel(self) -> Path:
        """The wheel that the build session made."""
        return _wheel_in(WHEELS, self.name, self.version)

    def requirements(self, extras: Iterable[str]) -> list[Requirement]:
        """What it declares for itself and for *extras*."""
        optional = self.project.get("optional-dependencies", {})
        lines = [*self.project.get("dependencies", [])]
        lines += [line for extra in sorted(extras) for line in optional[extra]]
        return [Requirement(line) for line in lines]


DISTRIBUTIONS = {
    member.name: member
    for member in (Distribution(p.parent) for p in sorted(ROOT.glob("packages/*/pyproject.toml")))
}


def to_install(*wanted: Requirement, oldest: Iterable[Requirement] = ()) -> list[str]:
    """Give the lines that install *wanted*: ours as wheels by path, the rest as written.

    By path, so that no name of an index can stand in for one of ours. For what *oldest*
    requires of ours, the wheel is that of the lowest version it allows.
    """
    floors = {r.name: _floor_wheel(r) for r in oldest if r.name in DISTRIBUTIONS}
    lines = [str(r) for r in wanted if r.name not in DISTRIBUTIONS]
    for name, extras in _ours(wanted).items():
        wheel = floors.get(name) or DISTRIBUTIONS[name].wheel
        lines.append(str(Requirement(f"{name}[{','.join(extras)}] @ {wheel.as_uri()}")))
    return lines


def floor_version(requirement: Requirement) -> str:
    """Give the lowest version that *requirement* on one of ours allows, in full."""
    [floor] = [s.version for s in requirement.specifier if s.operator == ">="]
    return ".".join([*floor.split("."), "0", "0"][:3])


def _ours(wanted: Iterable[Requirement]) -> dict[str, set[str]]:
    extras: dict[str, set[str]] = {}
    for requirement in _siblings(wanted):
        extras.setdefault(requirement.name, set()).update(requirement.extras)
    return extras


def _siblings(wanted: Iterable[Requirement]) -> Iterator[Requirement]:
    for requirement in wanted:
        if requirement.name in DISTRIBUTIONS:
            yield requirement
            distribution = DISTRIBUTIONS[requirement.name]
            yield from _siblings(distribution.requirements(requirement.extras))


def _wheel_in(folder: Path, name: str, version: str) -> Path:
    [wheel] = folder.glob(f"{name.replace('-', '_')}-{version}-*.whl")
    return wheel


def _floor_wheel(requirement: Requirement) -> Path:
    current = DISTRIBUTIONS[requirement.name]
    version = floor_version(requirement)
    if version == current.version:
        return current.wheel
    return _released_wheel(current, version)


def _released_wheel(distribution: Distribution, version: str) -> Path:
    """Build the wheel of a release from its tag."""
    tag, member = f"{distribution.name}-v{version}", distribution.folder.relative_to(ROOT)
    tree = ROOT / ".nox" / "released" / tag
    tree.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(
        ["git", "archive", tag, str(member)], cwd=ROOT, check=True, capture_output=True
    ).stdout
    subprocess.run(["tar", "x", "-C", str(tree)], input=archive, check=True)
    build = ["uv", "build", "--quiet", "--wheel", str(tree / member), "--out-dir", str(tree)]
    subprocess.run(build, check=True)
    return _wheel_in(tree, distribution.name, version)
