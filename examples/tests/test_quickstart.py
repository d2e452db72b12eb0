"""The quickstart, as a user runs it: in a process of its own, in a folder of its own."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.display import printable
from support.logs import LogFolder

EXAMPLES = Path(__file__).parents[1]
QUIET = {
    name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "PYTHON"))
}


def quickstart(
    folder: Path, *arguments: str, url: str | None = None, **how: Any
) -> subprocess.CompletedProcess[str]:
    """Run the example in *folder*, against the provider at *url* or the scripted model."""
    env = QUIET if url is None else {**QUIET, "OPENAI_API_KEY": "sk-no", "OPENAI_BASE_URL": url}
    command = [sys.executable, str(EXAMPLES / "quickstart.py"), *arguments]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": env}
    return subprocess.run(
        command, cwd=folder, text=True, check=False, timeout=60, **{**pipes, **how}
    )


def obey_interrupts() -> None:
    """Undo, in the process that is to run, what a shell does to all it runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def obey_file_modes() -> None:
    """Take from root, in the process that is to run, the power to write what it may not."""
    if os.geteuid() == 0:
        drop_from_bounding_set, dac_override = 24, 1
        ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override)


@contextmanager
def provider(*arguments: str) -> Generator[str, None, None]:
    """Serve the scripted model in a process of its own and give its URL."""
    command = [sys.executable, "-m", "support.server", *arguments]
    with subprocess.Popen(
        command, cwd=EXAMPLES, env=QUIET, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.kill()


def answer(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout.partition("Root cause")[2].partition("Tokens:")[0]


def test_it_finds_the_cause_with_evidence_and_tells_its_price(tmp_path: Path) -> None:
    done = quickstart(tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert "settlement-export 2.8.1" in answer(done)
    assert "deploys.log:4:" in answer(done)
    assert "step 6 done" in done.stdout
    assert "Cost: $0.00" in done.stdout
    assert "9 tool calls, each made once" in done.stdout


@pytest.mark.parametrize("step", [1, 3, 6])
def test_a_killed_run_goes_on_to_the_same_answer(tmp_path: Path, step: int) -> None:
    killed = quickstart(tmp_path, "--crash-after", str(step))
    resumed = quickstart(tmp_path, "--resume")
    whole = quickstart(tmp_path, "--state", "other.sqlite")

    assert (killed.returncode, resumed.returncode) == (137, 0)
    assert answer(resumed) == answer(whole)
    journals = [done.stdout.partition("Journal:")[2] for done in (resumed, whole)]
    assert journals[0] == journals[1]


def test_a_finished_run_tells_its_answer_again(tmp_path: Path) -> None:
    first = quickstart(tmp_path)

    assert answer(quickstart(tmp_path, "--resume")) == answer(first)


@pytest.mark.parametrize("fault", ["bad-arguments", "unknown-tool"])
def test_a_model_that_calls_a_tool_wrongly_is_told_and_goes_on(tmp_path: Path, fault: str) -> None:
    with provider("--fault", fault) as url:
        done = quickstart(tmp_path, url=url)

    assert (done.returncode, "ERROR: " in done.stdout) == (0, True)
    assert "settlement-export 2.8.1" in answer(done)


def assert_one_clear_error(done: subprocess.CompletedProcess[str], told: str) -> None:
    assert done.returncode == 1
    assert told in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("401", "does not accept the key in OPENAI_API_KEY"),
        ("429", "try again in 600 s"),
        ("500", "Internal Server Error"),
        ("cut", "go on with --resume"),
        ("error-frame", "Overloaded"),
    ],
)
def test_a_provider_that_fails_is_told_in_one_line(tmp_path: Path, fault: str, told: str) -> None:
    with provider("--fault", fault) as url:
        done = quickstart(tmp_path, url=url)

    assert_one_clear_error(done, told)


def test_a_run_that_a_provider_failed_goes_on_with_another(tmp_path: Path) -> None:
    with provider("--fault", "error-frame") as url:
        quickstart(tmp_path, url=url)

    assert "settlement-export 2.8.1" in answer(quickstart(tmp_path, "--resume"))


def test_a_provider_that_nobody_runs_is_told_in_one_line(tmp_path: Path) -> None:
    assert_one_clear_error(quickstart(tmp_path, url="http://127.0.0.1:9/v1"), "cannot connect")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "nowhere is no folder of logs"),
        (["."], "has no file that ends in .log"),
        (["--resume"], "there is no run to resume: quickstart.sqlite does not exist or is empty"),
        (["--state", "."], "the state is kept in a file, and . is no file"),
        (["--state", "no/such/folder/x.sqlite"], "unable to open"),
        (["--model", "any"], "need OPENAI_API_KEY"),
    ],
    ids=["no-folder", "no-logs", "no-run", "state-is-folder", "state-nowhere", "no-key"],
)
def test_bad_input_is_told_in_one_line_and_leaves_nothing(
    tmp_path: Path, arguments: list[str], told: str
) -> None:
    assert_one_clear_error(quickstart(tmp_path, *arguments), told)
    assert list(tmp_path.iterdir()) == []


def test_a_state_file_that_is_no_database_is_told_and_kept(tmp_path: Path) -> None:
    state = tmp_path / "quickstart.sqlite"
    state.write_text("no database\n" * 99)

    assert_one_clear_error(quickstart(tmp_path), "not a database")
    assert state.read_text() == "no database\n" * 99


