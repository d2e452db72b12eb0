"""The plugin, run on small projects of its own."""

import pytest

from .boxes import BROKEN, HONEST, SUITE, box, certificates

pytest_plugins = ["pytester"]


def test_an_honest_adapter_keeps_its_port(project: pytest.Pytester) -> None:
    project.makepyfile(test_box=HONEST)

    result = project.runpytest()

    result.stdout.fnmatch_lines(
        ["HonestBox  keeps BoxPort 1.0: 4 clauses, lacks ttl, 1 unexercised (no break_connection)"]
    )
    assert result.ret == 0


def test_a_clause_is_found_by_its_id(project: pytest.Pytester) -> None:
    project.makepyfile(test_box=HONEST)

    project.runpytest("-k", "BOX-GET-01").assert_outcomes(passed=1, deselected=4)


def test_a_wrong_adapter_fails(project: pytest.Pytester) -> None:
    body = "class Own(Box):\n    async def put(self, value): pass"
    project.makepyfile(test_box=box("lacks={Feature.TTL}", body=body))

    result = project.runpytest("--conformance-report=out.json")

    result.stdout.fnmatch_lines(["OwnBox  FAILS BoxPort 1.0: 1 of 5 clauses (BOX-GET-02)"])
    assert (result.ret, certificates(project)[0]["verdict"]) == (1, "fails")


def test_a_failure_shows_values_and_the_clause_and_no_event_loop(project: pytest.Pytester) -> None:
    body = "class Own(Box):\n    async def put(self, value): 1 / 0"
    project.makepyfile(test_box=box("lacks={Feature.TTL}", body=body))

    shown = project.runpytest().stdout.str()

    assert "BOX-GET-02: what was put is given" in shown
    assert "ZeroDivisionError" in shown
    assert not [word for word in ("asyncio", "run_until_complete", "_judging") if word in shown]


def test_an_unrefused_lack_fails(project: pytest.Pytester) -> None:
    body = "class Own(Box):\n    async def expire(self): self.value = None"
    project.makepyfile(test_box=box("lacks={Feature.TTL}", body=body))

    result = project.runpytest()

    result.stdout.fnmatch_lines(
        ["*an adapter that lacks ttl must refuse it with NotImplementedError*"]
    )
    result.assert_outcomes(passed=2, failed=2, skipped=1)


def test_a_refusal_may_be_every_leaf_of_a_group(project: pytest.Pytester) -> None:
    body = (
        "class Own(Box):\n    async def expire(self):\n"
        "        raise ExceptionGroup('two', [NotImplementedError(), NotImplementedError()])"
    )
    project.makepyfile(test_box=box("lacks={Feature.TTL}", body=body))

    project.runpytest("-k", "BOX-TTL-01").assert_outcomes(passed=1, deselected=4)


def test_a_group_with_another_leaf_is_no_refusal(project: pytest.Pytester) -> None:
    body = (
        "class Own(Box):\n    async def expire(self):\n"
        "        raise ExceptionGroup('two', [NotImplementedError(), KeyError()])"
    )
    project.makepyfile(test_box=box("lacks={Feature.TTL}", body=body))

    project.runpytest("-k", "BOX-TTL-01").assert_outcomes(failed=1, deselected=4)


def test_an_ignored_feature_has_clauses_of_its_own(project: pytest.Pytester) -> None:
    body = "class Own(Box):\n    async def expire(self): pass"
    project.makepyfile(test_box=box("ignores={Feature.TTL}", body=body))

    project.runpytest("--conformance-report=out.json")

    assert list(certificates(project)[0]["clauses"]) == [
        "BOX-GET-01", "BOX-GET-02", "BOX-IGNORE-01", "BOX-FAULT-01",
    ]  # fmt: skip


