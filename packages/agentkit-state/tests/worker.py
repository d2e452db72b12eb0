"""A process of its own that writes to a store; run by the tests of several processes.

``python worker.py KIND PATH JOB COUNT``: each write that has returned is told on standard output.
"""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from agentkit.core.contracts.errors import CheckpointConflict
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus, StorePort
from agentkit.state.checkpoints import SQLiteCheckpointStore
from agentkit.state.stores import FileStore, SQLiteStore


@asynccontextmanager
async def opened(kind: str, path: str) -> AsyncGenerator[StorePort, None]:
    if kind == "files":
        yield FileStore(path)
        return
    async with SQLiteStore.open(path) as store:
        yield store


async def hammer(store: StorePort, count: int) -> None:
    """Change one counter, one ordinal and one log *count* times each."""
    for _ in range(count):
        await store.increment("counter")
        await _next_ordinal(store)
        await store.append("log", {"entry": 1})


async def _next_ordinal(store: StorePort) -> None:
    while True:
        current = await store.get("ordinal")
        if await store.compare_and_set("ordinal", current, (current or 0) + 1):
            return


async def write(store: StorePort, count: int) -> None:
    """Write *count* values and log entries of some size, telling each that is done."""
    for number in range(count):
        await store.set(f"value:{number}", [number] * 500)
        await store.append("log", [number] * 500)
        await store.set("latest", number)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


async def save(path: str, count: int) -> None:
    """Save *count* checkpoints of one run, as far as no other worker has, telling each."""
    async with SQLiteCheckpointStore.open(path) as store:
        for number in range(1, count + 1):
            state = {"turn": number, "text": "x" * 2000}
            checkpoint = Checkpoint("run", number, state, 0.0, CheckpointStatus.RUNNING)
            try:
                await store.save(checkpoint)
            except CheckpointConflict:
                return
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


JOBS: dict[str, Callable[[StorePort, int], Awaitable[None]]] = {"hammer": hammer, "write": write}


async def main() -> None:
    kind, path, job, count = sys.argv[1:]
    if job == "save":
        await save(path, int(count))
        return
    async with opened(kind, path) as store:
        await JOBS[job](store, int(count))


if __name__ == "__main__":
    asyncio.run(main())
