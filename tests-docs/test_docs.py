"""Every Python block of the documentation runs and prints its `#>` lines; every link leads on."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from workspace import ROOT

PAGES = sorted(
    page
    for pattern in ("*.md", "docs/*.md", "examples/*.md", "packages/*/*.md")
    for page in ROOT.glob(pattern)
)
BLOCK = re.compile(r"^```py(?:thon)?\b(?! title=)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^ *#> ?(.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:|#")


def text(page: Path) -> str:
    return page.read_text("utf-8")


def at(page: Path, position: int) -> str:
    line = text(page).count("\n", 0, position) + 1
    return f"{page.relative_to(ROOT)}:{line}"


BLOCKS = {at(page, b.start()): b[1] for page in PAGES for b in BLOCK.finditer(text(page))}
LINKS = {
    at(page, link.start()): page.parent / link[1].partition("#")[0]
    for page in PAGES
    for link in LINK.finditer(text(page))
    if not ELSEWHERE.match(link[1])
}


@pytest.mark.parametrize("block", BLOCKS.values(), ids=list(BLOCKS))
def test_a_block_runs_and_prints_what_it_says(
    block: str, tmp_path: Path, provider: dict[str, str]
) -> None:
    program = tmp_path / "block.py"
    program.write_text(block, "utf-8")

    run = [sys.executable, "-I", "-W", "error", str(program)]
    env = {**os.environ, **provider}
    done = subprocess.run(run, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    assert not done.stderr, done.stderr
    assert done.stdout.splitlines() == PRINTED.findall(block)


@pytest.mark.parametrize("target", LINKS.values(), ids=list(LINKS))
def test_a_link_leads_to_a_file(target: Path) -> None:
    assert target.exists()
