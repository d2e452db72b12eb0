"""Several processes on one store, and writers killed in the middle of it."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.ports import CheckpointPort, StorePort

from .support import keys_of, with_store
from .worker import checkpoint, document, opened

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it forks, and kills by signal")

WORKER = [sys.executable, str(Path(__file__).with_name("worker.py"))]
SECONDS = os.environ.get("AGENTKIT_TEST_HAMMER_SECONDS", "0.5")
"""How long two processes hammer on one file; the session `endurance` takes 20."""
KILLS = 50
STORES = ("files", "sqlite")
CHECKPOINTS = ("checkpoints", "file-checkpoints")
DURABLE = (*STORES, *CHECKPOINTS)


class Writers:
    """Writers that are started one after another, each to be killed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def killed(self, kind: str, path: Path, *, first: int, after: int, spin: int) -> list[int]:
        """Kill one that began with *first*; give what it told, at least *after* numbers."""
        assert self._process.stdin
        self._process.stdin.write(f"{kind} {first} {path}\n")
        self._process.stdin.flush()
        writer = int(self._told())
        told = [int(self._told()) for _ in range(after)]
        for _ in range(spin):  # to somewhere in the middle of what comes next
            pass
        os.kill(writer, signal.SIGKILL)
        return [*told, *map(int, iter(self._told, "ended"))]

    def _told(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()


@pytest.fixture(scope="module")
def writers() -> Iterator[Writers]:
    with subprocess.Popen(
        WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Writers(process)


def look(kind: str, path: Path, steps: Callable[[Any], Awaitable[Any]]) -> Any:
    return with_store(opened(kind, str(path)), steps)


async def check_values(store: StorePort, *, told: list[int]) -> int:
    """Return the highest number there, once all that was told is, and nothing is half there."""
    values: list[Any] = [await store.get(key) for key in await keys_of(store)]
    entries: list[Any] = await store.list("log")
    for found in (values, entries):
        assert found == [document(each["number"]) for each in found]
        assert {each["number"] for each in found} >= set(told)
    assert [each["number"] for each in entries] == sorted({each["number"] for each in entries})
    return max((int(each["number"]) for each in values), default=0)


async def check_versions(store: CheckpointPort, *, told: list[int]) -> int:
    """Do the same for checkpoints."""
    versions = await store.list_versions("run")
    assert versions == list(range(1, len(versions) + 1))
    assert len(versions) >= max(told, default=0)
    assert [await store.at_version("run", v) for v in versions] == [checkpoint(v) for v in versions]
    return len(versions)


@pytest.mark.parametrize("kind", DURABLE)
def test_killed_at_fifty_points_a_writer_leaves_what_was_acknowledged_and_nothing_half(
    kind: str, tmp_path: Path, writers: Writers
) -> None:
    check: Any = check_versions if kind in CHECKPOINTS else check_values
    chance, path, highest = random.Random(kind), tmp_path / "store", 0  # noqa: S311
    told: list[int] = []
    for _ in range(KILLS):
        after, spin = chance.randrange(4), chance.randrange(60_000)
        told += writers.killed(kind, path, first=highest + 1, after=after, spin=spin)
        highest = look(kind, path, partial(check, told=told))

    assert highest >= KILLS


def hammered(kind: str, path: Path) -> int:
    """Let two processes hammer on one store, and give how often both did."""
    command = [*WORKER, kind, str(path), SECONDS]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    workers = [subprocess.Popen(command, **pipes) for _ in range(2)]
    told, errors = zip(*(worker.communicate() for worker in workers), strict=True)
    assert errors == ("", "")
    return sum(map(int, told))


@pytest.mark.parametrize("kind", STORES)
def test_two_processes_on_one_store_lose_no_update_and_meet_no_lock_error(
    kind: str, tmp_path: Path
) -> None:
    async def totals(store: StorePort) -> Any:
        return await store.get("counter"), await store.get("ordinal"), len(await store.list("log"))

    times = hammered(kind, tmp_path / "store")
    assert look(kind, tmp_path / "store", totals) == (times, times, times)
    assert times > 0


@pytest.mark.parametrize("kind", CHECKPOINTS)
def test_of_two_processes_that_save_one_run_nobody_overwrites(kind: str, tmp_path: Path) -> None:
    times = hammered(kind, tmp_path / "store")

    versions = look(kind, tmp_path / "store", lambda store: store.list_versions("run"))
    assert versions == list(range(1, times + 1))
    assert times > 0