def test_a_state_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    quickstart(tmp_path)
    (tmp_path / "quickstart.sqlite").chmod(0o400)

    done = quickstart(tmp_path, preexec_fn=obey_file_modes)
    assert_one_clear_error(done, "quickstart.sqlite")


def test_a_reader_that_leaves_is_told_of_in_one_line(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = quickstart(tmp_path, stdout=write)
    os.close(write)

    assert_one_clear_error(done, "nobody reads the output any more")


def test_a_full_disk_under_the_output_is_told_in_one_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = quickstart(tmp_path, stdout=full)

    assert_one_clear_error(done, "No space left on device")


@pytest.mark.parametrize("name", ["PYTHONIOENCODING=ascii", "TERM=dumb"])
def test_a_poor_terminal_gets_the_whole_answer(tmp_path: Path, name: str) -> None:
    variable, _, value = name.partition("=")
    done = quickstart(tmp_path, env={**QUIET, variable: value})

    assert (done.returncode, done.stderr, "each made once" in done.stdout) == (0, "", True)


def test_a_closed_output_does_not_end_the_run(tmp_path: Path) -> None:
    done = quickstart(tmp_path, preexec_fn=lambda: os.close(1), stdout=None)

    assert (done.returncode, done.stderr) == (0, "")


def interrupted(folder: Path, env: dict[str, str], *, times: int = 1) -> tuple[int, str]:
    """Interrupt the example once it says something; give its status and what it told of that."""
    command = [sys.executable, str(EXAMPLES / "quickstart.py")]
    pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    pipes["preexec_fn"] = obey_interrupts
    running: Any = subprocess.Popen(command, cwd=folder, env={**QUIET, **env}, text=True, **pipes)
    running.stdout.readline()
    for _ in range(times):
        running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=60)
    return running.returncode, told


@pytest.fixture(scope="module")
def slow_provider() -> Generator[dict[str, str], None, None]:
    with provider("--pause", "0.05") as url:
        yield {"OPENAI_API_KEY": "sk-no", "OPENAI_BASE_URL": url}


def test_an_interrupted_run_is_told_in_one_line_and_goes_on(
    tmp_path: Path, slow_provider: dict[str, str]
) -> None:
    done = interrupted(tmp_path, slow_provider)

    assert done == (130, "error: interrupted; go on with --resume\n")
    assert "settlement-export 2.8.1" in answer(quickstart(tmp_path, "--resume"))


@pytest.mark.parametrize("times", [2, 5])
def test_a_run_that_is_interrupted_more_than_once_is_told_no_more_than_that(
    tmp_path: Path, slow_provider: dict[str, str], times: int
) -> None:
    status, told = interrupted(tmp_path, slow_provider, times=times)

    assert status in {130, -signal.SIGINT}
    assert set(told.splitlines()) <= {"error: interrupted; go on with --resume"}
    assert "settlement-export 2.8.1" in answer(quickstart(tmp_path, "--resume"))


@pytest.mark.parametrize("module", ["argparse", "asyncio", "httpx", "sqlite3"])
def test_an_interrupt_while_modules_load_just_ends_it(tmp_path: Path, module: str) -> None:
    waits = "import sys\nprint('loading', flush=True)\nsys.stdin.read()\n"
    (tmp_path / f"{module}.py").write_text(waits)

    assert interrupted(tmp_path, {"PYTHONPATH": str(tmp_path)}) == (-signal.SIGINT, "")


@pytest.mark.parametrize("argument", [(), ("--resume",)], ids=["new", "resumed"])
def test_a_state_that_is_no_file_is_told_in_one_line(
    tmp_path: Path, argument: tuple[str, ...]
) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert_one_clear_error(quickstart(tmp_path, "--state", "pipe", *argument), "pipe is no file")


def test_a_pipe_that_is_called_a_log_is_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.log")

    assert_one_clear_error(quickstart(tmp_path, "."), "has no file that ends in .log")


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(([a-z]+)+)+$", r"(a*)*", r"(a{2,}){3}"])
def test_a_pattern_that_may_take_for_ever_is_refused(pattern: str) -> None:
    look = LogFolder(EXAMPLES / "data" / "logs").count_by_minute

    with pytest.raises(ValueError, match="repeats what is repeated"):
        look("gateway.log", pattern)


def test_what_would_command_the_terminal_is_shown_and_does_not() -> None:
    assert printable("\x1b]0;owned\x07é\n\x9b2J") == "\ufffd]0;owned\ufffdé\n\ufffd2J"


def test_resuming_from_an_empty_file_leaves_it_empty(tmp_path: Path) -> None:
    state = tmp_path / "quickstart.sqlite"
    state.touch()

    assert_one_clear_error(quickstart(tmp_path, "--resume"), "does not exist or is empty")
    assert state.stat().st_size == 0


def test_a_step_that_never_came_is_told(tmp_path: Path) -> None:
    done = quickstart(tmp_path, "--crash-after", "99")

    assert (done.returncode, done.stderr) == (0, "the run ended before step 99\n")


@pytest.mark.parametrize("step", ["0", "x", "-1"])
def test_a_step_that_is_none_is_refused(tmp_path: Path, step: str) -> None:
    done = quickstart(tmp_path, f"--crash-after={step}")

    assert (done.returncode, "a step is a whole number from 1" in done.stderr) == (2, True)
