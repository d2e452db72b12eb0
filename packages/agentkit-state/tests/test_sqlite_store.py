"""What only the SQLite store does: its file, its schema, and the errors that name it."""

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentkit.core.contracts.errors import CheckpointerError, StoreUnavailable
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.checkpoints import SQLiteCheckpointStore
from agentkit.state.stores import SQLiteStore, _database

from .support import Clock, cancelled_after, keys_of

REFUSE_DELETION = (
    "CREATE TEMP TRIGGER refusing BEFORE DELETE ON agentkit_kv BEGIN SELECT RAISE(ABORT, 'no'); END"
)

Steps = Callable[[SQLiteStore], Awaitable[Any]]


def _run(path: Path, steps: Steps, *, clock: Clock | None = None) -> Any:
    async def run() -> Any:
        async with SQLiteStore.open(path, clock=clock or Clock()) as store:
            return await steps(store)

    return asyncio.run(run())


async def _nothing(_: SQLiteStore) -> None: ...


async def executed(store: SQLiteStore, statement: str) -> None:
    """Run *statement* on the connection of *store* itself."""
    database = store._database  # pyright: ignore[reportPrivateUsage] - there is no other way
    await database.call(lambda connection: connection.execute(statement).fetchall())


def wait_for_threads() -> None:
    """Return once every thread of a store that was closed has ended."""
    for thread in threading.enumerate():
        if thread.name.startswith("agentkit-sqlite"):
            thread.join()


def _execute(path: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement).fetchall()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def test_values_survive_closing(path: Path) -> None:
    async def write(store: SQLiteStore) -> None:
        await store.set("k", [1])
        await store.append("k", 2)

    async def read(store: SQLiteStore) -> Any:
        return await store.get("k"), await store.list("k")

    _run(path, write)
    assert _run(path, read) == ([1], [2])


def test_values_are_stored_as_canonical_json_with_their_deadline(path: Path) -> None:
    async def write(store: SQLiteStore) -> None:
        await store.set("k", {"b": "é\0\ud800", "a": 10**30}, ttl=7)
        await store.append("log", [True, None])

    _run(path, write)
    assert _execute(path, "SELECT key, value, expires_at FROM agentkit_kv") == [
        ("k", r'{"a":1' + "0" * 30 + r',"b":"\u00e9\u0000\ud800"}', 1_000_007.0)
    ]
    assert _execute(path, "SELECT key, value FROM agentkit_log") == [("log", "[true,null]")]


def test_the_file_says_whose_it_is_and_how_it_is_written(path: Path) -> None:
    _run(path, _nothing)

    pragmas = ("application_id", "user_version", "journal_mode")
    assert [_execute(path, f"PRAGMA {name}")[0][0] for name in pragmas] == [0x61676B74, 1, "wal"]


def test_the_order_of_a_log_is_that_of_its_appends(path: Path) -> None:
    async def steps(store: SQLiteStore) -> list[Any]:
        for number in range(30):
            await store.append(f"log{number % 2}", number)
        return await store.list("log0")

    assert _run(path, steps) == list(range(0, 30, 2))


def test_purging_reclaims_what_expired(path: Path) -> None:
    clock = Clock()

    async def steps(store: SQLiteStore) -> tuple[int, int]:
        for key in "abc":
            await store.set(key, 1, ttl=1 if key < "c" else 9)
        clock.now += 1
        return await store.purge_expired(), await store.purge_expired()

    assert _run(path, steps, clock=clock) == (2, 0)


def test_every_256th_write_reclaims_what_nobody_reads(path: Path) -> None:
    clock = Clock()

    async def steps(store: SQLiteStore) -> None:
        await store.set("forgotten", 1, ttl=1)
        clock.now += 2
        for _ in range(255):
            await store.set("k", 1)

    _run(path, steps, clock=clock)
    assert _execute(path, "SELECT key FROM agentkit_kv") == [("k",)]


def test_every_256th_increment_reclaims_windows_that_nobody_reads(path: Path) -> None:
    clock = Clock()

    async def steps(store: SQLiteStore) -> None:
        for window in range(256):
            await store.increment(f"calls:{window}", ttl=1)
            clock.now += 2

    _run(path, steps, clock=clock)
    assert _execute(path, "SELECT key FROM agentkit_kv") == [("calls:255",)]


