"""Where the recorded exchanges are: `--corpus DIR`, else beside the repository."""

import json
from pathlib import Path

import pytest

BESIDE = Path(__file__).parents[2] / "shared" / "corpus"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--corpus", type=Path, default=BESIDE, help="folder of recorded exchanges")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "exchange" not in metafunc.fixturenames:
        return
    folder = Path(str(metafunc.config.getoption("corpus")))
    api = metafunc.definition.path.stem.removeprefix("test_")
    text = "".join(path.read_text("utf-8") for path in folder.glob(f"{api}*.jsonl"))
    exchanges = [json.loads(line) for line in text.split("\n") if line]
    metafunc.parametrize("exchange", exchanges, ids=[exchange["id"] for exchange in exchanges])
