"""What a clause looks like, and what the plugin may load."""

import ast
import inspect
import subprocess
import sys
import textwrap

import pytest

from agentkit.testing import Clause, Suite
from agentkit.testing.suites import clause_of

from .the_suites import SUITES

pytest_plugins = ["pytester"]

CLAUSES = {id_: clause for suite in SUITES for id_, clause in suite.clauses.items()}

each_clause = pytest.mark.parametrize("clause", CLAUSES.values(), ids=list(CLAUSES))


def body_of(clause: Clause) -> list[str]:
    """Give the lines of a clause's body that are not blank."""
    source = textwrap.dedent(inspect.getsource(clause.body))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.AsyncFunctionDef)
    lines = source.splitlines()[function.body[0].lineno - 1 :]
    return [line for line in lines if line.strip()]


@each_clause
def test_a_clause_has_eight_lines_at_most(clause: Clause) -> None:
    assert len(body_of(clause)) <= 8


@each_clause
def test_a_clause_waits_for_nothing_but_a_turn(clause: Clause) -> None:
    told = "".join(body_of(clause)).replace("sleep(0)", "").replace("clock.sleep(", "")

    assert "sleep(" not in told


@pytest.mark.parametrize("suite", SUITES)
def test_the_clauses_of_an_area_are_counted_without_a_gap(suite: type[Suite]) -> None:
    areas = {clause.area for clause in suite.clauses.values()}

    for area in areas:
        ids = sorted(id_ for id_ in suite.clauses if id_.rpartition("-")[0] == area)
        assert ids == [f"{area}-{n:02}" for n in range(1, len(ids) + 1)]


def test_what_is_no_clause_is_told_apart() -> None:
    assert clause_of(len) is None


def test_the_plugin_loads_nothing_else_of_agentkit() -> None:
    code = (
        "import sys, agentkit.testing.plugin; print(*[m for m in sys.modules if 'agentkit.' in m])"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()

    assert set(loaded) - {"agentkit.testing", "agentkit.testing.plugin"} == set()


def test_a_session_without_clauses_loads_no_suite(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import sys\ndef test_it():\n    assert 'agentkit.testing.suites' not in sys.modules"
    )

    assert pytester.runpytest_subprocess().ret == 0


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        __import__("agentkit.testing", fromlist=["x"]).absent  # noqa: B018