def test_a_partial_adapter_is_part_of_its_port(project: pytest.Pytester) -> None:
    project.makepyfile(test_box=box("partial={'put'}, lacks={Feature.TTL}"))

    result = project.runpytest()

    result.stdout.fnmatch_lines(
        ["OwnBox  part of BoxPort 1.0: 3 clauses, lacks ttl, 1 left out (no put), *"]
    )
    assert result.ret == 0


def test_a_deviation_is_expected_to_fail(project: pytest.Pytester) -> None:
    body = "class Own(Box):\n    async def put(self, value): pass"
    declared = "lacks={Feature.TTL}, deviates={'BOX-GET-02': 'it is a hole'}"
    project.makepyfile(test_box=box(declared, body=body))

    result = project.runpytest()

    result.stdout.fnmatch_lines(["OwnBox  keeps BoxPort 1.0: 3 *, deviates from BOX-GET-02"])
    result.assert_outcomes(passed=3, xfailed=1, skipped=1)


def test_an_unexpected_pass_fails(project: pytest.Pytester) -> None:
    declared = "lacks={Feature.TTL}, deviates={'BOX-GET-02': 'it was a hole'}"
    project.makepyfile(test_box=box(declared))

    result = project.runpytest()

    result.stdout.fnmatch_lines(["OwnBox  FAILS BoxPort 1.0: 1 of 5 clauses (BOX-GET-02)"])


def test_a_skip_of_ones_own_is_no_answer(project: pytest.Pytester) -> None:
    body = "class Own(Box):\n    async def get(self): pytest.skip('busy')"
    project.makepyfile(test_box=box("lacks={Feature.TTL}", body=body))

    result = project.runpytest("--conformance-report=out.json")

    result.stdout.fnmatch_lines(["OwnBox  is not judged by BoxPort 1.0: 3 of 5 clauses ran"])
    assert result.ret == 1


def test_a_broken_fixture_fails_every_clause(project: pytest.Pytester) -> None:
    project.makepyfile(test_box=HONEST.replace("return lambda", "1 / 0\n        return lambda"))

    result = project.runpytest()

    result.stdout.fnmatch_lines(["HonestBox  FAILS BoxPort 1.0: 5 of 5 clauses *"])


def test_a_missing_fixture_is_named(project: pytest.Pytester) -> None:
    project.makepyfile(test_box="from suite import *\nclass TestNone(BoxSuite): pass")

    result = project.runpytest()

    result.stdout.fnmatch_lines(["*TestNone must define the `adapter` fixture*"])


@pytest.mark.parametrize("given", ["Box()", "lambda: Box()"], ids=["an instance", "no context"])
def test_a_fixture_of_another_shape_is_explained(project: pytest.Pytester, given: str) -> None:
    project.makepyfile(test_box=HONEST.replace("lambda: nullcontext(Box())", given))

    result = project.runpytest()

    result.stdout.fnmatch_lines(["*TypeError: the `adapter` fixture must give a callable*"])


def test_each_parameter_of_the_fixture_is_an_adapter(project: pytest.Pytester) -> None:
    two = HONEST.replace("pytest.fixture", "pytest.fixture(params=['a', 'b'])")
    project.makepyfile(test_box=two.replace("(self)", "(self, request)"))

    result = project.runpytest()

    result.stdout.fnmatch_lines(["HonestBox[[]a]  keeps *", "HonestBox[[]b]  keeps *"])


def test_a_hanging_adapter_is_given_up(project: pytest.Pytester) -> None:
    body = (
        "import asyncio\nclass Own(Box):\n"
        "    async def put(self, value): await asyncio.Event().wait()"
    )
    own = box("lacks={Feature.TTL}", body=body) + "    patience = 0.05\n"
    project.makepyfile(test_box=own)

    result = project.runpytest()

    result.stdout.fnmatch_lines(["*AssertionError: it hangs: no end within 0.05 s"])


