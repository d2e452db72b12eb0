"""Steps that clauses share: gates instead of sleeps, and cancellation at a chosen await."""

import asyncio
import types
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import suppress
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import StorePort

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
]

Operation = Callable[[], Coroutine[Any, Any, Any]]
"""Something that can be begun again and again."""

_MOST_AWAITS = 60


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


async def cancelled(task: asyncio.Task[Any]) -> None:
    """Cancel *task* and wait for its end, whatever that is."""
    task.cancel()
    await asyncio.wait([task])


async def cut_at_every_await(operation: Operation) -> AsyncIterator[int]:
    """Run *operation* again and again, cancelled at its 1st, 2nd, ... nth suspension.

    Gives n after each run, the last of which went through; any other error of *operation* leaves.
    """
    for nth in range(1, _MOST_AWAITS):
        cut = _Cut(nth)
        with suppress(asyncio.CancelledError):
            await asyncio.create_task(_as_coroutine(cut.through(operation())))
        yield nth
        if not cut.reached:
            return


class _Cut:
    def __init__(self, nth: int) -> None:
        self.left = nth

    @property
    def reached(self) -> bool:
        return self.left <= 0

    @types.coroutine
    def through(self, work: Coroutine[Any, Any, Any]) -> Generator[Any, None, Any]:
        """Drive *work* as a task would, and cancel that task at the chosen suspension."""
        thrown: BaseException | None = None
        while True:
            try:
                awaited = work.send(None) if thrown is None else work.throw(thrown)
            except StopIteration as done:
                return done.value
            self.left -= 1
            if self.left == 0:
                # Asked for during the task's own step, it strikes what is awaited next.
                _current().cancel()
            thrown = None
            try:
                yield awaited
            except BaseException as exc:  # noqa: BLE001  # handed on to *work*, whose it is
                thrown = exc


async def _as_coroutine(work: Awaitable[Any]) -> Any:
    return await work


def _current() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("a cut runs in a task")
    return task
