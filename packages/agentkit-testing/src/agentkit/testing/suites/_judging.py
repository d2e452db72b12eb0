"""Running one clause: its loop, its time, what it opens, and what is left of its traceback."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["LeftOut", "Opener", "in_a_loop", "leaves", "opener"]

Opener = Callable[[], AbstractAsyncContextManager[Any]]
"""What the `adapter` fixture gives: each call is one more instance on the same backend."""

_ASYNCIO = Path(asyncio.__file__).parent
_GRACE = 1.0


class LeftOut(BaseException):
    """A clause asked a partial adapter for a verb that it does not have; no clause may catch it."""

    def __init__(self, verb: str = "") -> None:
        super().__init__(verb)
        self.verb = verb


class _Part:
    """An adapter seen without the verbs its suite says it lacks."""

    def __init__(self, whole: object, without: frozenset[str]) -> None:
        self._whole = whole
        self._without = without

    def __getattr__(self, name: str) -> Any:
        if name in self._without:
            raise LeftOut(name)
        return getattr(self._whole, name)


def in_a_loop(work: Coroutine[Any, Any, None], *, patience: float) -> None:
    """Run *work* in an event loop of its own, and never longer than *patience* seconds.

    A failure leaves without the event loop's frames. AssertionError: *work* did not end in time, or
    ended cancelled.
    """
    __tracebackhide__ = True
    # Not asyncio.run: it sets the thread's current loop, which is others', and waits for tasks
    # that an adapter has tied into a ring, which never end.
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(_patiently(work, patience))
    except BaseException as exc:
        for each in _family(exc):
            each.__traceback__ = _without_the_loop(each.__traceback__)
        raise
    finally:
        loop.run_until_complete(_wind_up())
        loop.close()


def opener(adapter: object, *, seen: Callable[[object], None], without: frozenset[str]) -> Opener:
    """Give *adapter* with each instance shown to *seen*, and without the verbs it lacks.

    TypeError: the fixture gave something that is not a callable; or, on opening, one whose answer
    is no async context manager.
    """
    if not callable(adapter):
        raise _not_an_adapter(adapter)

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Any]:
        __tracebackhide__ = True
        made: Any = adapter()
        if not hasattr(made, "__aenter__"):
            raise _not_an_adapter(made)
        async with made as instance:
            seen(instance)
            yield _Part(instance, without) if without else instance

    return opened


def leaves(exc: BaseException) -> Iterator[BaseException]:
    """Give *exc* itself, or what a group holds, however deep."""
    inside = _inside(exc)
    if not inside:
        yield exc
    for each in inside:
        yield from leaves(each)


async def _patiently(work: Coroutine[Any, Any, None], patience: float) -> None:
    __tracebackhide__ = True
    task = asyncio.create_task(work)
    await asyncio.wait([task], timeout=patience)
    if not task.done():
        raise AssertionError(f"it hangs: no end within {patience:g} s")
    if task.cancelled():
        raise AssertionError("a call was cancelled, and nobody had cancelled it")
    task.result()


async def _wind_up() -> None:
    """End what a clause has left running, as far as it can be ended."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        with suppress(RecursionError):  # tasks that await each other
            task.cancel()
    if left:
        await asyncio.wait(left, timeout=_GRACE)
    loop = asyncio.get_running_loop()
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()


def _family(exc: BaseException) -> Iterator[BaseException]:
    met: set[int] = set()
    todo: list[BaseException | None] = [exc]
    while todo:
        each = todo.pop()
        if each is None or id(each) in met:
            continue
        met.add(id(each))
        yield each
        todo += [each.__cause__, each.__context__, *_inside(each)]


def _inside(exc: BaseException) -> tuple[BaseException, ...]:
    held: Any = getattr(exc, "exceptions", ())
    return tuple(held) if isinstance(exc, BaseExceptionGroup) else ()


def _without_the_loop(trace: TracebackType | None) -> TracebackType | None:
    kept: list[TracebackType] = []
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).parent != _ASYNCIO:
            kept.append(trace)
        trace = trace.tb_next
    rest: TracebackType | None = None
    for each in reversed(kept):
        rest = TracebackType(rest, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return rest


def _not_an_adapter(got: object) -> TypeError:
    return TypeError(
        "the `adapter` fixture must give a callable without arguments that returns an async "
        f"context manager, such as `lambda: nullcontext(store)`; got {got!r}"
    )
