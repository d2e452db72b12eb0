"""The stores under test, each opened the way its users do, on a clock that a test moves."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agentkit.core.contracts.ports import CheckpointPort, StorePort
from agentkit.state.checkpoints import (
    FileCheckpointStore,
    InMemoryCheckpointStore,
    SQLiteCheckpointStore,
)
from agentkit.state.stores import FileStore, InMemoryStore, SQLiteStore

T = TypeVar("T")


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


Opened = AbstractAsyncContextManager[StorePort]
Opener = Callable[[Path, Clock], Opened]
OpenedCheckpoints = AbstractAsyncContextManager[CheckpointPort]


@asynccontextmanager
async def open_memory(_: Path, clock: Clock) -> AsyncGenerator[StorePort, None]:
    yield InMemoryStore(clock=clock)


@asynccontextmanager
async def open_files(folder: Path, _: Clock) -> AsyncGenerator[StorePort, None]:
    yield FileStore(folder / "files")


@asynccontextmanager
async def open_sqlite(folder: Path, clock: Clock) -> AsyncGenerator[StorePort, None]:
    async with SQLiteStore.open(folder / "store.sqlite", clock=clock) as store:
        yield store


@asynccontextmanager
async def open_memory_checkpoints(_: Path) -> AsyncGenerator[CheckpointPort, None]:
    yield InMemoryCheckpointStore()


@asynccontextmanager
async def open_file_checkpoints(folder: Path) -> AsyncGenerator[CheckpointPort, None]:
    yield FileCheckpointStore(folder / "files")


@asynccontextmanager
async def open_sqlite_checkpoints(folder: Path) -> AsyncGenerator[CheckpointPort, None]:
    async with SQLiteCheckpointStore.open(folder / "store.sqlite") as store:
        yield store


STORES: dict[str, Opener] = {
    "memory": open_memory,
    "files": open_files,
    "sqlite": open_sqlite,
}
EXPIRING = {name: STORES[name] for name in ("memory", "sqlite")}
SERIALISING = {name: STORES[name] for name in ("files", "sqlite")}
CHECKPOINTS: dict[str, Callable[[Path], OpenedCheckpoints]] = {
    "memory": open_memory_checkpoints,
    "files": open_file_checkpoints,
    "sqlite": open_sqlite_checkpoints,
}


def with_store(opened: Opened | OpenedCheckpoints, steps: Callable[[Any], Awaitable[T]]) -> T:
    """Run *steps* with the store inside an event loop of their own, and give what they return."""

    async def run() -> T:
        async with opened as store:
            return await steps(store)

    return asyncio.run(run())


async def never() -> Any:
    pytest.fail("a producer ran that must not")


async def keys_of(store: StorePort, prefix: str = "", *, limit: int | None = None) -> list[str]:
    return sorted([key async for key in store.scan(prefix, limit=limit)])


async def cancelled_after(steps: int, operation: Awaitable[object]) -> BaseException | object:
    """Cancel *operation* after it was resumed *steps* times, and give how it ended."""
    task = asyncio.ensure_future(operation)
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    (outcome,) = await asyncio.gather(task, return_exceptions=True)
    return outcome
