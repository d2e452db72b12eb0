"""Every Python block of the documentation runs, and every link leads to a file.

`--update-examples` writes what a block prints into its `#>` lines.
"""

import re
from pathlib import Path

import pytest
from pytest_examples import CodeExample, EvalExample, find_examples
from workspace import ROOT

PAGES = sorted(
    page
    for pattern in ("*.md", "docs/*.md", "examples/*.md", "packages/*/*.md")
    for page in ROOT.glob(pattern)
)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def local_links() -> list[tuple[Path, str]]:
    found = ((page, target) for page in PAGES for target in LINK.findall(page.read_text("utf-8")))
    return [(p, t.partition("#")[0]) for p, t in found if not re.match(r"[a-z]+:|#", t)]


def label(value: object) -> str:
    return str(value).removeprefix(f"{ROOT}/")


@pytest.mark.parametrize("example", list(find_examples(*PAGES)), ids=label)
def test_a_block_runs_and_prints_what_it_says(
    example: CodeExample, eval_example: EvalExample
) -> None:
    if eval_example.update_examples:
        eval_example.run_print_update(example)
    else:
        eval_example.run_print_check(example)


@pytest.mark.parametrize(("page", "target"), local_links(), ids=label)
def test_a_link_leads_to_a_file(page: Path, target: str) -> None:
    assert (page.parent / target).exists()
