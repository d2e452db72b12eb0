"""The examples of single seams, as a user runs them."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1]


def example(folder: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py"), *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


def tickets(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line.strip() for line in done.stdout.splitlines() if "ticket" in line]


def test_every_store_draws_the_same_tickets(tmp_path: Path) -> None:
    done = example(tmp_path, "swap_store")
    drawn = tickets(done)

    assert (done.returncode, done.stderr) == (0, "")
    assert drawn[0:3] == drawn[3:6] == drawn[6:9]
    assert done.stdout.count("the price is agreed on") == 3


@pytest.mark.parametrize("url", ["sqlite:tickets.db", "file:tickets"])
def test_a_store_that_lasts_goes_on_counting(tmp_path: Path, url: str) -> None:
    first, second = (example(tmp_path, "swap_store", url) for _ in range(2))

    assert "ticket 3" in first.stdout
    assert "ticket 6" in second.stdout
    assert "agreed" not in second.stdout


def test_a_store_that_nothing_opens_is_told_of_without_its_password(tmp_path: Path) -> None:
    done = example(tmp_path, "swap_store", "acme://ada:hunter2@host")

    assert done.returncode == 1
    assert "nothing installed opens acme: URLs" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr


def test_a_view_hears_of_every_error_and_of_the_result(tmp_path: Path) -> None:
    done = example(tmp_path, "watch_run", "--every", "100")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(" ! ") == 4
    assert "= 405 lines in 7 files" in done.stdout
    assert done.stdout.count("100 updates") == 4
    assert "4 files have errors; 0 updates were dropped" in done.stdout


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What do I do when a certificate has expired?", "oncall.md > A certificate expired"),
        ("how late may I hand in a receipt?", "expenses.md > Expenses"),
        ("my laptop is lost", "security.md > A lost laptop"),
    ],
)
def test_a_question_finds_its_passage_first(tmp_path: Path, question: str, answer: str) -> None:
    done = example(tmp_path, "retrieval", question)

    assert (done.returncode, done.stderr) == (0, "")
    assert answer in done.stdout.splitlines()[2]


def test_a_question_may_be_asked_of_one_file(tmp_path: Path) -> None:
    done = example(tmp_path, "retrieval", "--file", "leave.md", "days")

    assert done.stdout.count("leave.md") == done.stdout.count(".md")


def test_a_corpus_of_ones_own_is_searched(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Garden\nwater the tomatoes\n## Shed\nmend the roof\n")
    done = example(tmp_path, "retrieval", "--folder", ".", "tomatoes")

    assert "tomatoes (1 of 2 passages)" in done.stdout
    assert "notes.md > Garden" in done.stdout


@pytest.mark.parametrize("arguments", [["retrieval", "--folder", "."], ["watch_run", "."]])
def test_an_empty_folder_is_told_of(tmp_path: Path, arguments: list[str]) -> None:
    done = example(tmp_path, *arguments)

    assert done.returncode == 1
    assert "error: there" in done.stderr
