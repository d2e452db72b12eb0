"""Steps that clauses share: gates instead of sleeps, and cancellation at every await."""

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import StorePort
from agentkit.testing.faults import cancel_at_every_await as cut_at_every_await

__all__ = [
    "Operation",
    "Producer",
    "accepts",
    "cancelled",
    "cut_at_every_await",
    "gives",
    "in_turn",
    "joined",
    "keys",
    "quietly",
]

Operation = Callable[[], Coroutine[Any, Any, Any]]
"""Something that can be begun again and again."""


class Producer:
    """A producer that tells when it has begun, waits to be let go, and counts its runs."""

    def __init__(self, value: Any = "made", *, error: Exception | None = None) -> None:
        self.value = value
        self.error = error
        self.runs = 0
        self.begun = asyncio.Event()
        self.ended = asyncio.Event()
        self.may_end = asyncio.Event()
        self.was_cancelled = False

    async def __call__(self) -> Any:
        """Run once more: begin, wait, give the value or raise the error."""
        self.runs += 1
        self.begun.set()
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        finally:
            self.ended.set()
        if self.error is not None:
            raise self.error
        return self.value


def gives(value: Any) -> Operation:
    """Make a producer that gives *value* at once."""

    async def produce() -> Any:
        return value

    return produce


def in_turn(operations: Iterator[Operation]) -> Operation:
    """Make an operation that is the next of *operations* each time it is begun."""

    def begin() -> Coroutine[Any, Any, Any]:
        return next(operations)()

    return begin


async def keys(store: StorePort, prefix: str, *, limit: int | None = None) -> list[str]:
    """Give everything a scan yields, in order of the alphabet."""
    return sorted([key async for key in store.scan(prefix, limit=limit)])


async def accepts(write: Awaitable[object]) -> bool:
    """Whether *write* went through; False if it was refused as a value no store takes."""
    try:
        await write
    except StoreValueError:
        return False
    return True


async def joined(store: StorePort, key: str) -> None:
    """Return once calls made before had their turn: later round trips have come back."""
    for _ in range(3):
        await store.get(key)
        await asyncio.sleep(0)


@contextmanager
def quietly() -> Generator[None, None, None]:
    """Give a scope whose warnings are not heard."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


async def cancelled(task: asyncio.Task[Any]) -> None:
    """Cancel *task* and wait for its end, whatever that is."""
    task.cancel()
    await asyncio.wait([task])
