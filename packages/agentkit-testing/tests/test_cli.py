"""`agentkit-conformance table` reads certificates and writes Markdown."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentkit.testing._cli import main

ACME: dict[str, Any] = {
    "adapter": "AcmeStore",
    "distribution": "acme 1.0",
    "backend": "A | 3",
    "port": "StorePort",
    "port_version": "1.0",
    "verdict": "keeps",
    "clauses": {
        "STORE-KV-01": "kept",
        "STORE-KV-02": "kept",
        "STORE-TTL-01": "refused",
        "STORE-TTL-02": "refused",
        "STORE-FAULT-01": "skipped",
        "STORE-CAS-01": "kept",
        "STORE-CAS-02": "deviates",
    },
}
DEVIATES = {**ACME, "deviates": {"STORE-CAS-02": "why, and a link"}}
OTHER = {**ACME, "adapter": "Aardvark", "clauses": {"STORE-KV-01": "failed"}, "verdict": "fails"}
RUNS = {**ACME, "port": "CheckpointPort", "clauses": {"CHECKPOINT-SAVE-01": "kept"}}


def table(folder: Path, *certificates: dict[str, Any]) -> int:
    report = folder / "report.json"
    report.write_text(json.dumps(certificates), encoding="utf-8")
    return main(["table", str(report)])


def test_areas_go_across_and_adapters_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert table(tmp_path, ACME, OTHER) == 0

    assert capsys.readouterr().out.splitlines() == [
        "## StorePort 1.0",
        "",
        "| adapter | distribution | backend | verdict | kv | ttl | fault | cas |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| Aardvark | acme 1.0 | A \\| 3 | fails | 1 failed |  |  |  |",
        "| AcmeStore | acme 1.0 | A \\| 3 | keeps | 2 | 2 refused | 1 skipped | 1 + 1 deviates |",
    ]


def test_the_order_of_certificates_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking = {**OTHER, "clauses": {"STORE-LACK-01": "kept"}}
    table(tmp_path, ACME, lacking)
    one = capsys.readouterr().out
    table(tmp_path, lacking, ACME)

    assert capsys.readouterr().out == one


def test_each_port_has_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table(tmp_path, ACME, RUNS)

    heads = [line for line in capsys.readouterr().out.splitlines() if line.startswith("##")]
    assert heads == ["## CheckpointPort 1.0", "## StorePort 1.0"]


def test_several_files_make_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, certificate in (("a.json", ACME), ("b.json", OTHER)):
        (tmp_path / name).write_text(json.dumps([certificate]), encoding="utf-8")

    assert main(["table", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 0
    assert capsys.readouterr().out.count("\n| A") == 2


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "is not JSON"),
        ("{}", "is not what --conformance-report writes"),
        ('[{"adapter": "A"}]', "is not what --conformance-report writes"),
        ("\xff", "is not JSON"),
    ],
    ids=["cut", "no list", "no certificate", "no text"],
)
def test_another_file_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, content: str, told: str
) -> None:
    (tmp_path / "x.json").write_bytes(content.encode("latin-1"))

    assert main(["table", str(tmp_path / "x.json")]) == 2
    assert told in capsys.readouterr().err


def test_a_missing_file_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", str(tmp_path / "absent.json")]) == 2
    assert "absent.json" in capsys.readouterr().err


@pytest.fixture
def page(tmp_path: Path) -> Path:
    made = tmp_path / "page.md"
    made.write_text("# Support\n\n<!-- agentkit-conformance table -->\nan old table\n", "utf-8")
    return made


def report(folder: Path, *certificates: dict[str, Any]) -> str:
    made = folder / "report.json"
    made.write_text(json.dumps(certificates), encoding="utf-8")
    return str(made)


def test_deviations_are_told_below(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table(tmp_path, DEVIATES)

    told = "- AcmeStore deviates from STORE-CAS-02: why, and a link"
    assert capsys.readouterr().out.splitlines()[-1] == told


def test_versions_may_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "--without-versions", report(tmp_path, ACME)]) == 0

    assert "| AcmeStore | acme | A \\| | keeps |" in capsys.readouterr().out


def test_a_table_is_put_below_its_mark(tmp_path: Path, page: Path) -> None:
    assert main(["table", report(tmp_path, ACME), "--in", str(page)]) == 0

    text = page.read_text("utf-8")
    assert text.startswith("# Support\n\n<!-- agentkit-conformance table -->\n\n## StorePort 1.0")
    assert "an old table" not in text


def test_a_page_with_another_table_is_told_and_left(
    tmp_path: Path, page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["table", report(tmp_path, ACME), "--in", str(page), "--check"]) == 1

    assert "is not this one" in capsys.readouterr().err
    assert "an old table" in page.read_text("utf-8")


def test_a_page_with_this_table_is_current(tmp_path: Path, page: Path) -> None:
    main(["table", report(tmp_path, ACME), "--in", str(page)])

    assert main(["table", report(tmp_path, ACME), "--in", str(page), "--check"]) == 0


def test_a_page_without_a_mark_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bare.md").write_text("# Support\n", "utf-8")

    assert main(["table", report(tmp_path, ACME), "--in", str(tmp_path / "bare.md")]) == 2
    assert "has no line" in capsys.readouterr().err
