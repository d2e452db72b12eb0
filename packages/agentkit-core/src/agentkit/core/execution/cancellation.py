"""Stopping a run: one token down its tree, and the scope that lets it interrupt an await."""

import asyncio
import time
from asyncio import AbstractEventLoop, CancelledError, Task
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any, cast

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.protocols import CancellationSignal
from agentkit.core.execution._signal_tree import Node

__all__ = ["CancellationToken", "Interruption", "interrupt_on", "sole_cancellation"]

_DEADLINE_REASON = "deadline exceeded"
# Where the given clock stands still, the watcher looks again no sooner than this.
_SHORTEST_WATCH_S = 0.001


class CancellationToken:
    """A signal to stop, shared by reference down a run tree.

    A token is cancelled once, by `cancel` or by its deadline, and stays so; the first reason wins.
    Everything here may be called from any thread and from a signal handler. A *deadline* must be
    timezone-aware and is decided by *now*, which gives unix seconds (`Services.clock.now`; the
    system's clock unless told). It is noticed by whoever looks at the token and, while an event
    loop holds a callback, a `wait` or an `interrupt_on`, when it passes.

    Raises:
        TypeError: *deadline* is no datetime.
        ValueError: *deadline* has no timezone.

    """

    __slots__ = ("__weakref__", "_deadline", "_node", "_now")

    def __init__(
        self, *, deadline: datetime | None = None, now: Callable[[], float] = time.time
    ) -> None:
        _check_deadline(deadline)
        self._deadline = deadline
        self._now = now
        self._node = Node()

    def __repr__(self) -> str:
        reason = self.reason
        state = "live" if reason is None else f"cancelled: {reason}"
        return f"<{type(self).__name__} {state}>"

    @property
    def cancelled(self) -> bool:
        """Whether the run is to stop."""
        return self.reason is not None

    @property
    def is_cancelled(self) -> bool:
        """Whether the run is to stop: `cancelled` under the model-neutral contract's name."""
        return self.reason is not None

    @property
    def reason(self) -> str | None:
        """Why it was cancelled, or None while it is live."""
        reason = self._node.reason
        if reason is None and self._deadline is not None and self.seconds_left() <= 0:
            self._node.cancel(_DEADLINE_REASON)
            return self._node.reason
        return reason

    @property
    def deadline(self) -> datetime | None:
        """When it cancels itself: the earlier one of its own and its parents'."""
        return self._deadline

    def seconds_left(self) -> float:
        """Give the time to the deadline by the token's clock: infinite without, negative after."""
        if self._deadline is None:
            return float("inf")
        return self._deadline.timestamp() - self._now()

    def cancel(self, reason: str = "run cancelled") -> None:
        """Stop the run: cancel this token and every child of it, then run their callbacks.

        Cancelling again changes nothing. An error of a callback is logged and hurts nobody else.

        Raises:
            TypeError: *reason* is no text.

        """
        text = _checked_reason(reason)
        if self.reason is None:
            self._node.cancel(text)

    def raise_if_cancelled(self) -> None:
        """Return at once while the token is live.

        Raises:
            Cancelled: It is cancelled, or its deadline has passed.

        """
        if (reason := self.reason) is not None:
            raise Cancelled(reason)

    def check(self) -> None:
        """Do `raise_if_cancelled`, under the model-neutral contract's name."""
        self.raise_if_cancelled()

    def child(self, *, deadline: datetime | None = None) -> "CancellationToken":
        """Give a token that is cancelled with this one, for the same reason, but not the reverse.

        Its deadline is the earlier one of *deadline* and this token's.
        """
        _check_deadline(deadline)
        bounds = [bound for bound in (deadline, self._deadline) if bound is not None]
        child = CancellationToken(deadline=min(bounds, default=None), now=self._now)
        child._node = Node(self._node)
        return child

    async def wait(self) -> None:
        """Return once the token is cancelled or its deadline has passed."""
        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not woken.done():
                woken.set_result(None)

        forget = self.add_callback(partial(_call_in, loop, wake))
        try:
            await woken
        finally:
            forget()

    def add_callback(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Have *callback* run once when the token is cancelled, at once if it already is.

        It runs in the thread that cancels and must be quick. What is returned unregisters it, and
        may be called any number of times.
        """
        key = object()
        watched = self._deadline is not None and self.reason is None
        self._node.add(key, callback)
        watcher = _watch(self) if watched else None
        return partial(self._forget, key, watcher)

    def _forget(self, key: object, watcher: "_Watcher | None") -> None:
        if watcher is not None:
            watcher.stop()
        self._node.discard(key)


class Interruption:
    """The scope that `interrupt_on` gives: a plain `with` around awaits of one task."""

    __slots__ = ("_forget", "_inherited", "_interrupted", "_lasting", "_loop", "_task", "_token")

    def __init__(self, token: CancellationSignal | None, *, lasting: bool = False) -> None:
        self._token = token
        self._lasting = lasting
        self._task: Task[Any] | None = None
        self._forget: Callable[[], None] | None = None

    def __enter__(self) -> None:
        if self._token is None:
            return
        self._token.check()
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError(
                "interrupt_on() interrupts a task: enter it in code that a task runs"
            )
        self._task = task
        self._loop = task.get_loop()
        self._inherited = task.cancelling()
        self._interrupted = False
        if self._forget is None:
            self._forget = self._token.add_callback(self._on_cancel)

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._task is None:
            return
        task, self._task = self._task, None
        if not self._lasting:
            self.forget()
        if not self._interrupted:
            return
        # The bookkeeping of asyncio.timeout: a request that is left over is somebody else's.
        only_ours = task.uncancel() <= self._inherited
        if only_ours and isinstance(exc, CancelledError) and self._token is not None:
            raise Cancelled(self._token.reason or "run cancelled") from exc

    def forget(self) -> None:
        """Listen to the token no longer, until the scope is entered again."""
        forget, self._forget = self._forget, None
        if forget is not None:
            forget()

    def _on_cancel(self) -> None:
        # Never at once: a request that the task makes to itself could outlive the scope.
        _call_in(self._loop, self._interrupt)

    def _interrupt(self) -> None:
        if self._task is not None and not self._interrupted:
            self._interrupted = True
            self._task.cancel()


def interrupt_on(token: CancellationSignal | None, *, lasting: bool = False) -> Interruption:
    """Give a scope whose awaits end with `Cancelled` as soon as *token* is cancelled.

    `with interrupt_on(token): item = await anext(stream)`. A token that is already cancelled raises
    at the entry; None makes a scope that does nothing. It starts no task. A scope must not hold a
    `yield`: between two steps of a generator its task belongs to the consumer. One that is
    *lasting* may be entered for each of many steps, and listens to the token until its `forget()`.

    A cancellation that comes from elsewhere, also together with the token's, leaves as the
    `asyncio.CancelledError` that it is. A block that finishes all the same keeps its result.
    """
    return Interruption(token, lasting=lasting)


def sole_cancellation(exc: BaseException) -> Cancelled | None:
    """Give the `Cancelled` that *exc* is, or that a group of nothing else stands for, or None."""
    if isinstance(exc, Cancelled):
        return exc
    if not isinstance(exc, BaseExceptionGroup):
        return None
    group: Any = cast("Any", exc)  # isinstance() leaves the type of its members unknown
    found = [sole_cancellation(member) for member in group.exceptions]
    return found[0] if all(found) else None


class _Watcher:
    """Looks at a token when its deadline should have passed, so that its callbacks run in time."""

    __slots__ = ("_handle", "_loop", "_token")

    def __init__(self, token: CancellationToken, loop: AbstractEventLoop) -> None:
        self._token = token
        self._loop = loop
        self._handle = self._arm()

    def stop(self) -> None:
        self._handle.cancel()

    def _arm(self) -> asyncio.TimerHandle:
        return self._loop.call_later(max(self._token.seconds_left(), _SHORTEST_WATCH_S), self._look)

    def _look(self) -> None:
        if not self._token.cancelled:  # the loop's clock and the token's need not agree
            self._handle = self._arm()


def _watch(token: CancellationToken) -> _Watcher | None:
    try:
        return _Watcher(token, asyncio.get_running_loop())
    except RuntimeError:  # without a loop there is nothing to look at the clock
        return None


def _checked_reason(reason: object) -> str:
    if not isinstance(reason, str):
        raise TypeError(f"the reason for cancelling is text; got {reason!r}")
    return reason


def _check_deadline(deadline: object) -> None:
    if deadline is None:
        return
    if not isinstance(deadline, datetime):
        raise TypeError(f"a deadline is a datetime; got {deadline!r}")
    if deadline.utcoffset() is None:
        raise ValueError(f"a deadline needs a timezone, as datetime.now(UTC) has; got {deadline!r}")


def _call_in(loop: AbstractEventLoop, call: Callable[[], object]) -> None:
    with suppress(RuntimeError):  # the loop is closed, and what waited in it is gone
        loop.call_soon_threadsafe(call)