def test_the_current_event_loop_of_others_is_left_alone(project: pytest.Pytester) -> None:
    around = """
import asyncio
MINE = asyncio.new_event_loop()
asyncio.set_event_loop(MINE)

def test_zz_the_loop_is_still_mine():
    assert asyncio.get_event_loop() is MINE
    asyncio.set_event_loop(None)
    MINE.close()
"""
    project.makepyfile(test_box=around + HONEST)

    project.runpytest("-p", "no:randomly").assert_outcomes(passed=5, skipped=1)


@pytest.mark.parametrize(
    "trick",
    [
        "@pytest.mark.xfail(reason='flaky')\nclass TestBroken",
        "Broken.put = Broken.get = lambda *a: pytest.xfail('known')\nclass TestBroken",
    ],
    ids=["mark", "call"],
)
def test_a_failure_that_no_class_line_declares_is_a_failure(
    project: pytest.Pytester, trick: str
) -> None:
    project.makepyfile(test_box=(BROKEN % ("", "")).replace("class TestBroken", trick))
    run = project.runpytest_subprocess("--conformance-report", "out.json")

    run.stdout.fnmatch_lines(["Broken*FAILS BoxPort 1.0: *"])
    assert (run.ret, certificates(project)[0]["verdict"]) == (1, "fails")


@pytest.mark.parametrize(
    "override",
    [
        "    def judge(self, clause, adapter): pass",
        "    def _run(self, clause, adapter): pass",
        "    @classmethod\n    def required(cls): return []",
        "    @classmethod\n    def missing(cls, clause): return ['a server']",
        "    outcome = 'refused'",
        "    port = 'BoxPort'",
    ],
    ids=["judge", "run", "required", "missing", "outcome", "port"],
)
def test_what_judges_a_clause_is_not_the_adapters_to_override(
    project: pytest.Pytester, override: str
) -> None:
    project.makepyfile(test_box=BROKEN % ("", override))
    run = project.runpytest_subprocess()

    run.stdout.fnmatch_lines(["*TypeError: TestBroken overrides *of BoxSuite*"])


def test_a_verb_left_out_that_is_not_declared_is_a_failure(project: pytest.Pytester) -> None:
    lying = "from agentkit.testing.suites._judging import LeftOut\n" + BROKEN % ("", "")
    project.makepyfile(test_box=lying.replace('RuntimeError("lost")', 'LeftOut("get")'))
    run = project.runpytest_subprocess()

    run.stdout.fnmatch_lines(["Broken*FAILS BoxPort 1.0: *"])


def test_who_deviates_from_more_than_it_keeps_fails(project: pytest.Pytester) -> None:
    declared = ", deviates={'BOX-GET-01': 'x', 'BOX-GET-02': 'x', 'BOX-LACK-01': 'x'}"
    always = BROKEN.replace(
        "async def get", "async def expire(self): raise ValueError\n    async def get"
    )
    project.makepyfile(test_box=always % (declared, ""))
    run = project.runpytest_subprocess()

    run.stdout.fnmatch_lines(["Broken*FAILS BoxPort 1.0: *"])
    assert run.ret == 1


def test_an_adapter_that_is_partial_in_every_verb_is_refused(project: pytest.Pytester) -> None:
    project.makepyfile(test_box=BROKEN % (", partial={'put', 'get', 'expire'}", ""))
    run = project.runpytest_subprocess()

    run.stdout.fnmatch_lines(["*TypeError: TestBroken is partial in every verb*"])


def test_a_clause_whose_extra_is_not_installed_is_unexercised(project: pytest.Pytester) -> None:
    law = SUITE.replace("needs=Feature.TTL)", 'extra="no_such_package")')
    project.makepyfile(suite=law, test_box=HONEST.replace(", lacks={Feature.TTL}", ""))

    result = project.runpytest()

    told = "2 clauses, 2 unexercised (no break_connection, no_such_package installed)"
    result.stdout.fnmatch_lines([f"HonestBox  keeps BoxPort 1.0: {told}"])
