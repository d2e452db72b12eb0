"""How state compares with the floor and with peers: `python benchmarks/state.py [ROUNDS]`.

Figures differ from machine to machine; the ratios are what stays.
"""

import asyncio
import itertools
import json
import sqlite3
import sys
import tempfile
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from measuring import Row, Sample, compare, seconds_of, seconds_of_await, table

from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.state.checkpoints import SQLiteCheckpointStore
from agentkit.state.stores import InMemoryStore

MANY = 10_000
WRITES = 20
"""Durable writes for one measurement: each waits for the disk."""


def main(rounds: int) -> None:
    """Print the table."""
    print(f"medians of {rounds} interleaved rounds, Python {sys.version.split()[0]}\n")
    print(table(asyncio.run(_measured(rounds))))


async def _measured(rounds: int) -> list[str]:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        rows = [*small_values(), *large_values(), *await checkpoints(stack, folder)]
        return await compare(rows, rounds)


def small_values() -> list[Row]:
    """100 bytes in memory, against the caches in memory of two peers."""
    store, value = InMemoryStore(), "x" * 100
    work = {"get": lambda: store.get("k"), "set": lambda: store.set("k", value)}
    return [
        Row(
            what=f"{verb} of 100 B in memory",
            ours=seconds_of_await(work[verb], times=500),
            floor=seconds_of_await(theirs[verb], times=500),
            against=against,
            at_most=at_most,
        )
        for against, at_most, theirs in _caches(value)
        for verb in ("set", "get")
    ]


Work = Callable[[], Awaitable[Any]]


def _caches(value: str) -> list[tuple[str, float, dict[str, Work]]]:
    aiocache, cashews = _module("aiocache"), _module("cashews")
    if aiocache is None or cashews is None:
        return []
    theirs, live = aiocache.SimpleMemoryCache(), cashews.Cache()
    live.setup("mem://")
    return [
        (name, at_most, {"set": partial(cache.set, "k", value), "get": partial(cache.get, "k")})
        for name, at_most, cache in (("aiocache", 1 / 4, theirs), ("cashews", 1, live))
    ]


def large_values() -> list[Row]:
    """100 kilobytes in memory, against one `json.dumps` and `json.loads`."""
    return [
        Row(
            what=f"set and get of 100 KB in memory: {what}",
            ours=seconds_of_await(_in_and_out(value), times=5),
            floor=seconds_of(partial(_through_json, value), times=5),
            against="json",
            at_most=0.5,
        )
        for what, value in _documents().items()
    ]


def _through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _in_and_out(value: Any) -> Work:
    store = InMemoryStore()

    async def work() -> Any:
        await store.set("k", value)
        return await store.get("k")

    return work


def _documents() -> dict[str, Any]:
    call = {"id": "c1", "name": "search", "arguments": {"query": "octopus cognition", "limit": 20}}
    asked = {"role": "user", "content": "What is known about the arms of an octopus? " * 3}
    called = {"role": "assistant", "content": "", "tool_calls": [call]}
    told = {"role": "tool", "tool_call_id": "c1", "content": "Each arm has a ganglion. " * 32}
    found = {"id": 7, "title": "Arms that think", "year": 2021, "score": 0.75, "tags": ["biology"]}
    return {
        "a transcript": [asked, called, told] * 88,
        "records": [{**found, "id": number} for number in range(1100)],
        "texts": [{"id": number, "text": "some words of it " * 40} for number in range(140)],
        "numbers": [number / 7 for number in range(5500)],
    }


async def checkpoints(stack: AsyncExitStack, folder: Path) -> list[Row]:
    """Checkpoints of 10 KB in SQLite, against a bare insert and against a peer's."""
    state = {"messages": [{"role": "user", "content": "x" * 180} for _ in range(46)]}
    store = await stack.enter_async_context(SQLiteCheckpointStore.open(folder / "ours"))
    turns = itertools.count(1)

    async def save(run_id: str) -> None:
        checkpoint = Checkpoint(run_id, next(turns), state, 0.0, CheckpointStatus.RUNNING)
        await store.save(checkpoint)

    await save("short")
    for _ in range(MANY):
        await save("long")
    saving = seconds_of_await(lambda: save("saved"), times=WRITES)
    latest, latest_of_many = (
        seconds_of_await(partial(store.latest, run_id), times=100) for run_id in ("short", "long")
    )
    what = "save of a 10 KB checkpoint"
    insert = seconds_of_await(_bare_insert(stack, folder / "bare", state), times=WRITES)
    rows = [
        Row(what=what, ours=saving, floor=insert, against="a WAL insert in a thread", at_most=1.5),
        Row(
            what=f"latest of {MANY:,} versions",
            ours=latest_of_many,
            floor=latest,
            against="of one version",
            at_most=1.1,
        ),
    ]
    peers = await _saver(stack, folder / "theirs", state)
    against = "langgraph's AsyncSqliteSaver"
    ours = {what: saving, "latest of one version": latest}
    rows += [
        Row(what=name, ours=ours[name], floor=theirs, against=against, at_most=1)
        for name, theirs in zip(ours, peers, strict=False)  # without the peer there is none
    ]
    return rows


def _bare_insert(stack: AsyncExitStack, path: Path, state: Any) -> Work:
    """Insert text of the same size under the same PRAGMAs, through a thread."""
    text = json.dumps(state)
    thread = stack.enter_context(ThreadPoolExecutor(1))
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    stack.callback(connection.close)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(
        "CREATE TABLE t (run TEXT, version INTEGER, state TEXT, UNIQUE(run, version))"
    )
    versions = itertools.count(1)

    def insert() -> None:
        connection.execute("INSERT INTO t VALUES (?, ?, ?)", ("run", next(versions), text))

    return lambda: asyncio.get_running_loop().run_in_executor(thread, insert)


async def _saver(stack: AsyncExitStack, path: Path, state: Any) -> list[Sample]:
    base, sqlite = _module("langgraph.checkpoint.base"), _module("langgraph.checkpoint.sqlite.aio")
    if base is None or sqlite is None:
        return []
    opened = sqlite.AsyncSqliteSaver.from_conn_string(str(path))
    saver = await stack.enter_async_context(opened)
    await saver.setup()  # which chooses WAL; fully synchronous is the default
    config = {"configurable": {"thread_id": "run", "checkpoint_ns": ""}}

    async def save() -> None:
        checkpoint = {**base.empty_checkpoint(), "channel_values": state}
        await saver.aput(config, checkpoint, {}, {})

    await save()
    latest = {"configurable": {"thread_id": "run"}}
    return [
        seconds_of_await(save, times=WRITES),
        seconds_of_await(lambda: saver.aget_tuple(latest), times=100),
    ]


def _module(name: str) -> Any | None:
    """Give the module *name* of a peer, or None where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        print(f"without {name} (benchmarks/state-requirements.txt) it is not compared\n")
        return None


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
