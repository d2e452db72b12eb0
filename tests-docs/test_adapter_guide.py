"""The guide for authors of adapters shows the example that is built and certified, all of it."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from workspace import ROOT

GUIDE = ROOT / "docs" / "write-an-adapter.md"
EXAMPLE = ROOT / "examples" / "third_party_store"
KIT = ROOT / "packages" / "agentkit-testing" / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def shown() -> dict[str, str]:
    """Each file the guide shows, put together from its parts, without blank lines."""
    files: dict[str, list[str]] = {}
    for title, part in FILE.findall(GUIDE.read_text("utf-8")):
        files.setdefault(title, []).extend(written(part))
    return {title: "\n".join(lines) for title, lines in files.items()}


def program_of(page: Path) -> str:
    """Give the block of *page* that tests a search or a store: they need no other distribution."""
    blocks: list[str] = BLOCK.findall(page.read_text("utf-8"))
    [found] = [each for each in blocks if "(SearchSuite)" in each or "(StoreSuite)" in each]
    return found


def written(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip())


def test_the_guide_shows_each_file_as_it_is() -> None:
    files = {title: (EXAMPLE / title).read_text("utf-8") for title in shown()}

    assert shown() == {title: "\n".join(written(text)) for title, text in files.items()}


def test_the_guide_leaves_out_no_file_but_the_readme() -> None:
    ignored = {"README.md", "src/acme_journal/py.typed"}
    found = {p.relative_to(EXAMPLE).as_posix() for p in EXAMPLE.rglob("*.*") if p.is_file()}

    assert {name for name in found if "__pycache__" not in name} - ignored == set(shown())


@pytest.mark.parametrize("page", [GUIDE, KIT], ids=["guide", "kit"])
def test_an_adapter_that_a_page_shows_keeps_its_port(page: Path, tmp_path: Path) -> None:
    (tmp_path / "test_shown.py").write_text(program_of(page), "utf-8")
    report = tmp_path / "certificate.json"
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    subprocess.run([*run, f"--conformance-report={report}"], cwd=tmp_path, check=True)

    [certificate] = json.loads(report.read_text("utf-8"))
    assert certificate["verdict"] == "keeps"


def test_no_page_counts_clauses_which_change_with_every_version() -> None:
    pages = [page.read_text("utf-8") for page in (GUIDE, KIT)]

    assert re.findall(r"[0-9]+ (?:clauses|unexercised)", "".join(pages)) == []