def test_a_write_whose_reclaiming_fails_has_not_happened(path: Path) -> None:
    clock = Clock()

    async def steps(store: SQLiteStore) -> Any:
        await store.set("forgotten", 1, ttl=1)
        clock.now += 2
        for _ in range(254):
            await store.set("k", "before")
        await executed(store, REFUSE_DELETION)
        with pytest.raises(StoreUnavailable, match=r"store\.sqlite: no"):
            await store.set("k", "after")
        return await store.get("k")

    assert _run(path, steps, clock=clock) == "before"


def test_cancelling_whoever_closes_the_store_closes_it_all_the_same(path: Path) -> None:
    async def steps() -> None:
        opened = SQLiteStore.open(path)
        store = await opened.__aenter__()
        await cancelled_after(1, opened.__aexit__(None, None, None))
        with pytest.raises(StoreUnavailable, match="it was closed"):
            await store.get("k")

        # The last connection that is closed takes the write-ahead log with it.
        await asyncio.to_thread(wait_for_threads)
        assert [each.name for each in path.parent.iterdir()] == [path.name]

    asyncio.run(steps())


def test_two_stores_on_one_file_see_each_other(path: Path) -> None:
    async def steps(store: SQLiteStore) -> Any:
        async with SQLiteStore.open(path) as other:
            await other.increment("k")
            await asyncio.gather(*(s.increment("k") for s in (store, other) * 10))
            return await store.get("k")

    assert _run(path, steps) == 21


def test_values_and_checkpoints_share_a_file(path: Path) -> None:
    async def steps(store: SQLiteStore) -> Any:
        async with SQLiteCheckpointStore.open(path) as checkpoints:
            await checkpoints.save(Checkpoint("r", 1, {}, 0.0, CheckpointStatus.DONE))
            await store.set("k", 1)
            return await keys_of(store), await checkpoints.list_versions("r")

    assert _run(path, steps) == (["k"], [1])


def test_producers_of_two_stores_agree_on_one_value(path: Path) -> None:
    async def steps(store: SQLiteStore) -> tuple[Any, Any]:
        async with SQLiteStore.open(path) as other:
            meeting = asyncio.Barrier(2)

            async def produce() -> int:
                await meeting.wait()
                return next(numbers)

            both = (each.get_or_set("k", produce) for each in (store, other))
            first, second = await asyncio.gather(*both)
            return first, second

    numbers = iter((1, 2))
    first, second = _run(path, steps)
    assert first == second


def test_a_closed_store_says_so(path: Path) -> None:
    async def steps() -> None:
        async with SQLiteStore.open(path) as store:
            pass
        with pytest.raises(StoreUnavailable, match="it was closed; use the store inside"):
            await store.get("k")

    asyncio.run(steps())


def test_a_store_made_without_opening_says_so(path: Path) -> None:
    store = SQLiteStore(_database.Database(path, unavailable=StoreUnavailable))

    with pytest.raises(StoreUnavailable, match="it is not open"):
        asyncio.run(store.get("k"))


def test_a_file_that_another_never_lets_go_of_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentkit.state.stores._database._BUSY_SECONDS", 0.0)
    _run(path, _nothing)

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnavailable, match=r"store\.sqlite: database is locked"):
            _run(path, _nothing)


def test_closed_checkpoints_say_so(path: Path) -> None:
    async def steps() -> None:
        async with SQLiteCheckpointStore.open(path) as store:
            pass
        with pytest.raises(CheckpointerError, match="it was closed; use the store inside"):
            await store.latest("run")

    asyncio.run(steps())


def test_a_store_serves_one_event_loop_after_another(path: Path) -> None:
    opened = SQLiteStore.open(path)
    with asyncio.Runner() as first, asyncio.Runner() as second:
        store = first.run(opened.__aenter__())
        totals = [loop.run(store.increment("k")) for loop in (first, second, first)]
        first.run(opened.__aexit__(None, None, None))

    assert totals == [1, 2, 3]


def test_closing_waits_for_what_was_asked_before(path: Path) -> None:
    async def steps(store: SQLiteStore) -> None:
        writing = asyncio.ensure_future(store.set("k", 1))
        await asyncio.sleep(0)
        writing.cancel()

    async def read(store: SQLiteStore) -> Any:
        return await store.get("k")

    _run(path, steps)
    assert _run(path, read) in {None, 1}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no database " * 100, "file is not a database"),
        (b"no database", "file is not a database"),
        (b"SQLite format 3\0" + b"\xff" * 4000, "."),
    ],
    ids=["text", "short text", "damaged header"],
)
def test_a_file_that_is_no_database_is_named(path: Path, content: bytes, said: str) -> None:
    path.write_bytes(content)

    with pytest.raises(StoreUnavailable, match=f"store.sqlite: .*{said}"):
        _run(path, _nothing)

    assert path.read_bytes() == content


