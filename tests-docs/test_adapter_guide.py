"""The guide for authors of adapters shows the example that is built and certified, all of it."""

import re
from collections.abc import Iterator

from workspace import ROOT

GUIDE = ROOT / "docs" / "write-an-adapter.md"
EXAMPLE = ROOT / "examples" / "third_party_store"
FILE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def shown() -> dict[str, str]:
    """Each file the guide shows, put together from its parts, without blank lines."""
    files: dict[str, list[str]] = {}
    for title, part in FILE.findall(GUIDE.read_text("utf-8")):
        files.setdefault(title, []).extend(written(part))
    return {title: "\n".join(lines) for title, lines in files.items()}


def written(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip())


def test_the_guide_shows_each_file_as_it_is() -> None:
    files = {title: (EXAMPLE / title).read_text("utf-8") for title in shown()}

    assert shown() == {title: "\n".join(written(text)) for title, text in files.items()}


def test_the_guide_leaves_out_no_file_but_the_readme() -> None:
    ignored = {"README.md", "src/acme_journal/py.typed"}
    found = {p.relative_to(EXAMPLE).as_posix() for p in EXAMPLE.rglob("*.*") if p.is_file()}

    assert {name for name in found if "__pycache__" not in name} - ignored == set(shown())
