"""What a wheel holds: the leaves with their marks, the licence, and nothing else."""

import zipfile

import pytest
from workspace import DISTRIBUTIONS, WHEELS, Distribution

pytestmark = pytest.mark.skipif(
    not list(WHEELS.glob("*.whl")), reason="no wheels here: the session `build` makes them"
)
each_distribution = pytest.mark.parametrize(
    "distribution", DISTRIBUTIONS.values(), ids=list(DISTRIBUTIONS)
)


def held(distribution: Distribution) -> list[str]:
    with zipfile.ZipFile(distribution.wheel) as wheel:
        return wheel.namelist()


def dist_info(distribution: Distribution) -> str:
    return f"{distribution.name.replace('-', '_')}-{distribution.version}.dist-info/"


@each_distribution
def test_a_wheel_says_that_each_leaf_is_typed(distribution: Distribution) -> None:
    marks = {f"{leaf.replace('.', '/')}/py.typed" for leaf in distribution.leaves}

    assert marks <= set(held(distribution))


@each_distribution
def test_a_wheel_carries_its_licence(distribution: Distribution) -> None:
    assert f"{dist_info(distribution)}licenses/LICENSE" in held(distribution)


@each_distribution
def test_a_wheel_holds_its_leaves_and_nothing_else(distribution: Distribution) -> None:
    homes = tuple(f"{leaf.replace('.', '/')}/" for leaf in distribution.leaves)
    expected = (*homes, dist_info(distribution))

    assert [name for name in held(distribution) if not name.startswith(expected)] == []
