"""Operators on async streams. Predicates and mappers may be sync or async.

Each operator closes its source as soon as its own consumer stops, whichever way it stops. To stop
early, close the operator's stream (`aclosing`), as with any async generator. A stream is consumed
once: using one that has ended as a source is an error, not an empty result.
"""

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar, overload

from agentkit.core.execution._abort import SIBLING_CLEANUP_GRACE_S, end_tasks
from agentkit.core.execution._checks import check_count

__all__ = [
    "buffer",
    "distinct_until_changed",
    "filter_stream",
    "map_stream",
    "merge",
    "scan",
    "take",
    "take_until",
    "take_while",
    "to_list",
]

T = TypeVar("T")
R = TypeVar("R")

_UNSET: Any = object()


@overload
def map_stream(
    source: AsyncIterable[T], fn: Callable[[T], Awaitable[R]]
) -> AsyncGenerator[R, None]: ...


@overload
def map_stream(source: AsyncIterable[T], fn: Callable[[T], R]) -> AsyncGenerator[R, None]: ...


async def map_stream(source: AsyncIterable[T], fn: Callable[[T], Any]) -> AsyncGenerator[Any, None]:
    """Give *fn* of each item."""
    async with _closing(source) as items:
        async for item in items:
            yield await _value(fn(item))


async def filter_stream(
    source: AsyncIterable[T], predicate: Callable[[T], bool | Awaitable[bool]]
) -> AsyncGenerator[T, None]:
    """Give the items for which *predicate* holds."""
    async with _closing(source) as items:
        async for item in items:
            if await _value(predicate(item)):
                yield item


async def take(source: AsyncIterable[T], n: int) -> AsyncGenerator[T, None]:
    """Give the first *n* items and pull no more than those; zero or less gives none.

    Raises:
        TypeError: *n* is no whole number.

    """
    left = check_count("n", n, at_least=None)
    async with _closing(source) as items:
        while left > 0:
            item = await anext(items, _UNSET)
            if item is _UNSET:
                return
            left -= 1
            yield item


async def take_while(
    source: AsyncIterable[T], predicate: Callable[[T], bool | Awaitable[bool]]
) -> AsyncGenerator[T, None]:
    """Give items up to the first for which *predicate* does not hold, and not that one."""
    async with _closing(source) as items:
        async for item in items:
            if not await _value(predicate(item)):
                return
            yield item


async def take_until(
    source: AsyncIterable[T], predicate: Callable[[T], bool | Awaitable[bool]]
) -> AsyncGenerator[T, None]:
    """Give items up to the first for which *predicate* holds, that one included."""
    async with _closing(source) as items:
        async for item in items:
            yield item
            if await _value(predicate(item)):
                return


async def distinct_until_changed(
    source: AsyncIterable[T], key: Callable[[T], Any] | None = None
) -> AsyncGenerator[T, None]:
    """Give each item whose *key* (itself without one) differs from that of the item before."""
    latest: Any = _UNSET
    async with _closing(source) as items:
        async for item in items:
            current = item if key is None else await _value(key(item))
            if latest is _UNSET or current != latest:
                latest = current
                yield item


@overload
def scan(
    source: AsyncIterable[T], fn: Callable[[R, T], Awaitable[R]], initial: R
) -> AsyncGenerator[R, None]: ...


@overload
def scan(
    source: AsyncIterable[T], fn: Callable[[R, T], R], initial: R
) -> AsyncGenerator[R, None]: ...


async def scan(
    source: AsyncIterable[T], fn: Callable[[R, T], Any], initial: R
) -> AsyncGenerator[R, None]:
    """Give the running fold of *fn* after each item; *initial* itself is not given."""
    folded = initial
    async with _closing(source) as items:
        async for item in items:
            folded = await _value(fn(folded, item))
            yield folded


async def buffer(source: AsyncIterable[T], n: int) -> AsyncGenerator[list[T], None]:
    """Give the items in lists of *n*, and what is left at the end in a shorter one.

    Raises:
        TypeError: *n* is no whole number.
        ValueError: *n* is less than 1.

    """
    check_count("n", n, at_least=1)
    held: list[T] = []
    async with _closing(source) as items:
        async for item in items:
            held.append(item)
            if len(held) == n:
                full, held = held, []
                yield full
    if held:
        yield held


async def merge(*sources: AsyncIterable[T], buffer: int = 64) -> AsyncGenerator[T, None]:
    """Give the items of all *sources* as they come, each source in its own order.

    At most *buffer* items wait for the consumer. The first error of a source is raised after the
    items that came before it, and ends the others. When the consumer stops, all sources are closed.

    Raises:
        TypeError: *buffer* is no whole number.
        ValueError: *buffer* is less than 1.

    """
    check_count("buffer", buffer, at_least=1)
    inbox: _Inbox[T] = _Inbox(buffer)
    pumps = [asyncio.create_task(inbox.pump(source)) for source in sources]
    try:
        left = len(pumps)
        while left:
            item = await inbox.get()
            if not isinstance(item, _End):
                yield item
                continue
            if item.error is not None:
                raise item.error
            left -= 1
    finally:
        await end_tasks(pumps, grace_s=SIBLING_CLEANUP_GRACE_S)


async def to_list(source: AsyncIterable[T]) -> list[T]:
    """Give all items of *source*."""
    async with _closing(source) as items:
        return [item async for item in items]


class _End:
    """A source's last word: it ended, with or without an error."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class _Inbox(Generic[T]):
    """What the sources put and the consumer takes, with room for so many items.

    An end needs no room, so a source that is cancelled never waits to say so.
    """

    def __init__(self, size: int) -> None:
        self._room = asyncio.Semaphore(size)
        self._queue: asyncio.Queue[T | _End] = asyncio.Queue()

    async def pump(self, source: AsyncIterable[T]) -> None:
        error: BaseException | None = None
        try:
            async with _closing(source) as items:
                async for item in items:
                    await self._room.acquire()
                    self._queue.put_nowait(item)
        except BaseException as exc:
            error = exc
            if isinstance(exc, asyncio.CancelledError):
                raise
        finally:
            self._queue.put_nowait(_End(error))

    async def get(self) -> T | _End:
        item = await self._queue.get()
        if not isinstance(item, _End):
            self._room.release()
        return item


@asynccontextmanager
async def _closing(source: AsyncIterable[T]) -> AsyncGenerator[AsyncIterator[T], None]:
    """Give the iterator of *source*, and close it on every exit."""
    if inspect.isasyncgen(source) and source.ag_frame is None:
        raise RuntimeError(
            f"{source.__qualname__} was consumed before: a stream is used once; make a new one"
        )
    items = aiter(source)
    try:
        yield items
    finally:
        aclose = getattr(items, "aclose", None)
        if aclose is not None:
            await aclose()


async def _value(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
