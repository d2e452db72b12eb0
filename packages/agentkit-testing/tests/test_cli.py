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
