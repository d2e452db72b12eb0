"""The namespaces stay namespaces, and the distributions do not overlap."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from workspace import DISTRIBUTIONS, ROOT, Distribution

NAMESPACES = {"agentkit", "agentkit/state"}

each_distribution = pytest.mark.parametrize(
    "distribution", DISTRIBUTIONS.values(), ids=list(DISTRIBUTIONS)
)


def files(distribution: Distribution) -> set[str]:
    source = distribution.source
    found = (path for path in source.rglob("*") if path.is_file())
    return {p.relative_to(source).as_posix() for p in found if "__pycache__" not in p.parts}


def leaf_folders(distribution: Distribution) -> set[str]:
    return {leaf.replace(".", "/") for leaf in distribution.leaves}


@each_distribution
def test_nothing_is_shipped_in_a_namespace_itself(distribution: Distribution) -> None:
    parents = {Path(name).parent.as_posix() for name in files(distribution)}

    assert parents & {".", *NAMESPACES} == set()


@each_distribution
def test_a_leaf_stands_right_in_a_namespace(distribution: Distribution) -> None:
    parents = {Path(folder).parent.as_posix() for folder in leaf_folders(distribution)}

    assert parents
    assert parents <= NAMESPACES


@each_distribution
def test_each_leaf_is_typed_and_nothing_else_says_so(distribution: Distribution) -> None:
    marks = {name for name in files(distribution) if name.endswith("py.typed")}

    assert marks == {f"{folder}/py.typed" for folder in leaf_folders(distribution)}


@each_distribution
def test_every_source_belongs_to_a_leaf(distribution: Distribution) -> None:
    leaves = leaf_folders(distribution)
    sources = [Path(name) for name in files(distribution)]

    assert [p for p in sources if not leaves & {q.as_posix() for q in p.parents}] == []


def test_no_file_is_shipped_by_two_distributions() -> None:
    owners = Counter(name for d in DISTRIBUTIONS.values() for name in files(d))

    assert [name for name, count in owners.items() if count > 1] == []


def test_the_lock_file_is_not_tracked() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "--error-unmatch", "uv.lock"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )

    assert tracked.returncode != 0
