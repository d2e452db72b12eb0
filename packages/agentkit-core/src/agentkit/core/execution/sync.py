"""The one bridge from code without an event loop."""

import asyncio
import contextvars
import inspect
import threading
from asyncio import AbstractEventLoop, Task
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Generic, TypeVar

__all__ = ["run_sync"]

T = TypeVar("T")


def run_sync(coro: Coroutine[Any, Any, T]) -> T:
    """Give the result of *coro*, blocking until it is there, whether or not a loop is running.

    Inside a running loop it runs on a loop of its own in a fresh thread, while this thread, and so
    the running loop, stands still: *coro* must not wait for anything of that loop. Context
    variables travel with it. An interrupt while waiting cancels *coro*.

    Raises:
        TypeError: *coro* is no coroutine.

    """
    _check(coro)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coro)
    return _Thread(coro).result()


def _check(coro: object) -> None:
    if not inspect.iscoroutine(coro):
        raise TypeError(f"run_sync() runs a coroutine: call the async function; got {coro!r}")


class _Thread(Generic[T]):
    """A coroutine on a loop of its own, in a thread of its own."""

    def __init__(self, coro: Coroutine[Any, Any, T]) -> None:
        self._coro = coro
        self._done: Future[T] = Future()
        self._task: Task[T] | None = None
        self._loop: AbstractEventLoop | None = None
        self._interrupted = False

    def result(self) -> T:
        """Give the result, or raise what the coroutine raised."""
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(self._run,), name="run_sync")
        thread.start()
        try:
            return self._done.result()
        except BaseException:
            self._cancel()
            raise
        finally:
            thread.join()

    def _run(self) -> None:
        try:
            result = asyncio.run(self._main())
        except BaseException as exc:  # noqa: BLE001 - it is raised in the thread that waits
            self._done.set_exception(exc)
        else:
            self._done.set_result(result)

    async def _main(self) -> T:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        if self._interrupted:  # before there was a loop that could be told
            self._coro.close()
            raise asyncio.CancelledError
        return await self._coro

    def _cancel(self) -> None:
        """Have the coroutine end, if it has not: this thread was interrupted while it waited."""
        self._interrupted = True
        if self._loop is not None and self._task is not None:
            with suppress(RuntimeError):  # the loop is closed: it has ended
                self._loop.call_soon_threadsafe(self._task.cancel)
