"""What every member of the workspace has and says, and how the root knows of it."""

import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from workspace import DISTRIBUTIONS, ROOT, Distribution

ROOT_PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

each_member = pytest.mark.parametrize("member", DISTRIBUTIONS.values(), ids=list(DISTRIBUTIONS))


def siblings(member: Distribution) -> list[Requirement]:
    return [r for r in member.requirements(member.extras) if r.name in DISTRIBUTIONS]


def bounds(requirement: Requirement) -> dict[str, str]:
    return {s.operator: s.version for s in requirement.specifier}


def next_breaking(version: str) -> str:
    major, minor, *_ = (int(part) for part in version.split("."))
    return f"0.{minor + 1}" if major == 0 else str(major + 1)


@each_member
def test_a_member_carries_the_licence_of_the_root(member: Distribution) -> None:
    assert (member.folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@each_member
@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md"])
def test_a_member_says_what_it_is_and_what_changed(member: Distribution, name: str) -> None:
    assert member.name in (member.folder / name).read_text("utf-8")


@each_member
def test_a_member_has_tests_of_its_own(member: Distribution) -> None:
    assert list(member.tests.rglob("test_*.py"))


@each_member
def test_the_changelog_knows_the_version(member: Distribution) -> None:
    assert f"## {member.version}" in (member.folder / "CHANGELOG.md").read_text("utf-8")


@each_member
def test_a_folder_is_named_as_its_distribution(member: Distribution) -> None:
    assert member.folder.name == member.name


@each_member
def test_only_core_stands_without_core(member: Distribution) -> None:
    names = {requirement.name for requirement in siblings(member)}

    assert ("agentkit-core" in names) is (member.name != "agentkit-core")


@each_member
def test_a_sibling_is_required_up_to_its_next_breaking_version(member: Distribution) -> None:
    for sibling in siblings(member):
        current = DISTRIBUTIONS[sibling.name].version

        assert bounds(sibling).keys() == {">=", "<"}
        assert bounds(sibling)["<"] == next_breaking(current)
        assert sibling.specifier.contains(current)


@each_member
def test_no_member_replaces_a_tool_table_of_the_root(member: Distribution) -> None:
    assert member.pyproject["tool"].keys() <= {"hatch", "uv"}


@each_member
def test_the_development_environment_has_the_member(member: Distribution) -> None:
    lines = ROOT_PYPROJECT["project"]["dependencies"] + ROOT_PYPROJECT["dependency-groups"]["dev"]

    assert member.name in {Requirement(line).name for line in lines}


@each_member
def test_the_map_of_distributions_names_the_member(member: Distribution) -> None:
    assert f"packages/{member.name}/README.md" in (ROOT / "README.md").read_text("utf-8")
