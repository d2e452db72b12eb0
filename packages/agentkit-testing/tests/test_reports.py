"""What a run certifies, and when it certifies nothing."""

import pytest

from .boxes import HONEST, box, certificates

pytest_plugins = ["pytester"]


def test_a_selection_is_not_judged(project: pytest.Pytester) -> None:
    project.makepyfile(test_box=HONEST)

    result = project.runpytest("-k", "BOX-GET-01")

    result.stdout.fnmatch_lines(["HonestBox  is not judged by BoxPort 1.0: 1 of 5 clauses ran"])


def test_a_report_of_a_selection_fails_and_certifies_nothing(project: pytest.Pytester) -> None:
    project.makepyfile(test_box=HONEST)

    result = project.runpytest("-k", "BOX-GET-01", "--conformance-report=out.json")

    result.stdout.fnmatch_lines(["*a selection (-k) certifies nothing"])
    assert (result.ret, certificates(project)) == (1, [])


def test_a_selection_that_leaves_nothing_out_certifies_nothing_either(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(test_box=HONEST)

    assert project.runpytest("-k", "BOX", "--conformance-report=out.json").ret == 1
    assert certificates(project) == []


def test_a_report_of_one_node_fails_too(project: pytest.Pytester) -> None:
    project.makepyfile(test_box=HONEST)

    node = "test_box.py::TestHonestBox::an_empty_box_gives_none"

    result = project.runpytest(node, "--conformance-report=out.json")

    result.stdout.fnmatch_lines(["*not every clause ran for HonestBox; no certificate"])
    assert (result.ret, certificates(project)) == (1, [])


def test_a_report_of_nothing_fails(project: pytest.Pytester) -> None:
    project.makepyfile(test_box="def test_other(): pass")

    result = project.runpytest("--conformance-report=out.json")

    result.stdout.fnmatch_lines(["*no suite was collected"])
    assert result.ret == 1


def test_a_report_needs_a_folder(project: pytest.Pytester) -> None:
    result = project.runpytest("--conformance-report=absent/out.json")

    result.stderr.fnmatch_lines(["*there is no folder for 'absent/out.json'"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_a_report_that_cannot_be_written_fails(project: pytest.Pytester) -> None:
    project.makepyfile(test_box=HONEST)
    project.mkdir("out.json")

    result = project.runpytest("--conformance-report=out.json")

    result.stdout.fnmatch_lines(["*cannot write 'out.json': Is a directory"])
    assert result.ret == 1


def test_a_certificate_tells_every_clause(project: pytest.Pytester) -> None:
    project.makepyfile(test_box=HONEST)

    project.runpytest("--conformance-report=out.json")

    assert certificates(project)[0]["clauses"] == {
        "BOX-GET-01": "kept",
        "BOX-GET-02": "kept",
        "BOX-TTL-01": "refused",
        "BOX-LACK-01": "kept",
        "BOX-FAULT-01": "unexercised",
    }


def test_a_certificate_names_what_was_tried(project: pytest.Pytester) -> None:
    project.makepyfile(test_box=HONEST)

    project.runpytest("--conformance-report=out.json")

    told = certificates(project)[0]
    assert [told[k] for k in ("adapter", "class", "port", "port_version", "verdict", "lacks")] == [
        "HonestBox", "suite.Box", "BoxPort", "1.0", "keeps", ["ttl"],
    ]  # fmt: skip
    assert told["kit"].startswith("agentkit-testing ")


def test_a_certificate_names_the_backend(project: pytest.Pytester) -> None:
    hook = "    async def backend_version(self): return 'Shelf 3'\n"
    project.makepyfile(test_box=box("lacks={Feature.TTL}") + hook)

    project.runpytest("--conformance-report=out.json")

    assert certificates(project)[0]["backend"] == "Shelf 3"
