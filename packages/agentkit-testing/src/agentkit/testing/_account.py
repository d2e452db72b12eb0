"""The account of one pytest session: who was tried, how it ended, what may be certified.

It knows clauses by their mark alone: a session without any must not load the suites.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agentkit.testing._certificates import Declaration, Finding, Record, declare

if TYPE_CHECKING:
    from agentkit.testing.suites import Clause, Suite

__all__ = ["Account"]

MARK = "__agentkit_clause__"
_NAME = "agentkit-conformance"


class Account:
    """Collects declarations at collection and findings from reports; prints and writes at the end.

    Under xdist the workers send both to the controller, which alone prints and writes.
    """

    def __init__(self, config: pytest.Config, path: Path | None) -> None:
        self._config = config
        self._path = path
        self._said: dict[str, Declaration] = {}
        self._findings: list[Finding] = []
        self._trouble = ""

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Note the adapter before any selection, and what pytest must expect of the clause."""
        if (clause := _clause(item)) is None:
            return
        suite = _suite(item)
        item.extra_keyword_matches.add(clause.id)
        if (key := _key(item)) not in self._said:
            self._said[key] = declare(suite, variant=_variant(item))
        if reason := suite.deviates.get(clause.id):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Write the finding into the report, which is all that leaves a worker."""
        report = yield
        if (clause := _clause(item)) is None:
            return report
        tried = _tried(item)
        if (outcome := _outcome(report, tried, clause)) is not None:
            finding = _finding(tried, key=_key(item), clause=clause, outcome=outcome)
            report.user_properties.append((_NAME, json.dumps(asdict(finding))))
        if report.failed:
            report.sections.append(("clause", f"{clause.id}: {clause.sentence}"))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in the finding of a report, made here or by a worker."""
        found = [value for name, value in report.user_properties if name == _NAME]
        self._findings += [Finding(**json.loads(str(value))) for value in found]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take in what an xdist worker collected."""
        said = getattr(node, "workeroutput", {}).get(_NAME, "{}")
        self._said |= {key: Declaration(**each) for key, each in json.loads(said).items()}

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the certificates; a verdict *fails*, or a report that proves little, fails it."""
        worker: dict[str, str] | None = getattr(self._config, "workeroutput", None)
        if worker is not None:
            said = {key: asdict(each) for key, each in self._said.items()}
            worker[_NAME] = json.dumps(said)
            return
        if self._path is not None:
            self._trouble = self._write(self._path)
        # pytest itself lets an expected failure pass that no class line declares.
        fails = any(record.verdict == "fails" for record in self._records())
        if (fails or self._trouble) and session.exitstatus in {pytest.ExitCode.OK, _NOTHING}:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print a line per adapter, and why there is no report if one was asked for."""
        records = self._records()
        if not records and not self._trouble:
            return
        terminalreporter.section("conformance")
        width = max((len(record.said.adapter) for record in records), default=0)
        for record in records:
            terminalreporter.line(f"{record.said.adapter:<{width}}  {record.line}")
        if self._trouble:
            terminalreporter.line(f"--conformance-report: {self._trouble}", red=True)

    def _records(self) -> list[Record]:
        records = {key: Record(said) for key, said in sorted(self._said.items())}
        for finding in self._findings:
            if finding.key in records:
                records[finding.key].add(finding)
        return list(records.values())

    def _write(self, path: Path) -> str:
        """Write the certificates to *path*; give what is wrong with them, or ""."""
        records = self._records()
        is_selection = bool(self._config.getoption("keyword"))
        judged = [record for record in records if record.is_complete and not is_selection]
        certificates = [record.certificate() for record in judged]
        try:
            path.write_text(json.dumps(certificates, indent=2) + "\n", encoding="utf-8")
        except OSError as exc:
            return f"cannot write {str(path)!r}: {exc.strerror}"
        if not records:
            return "no suite was collected"
        if is_selection:
            return "a selection (-k) certifies nothing"
        partly = [record.said.adapter for record in records if not record.is_complete]
        return f"not every clause ran for {', '.join(partly)}; no certificate" if partly else ""


_NOTHING = pytest.ExitCode.NO_TESTS_COLLECTED


def _clause(item: pytest.Item) -> Clause | None:
    found: Clause | None = getattr(getattr(item, "function", None), MARK, None)
    return found


def _suite(item: Any) -> type[Suite]:
    found: type[Suite] = item.cls
    return found


def _tried(item: Any) -> Suite:
    found: Suite = item.instance
    return found


def _variant(item: pytest.Item) -> str:
    return str(getattr(getattr(item, "callspec", None), "id", ""))


def _key(item: pytest.Item) -> str:
    return f"{item.nodeid.rpartition('::')[0]}[{_variant(item)}]"


def _outcome(report: pytest.TestReport, tried: Suite, clause: Clause) -> str | None:
    """Give what *report* says of the clause, or None where it says nothing."""
    if report.failed:
        return "failed"
    if report.when != "call":
        return "skipped" if report.skipped else None
    if report.passed:
        return "refused" if clause.needs in tried.lacks else "kept"
    if hasattr(report, "wasxfail"):
        return "deviates" if clause.id in tried.deviates else "failed"
    return _reason_to_skip(tried, clause)


def _reason_to_skip(tried: Suite, clause: Clause) -> str:
    """Give why the kit skipped the clause, by what the adapter declared; nobody else may."""
    said = str(tried.outcome)
    declared = {"unexercised": bool(tried.missing(clause)), "left out": bool(tried.partial)}
    return said if declared.get(said) else "skipped"


def _finding(tried: Suite, *, key: str, clause: Clause, outcome: str) -> Finding:
    subject = tried.subject
    return Finding(
        key=key,
        clause=clause.id,
        outcome=outcome,
        subject=f"{subject.__module__}.{subject.__qualname__}" if subject else "",
        backend=tried.backend,
    )
