"""Processes of their own that write to a store; run by the tests of several processes.

``worker.py KIND PATH SECONDS`` hammers on a store with others, and tells how often. ``worker.py``
alone reads ``KIND FIRST PATH`` from standard input, line by line, and forks a writer for each: that
starts in no time. A writer tells its process id, then each number that is written; "ended" follows
once it is killed.
"""

import asyncio
import itertools
import os
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from agentkit.core.contracts.errors import CheckpointConflict
from agentkit.core.contracts.ports import Checkpoint, CheckpointPort, CheckpointStatus, StorePort
from agentkit.state.checkpoints import FileCheckpointStore, SQLiteCheckpointStore
from agentkit.state.stores import FileStore, SQLiteStore

IN_FILES: dict[str, Callable[[str], Any]] = {
    "files": FileStore,
    "file-checkpoints": FileCheckpointStore,
}


@asynccontextmanager
async def opened(kind: str, path: str) -> AsyncGenerator[Any, None]:
    """Open the adapter that the tests call *kind*."""
    if kind in IN_FILES:
        yield IN_FILES[kind](path)
        return
    opener = SQLiteStore if kind == "sqlite" else SQLiteCheckpointStore
    async with opener.open(path) as store:
        yield store


def document(number: int) -> dict[str, Any]:
    """Give what is written under *number*: of any size up to some pages."""
    return {"number": number, "fill": "x" * (number * 997 % 12_000)}


def checkpoint(number: int, *, by: int = 0) -> Checkpoint:
    """Give the version *number* of the run that is written here."""
    return Checkpoint("run", number, document(number), 0.0, CheckpointStatus.RUNNING, {"by": by})


async def write(store: StorePort, number: int) -> None:
    """Write a value, an entry of a log and a value that was there before."""
    await store.set(f"value:{number}", document(number))
    await store.append("log", document(number))
    await store.set("latest", document(number))


async def save(store: CheckpointPort, number: int) -> None:
    """Save one version."""
    await store.save(checkpoint(number))


async def hammer(store: StorePort) -> int:
    """Change a counter, an ordinal and a log, once each."""
    await store.increment("counter")
    await store.append("log", {"entry": 1})
    while True:
        current = await store.get("ordinal")
        if await store.compare_and_set("ordinal", current, (current or 0) + 1):
            return 1


async def race(store: CheckpointPort) -> int:
    """Save the version after the latest, and tell whether it was us who did."""
    latest = await store.latest("run")
    number = latest.version + 1 if latest else 1
    try:
        await store.save(checkpoint(number, by=os.getpid()))
    except CheckpointConflict:
        return 0
    return 1


WRITES: dict[str, Callable[[Any, int], Awaitable[None]]] = {
    "files": write,
    "sqlite": write,
    "checkpoints": save,
    "file-checkpoints": save,
}
HAMMERS: dict[str, Callable[[Any], Awaitable[int]]] = {
    "files": hammer,
    "sqlite": hammer,
    "checkpoints": race,
    "file-checkpoints": race,
}


async def write_until_killed(kind: str, path: str, first: int) -> None:
    async with opened(kind, path) as store:
        for number in itertools.count(first):
            await WRITES[kind](store, number)
            os.write(1, f"{number}\n".encode())


async def hammer_for(kind: str, path: str, seconds: float) -> None:
    end, times = time.monotonic() + seconds, 0
    async with opened(kind, path) as store:
        while time.monotonic() < end:
            times += await HAMMERS[kind](store)
    os.write(1, f"{times}\n".encode())


def nurse() -> None:
    for line in sys.stdin:
        kind, first, path = line.removesuffix("\n").split(" ", 2)
        child = os.fork()
        if not child:
            os.write(1, f"{os.getpid()}\n".encode())
            asyncio.run(write_until_killed(kind, path, int(first)))
        os.waitpid(child, 0)
        os.write(1, b"ended\n")


if __name__ == "__main__":
    if sys.argv[1:]:
        asyncio.run(hammer_for(sys.argv[1], sys.argv[2], float(sys.argv[3])))
    else:
        nurse()