def test_a_store_and_checkpoints_on_one_file_keep_their_locks_on_it(path: Path) -> None:
    async def steps(store: SQLiteStore) -> list[tuple[str, bool]]:
        async with SQLiteCheckpointStore.open(path):
            await store.set("k", 1)
            first = await asyncio.to_thread(_visited, path)
            await store.set("k", 2)
            return [first, await asyncio.to_thread(_visited, path)]

    assert _run(path, steps) == [("1", True), ("2", True)]


def _visited(path: Path) -> tuple[str, bool]:
    """Give what another process reads at `k`, and whether its closing left the log of writes."""
    visit = (
        "import asyncio, sys; from agentkit.state.stores import SQLiteStore\n"
        "async def visit():\n"
        "    async with SQLiteStore.open(sys.argv[1]) as store: print(await store.get('k'))\n"
        "asyncio.run(visit())"
    )
    seen = subprocess.check_output([sys.executable, "-c", visit, path], text=True)
    return seen.strip(), Path(f"{path}-wal").exists()


def test_the_file_of_another_application_is_left_alone(path: Path) -> None:
    _execute(path, "CREATE TABLE theirs (x)")
    before = path.read_bytes()

    with pytest.raises(StoreUnavailable, match=r"store\.sqlite: .*belongs to another application"):
        _run(path, _nothing)

    assert path.read_bytes() == before


def _add_migration(monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    name = "agentkit.state.stores._database._MIGRATIONS"
    monkeypatch.setattr(name, (*_database._MIGRATIONS, (statement,)))  # pyright: ignore[reportPrivateUsage]


def test_an_older_schema_is_migrated_and_keeps_what_is_there(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps(store: SQLiteStore) -> int:
        return await store.increment("k")

    _run(path, steps)
    _add_migration(monkeypatch, "ALTER TABLE agentkit_kv ADD COLUMN note TEXT")

    assert [_run(path, steps), _run(path, steps)] == [2, 3]
    assert _execute(path, "PRAGMA user_version") == [(2,)]


def test_a_migration_that_fails_changes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(path, _nothing)
    _add_migration(monkeypatch, "DROP TABLE there_is_none")

    with pytest.raises(StoreUnavailable, match=r"store\.sqlite: no such table"):
        _run(path, _nothing)
    assert _execute(path, "PRAGMA user_version") == [(1,)]


@pytest.mark.parametrize("place", ["", "missing/store.sqlite"], ids=["a folder", "missing folder"])
def test_a_path_that_cannot_be_opened_is_named(tmp_path: Path, place: str) -> None:
    with pytest.raises(StoreUnavailable, match=f"{tmp_path.name}.*unable to open database file"):
        _run(tmp_path / place, _nothing)


def test_a_file_that_cannot_be_written_is_named_and_still_read(path: Path) -> None:
    async def steps(store: SQLiteStore) -> Any:
        await store.set("k", 1)
        await executed(store, "PRAGMA query_only = 1")
        with pytest.raises(StoreUnavailable, match=r"store\.sqlite: attempt to write a readonly"):
            await store.increment("k")
        return await store.get("k")

    assert _run(path, steps) == 1


@pytest.mark.parametrize("text", ["{", "NaN", b"\xff", 7], ids=repr)
def test_a_value_that_something_else_damaged_is_named(path: Path, text: Any) -> None:
    async def write(store: SQLiteStore) -> None:
        await store.set("k", 1)

    async def read(store: SQLiteStore) -> None:
        with pytest.raises(StoreUnavailable, match=r"store\.sqlite: "):
            await store.get("k")

    _run(path, write)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE agentkit_kv SET value = ?", (b"{" if text == 7 else text,))
    _run(path, read)


def test_a_failure_inside_a_transaction_leaves_the_connection_usable(path: Path) -> None:
    async def steps(store: SQLiteStore) -> Any:
        await store.set("k", "text")
        with pytest.raises(ValueError, match="requires a stored integer"):
            await store.increment("k")
        return await store.increment("n")

    assert _run(path, steps) == 1
