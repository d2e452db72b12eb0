"""Several processes on one store, and writers killed in the middle of it."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.ports import StorePort
from agentkit.state.checkpoints import SQLiteCheckpointStore

from .support import keys_of
from .worker import opened

WORKER = Path(__file__).with_name("worker.py")

every_durable = pytest.mark.parametrize("kind", ["sqlite", "files"])


def _start(kind: str, path: Path, *, job: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), kind, str(path), job, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _kill_after(writer: subprocess.Popen[str], acknowledgements: int) -> int:
    """Kill *writer* once it has told that many writes, and give the last one it told."""
    assert writer.stdout is not None
    for _ in range(acknowledgements):
        writer.stdout.readline()
    writer.send_signal(signal.SIGKILL)
    told, _ = writer.communicate()
    return int(told.split()[-1]) if told.split() else acknowledgements - 1


def _look(store: AbstractAsyncContextManager[Any], steps: Callable[[Any], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with store as found:
            return await steps(found)

    return asyncio.run(run())


@every_durable
def test_processes_on_one_store_lose_no_update_and_meet_no_lock_error(
    kind: str, tmp_path: Path
) -> None:
    async def totals(store: StorePort) -> Any:
        return await store.get("counter"), await store.get("ordinal"), len(await store.list("log"))

    workers = [_start(kind, tmp_path / "store", job="hammer", count=40) for _ in range(3)]
    errors = [worker.communicate()[1] for worker in workers]

    assert errors == ["", "", ""]
    assert _look(opened(kind, str(tmp_path / "store")), totals) == (120, 120, 120)


@every_durable
@pytest.mark.parametrize("acknowledged", [1, 2, 7, 20])
def test_a_killed_writer_leaves_every_acknowledged_write_and_nothing_half(
    kind: str, tmp_path: Path, acknowledged: int
) -> None:
    path = tmp_path / "store"
    last = _kill_after(_start(kind, path, job="write", count=100_000), acknowledged)

    async def check(store: StorePort) -> None:
        values = [await store.get(f"value:{number}") for number in range(last + 1)]
        assert values == [[number] * 500 for number in range(last + 1)]
        assert (await store.list("log"))[: last + 1] == values
        assert await store.get("latest") in {last, last + 1}
        assert {"latest"} <= set(await keys_of(store))

    _look(opened(kind, str(path)), check)


@every_durable
def test_a_store_whose_writer_was_killed_is_written_to_again(kind: str, tmp_path: Path) -> None:
    _kill_after(_start(kind, tmp_path / "store", job="write", count=100_000), 3)

    async def steps(store: StorePort) -> Any:
        await store.append("log", "after")
        await store.set("latest", "after")
        return (await store.list("log"))[-1], await store.get("latest")

    assert _look(opened(kind, str(tmp_path / "store")), steps) == ("after", "after")


@pytest.mark.parametrize("acknowledged", [1, 5, 30])
def test_a_killed_run_has_every_checkpoint_it_was_told_of(
    tmp_path: Path, acknowledged: int
) -> None:
    path = tmp_path / "runs.sqlite"
    last = _kill_after(_start("sqlite", path, job="save", count=100_000), acknowledged)

    async def steps(store: SQLiteCheckpointStore) -> None:
        versions = await store.list_versions("run")
        assert versions == list(range(1, len(versions) + 1))
        assert len(versions) >= last
        found = [await store.at_version("run", version) for version in versions]
        assert [each and each.state["turn"] for each in found] == versions

    _look(SQLiteCheckpointStore.open(path), steps)


def test_of_processes_that_save_one_run_nobody_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    workers = [_start("sqlite", path, job="save", count=50) for _ in range(3)]
    errors = [worker.communicate()[1] for worker in workers]

    assert errors == ["", "", ""]
    versions = _look(SQLiteCheckpointStore.open(path), lambda store: store.list_versions("run"))
    assert versions == list(range(1, 51))
