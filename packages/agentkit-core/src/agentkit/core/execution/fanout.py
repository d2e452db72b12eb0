"""Running several things at once: bounded, in order, and with a bounded abort.

A child that is cancelled (`Cancelled` or `asyncio.CancelledError`) always ends the whole batch. An
abort cancels the siblings and waits at most `SIBLING_CLEANUP_GRACE_S` for them; a cancellation from
outside ends that wait too, so an outer timeout always gets through.
"""

import asyncio
import inspect
from asyncio import CancelledError, Future, Semaphore, Task
from collections.abc import Awaitable, Iterable, Sequence
from typing import Any, NoReturn, Protocol, TypeVar

from agentkit.core.contracts._checks import shown
from agentkit.core.contracts.errors import Failure
from agentkit.core.execution._abort import SIBLING_CLEANUP_GRACE_S, end_tasks
from agentkit.core.execution.cancellation import sole_cancellation

__all__ = [
    "SIBLING_CLEANUP_GRACE_S",
    "Divisible",
    "Envelope",
    "Runnable",
    "gather_best_effort",
    "gather_bounded",
    "run_agents",
]

T = TypeVar("T")


class Envelope(Protocol):
    """A child's share of its parent's budget."""

    def settle(self) -> None:
        """Give back to the parent what was not used, once."""
        ...


class Divisible(Protocol):
    """An actor's budget, as far as a fan-out has to know it."""

    def split(self, parts: int) -> Sequence[Envelope]:
        """Divide what is left into *parts* equal shares and hold all of them.

        Raises:
            BudgetExhausted: There is not enough; nothing is held.

        """
        ...


class Runnable(Protocol):
    """An agent, as far as a fan-out has to know it."""

    async def run(self, task: Any, ctx: Any, /) -> Any:
        """Give the result of *task*."""
        ...


async def gather_bounded(coros: Iterable[Awaitable[T]], *, sem: Semaphore) -> list[T]:
    """Give the results of *coros* in their order, running as many at once as *sem* has places.

    Each runs in a task with a copy of the context variables. The first failure aborts the others.

    Raises:
        ExceptionGroup: Some failed; it has every failure.
        Cancelled: They were cancelled, and nothing else went wrong.
        TypeError: One of *coros* cannot be awaited, or *sem* is no semaphore; none is run.

    """
    batch = _Batch(coros, sem)
    await batch.run(until_failure=True)
    if raised := batch.raised():
        _raise_together(raised)
    return [task.result() for task in batch.tasks]


async def gather_best_effort(coros: Iterable[Awaitable[T]], *, sem: Semaphore) -> list[T | Failure]:
    """Do the same as `gather_bounded`, with a `Failure` in the slot of each that failed.

    A cancellation is no failure: it aborts the batch.

    Raises:
        Cancelled: One was cancelled.
        TypeError: One of *coros* cannot be awaited; none is run.

    """
    batch = _Batch(coros, sem)
    await batch.run(until_failure=False)
    if aborts := [exc for exc in batch.raised() if _is_abort(exc)]:
        _raise_first(aborts)
    return [_result_or_failure(task, index) for index, task in enumerate(batch.tasks)]


async def run_agents(
    pairs: Iterable[tuple[Runnable, Any]], ctx: Any, *, best_effort: bool = False
) -> list[Any]:
    """Run each agent of *pairs* on its task, in a child context, and give the results in order.

    As many run at once as *ctx* has places at its depth. Where *ctx* has an actor budget, each
    child gets an equal share; all are held before any child starts, and given back at the end.

    Raises:
        BudgetExhausted: The actor budget cannot be divided; nothing was run.
        MeterExceeded: The run may not go deeper; nothing was run.
        ExceptionGroup: Some failed, without *best_effort*.
        Cancelled: The run was cancelled.

    """
    pairs = list(pairs)
    if not pairs:
        return []
    budget: Divisible | None = getattr(ctx, "actor_budget", None)
    shares = () if budget is None else budget.split(len(pairs))
    try:
        # Made in order and before any of them runs, so that a re-run gives each the same place.
        children = [ctx.child(actor_budget=share) for share in shares]
        children = children or [ctx.child() for _ in pairs]
        runs = (
            agent.run(task, child) for (agent, task), child in zip(pairs, children, strict=True)
        )
        gather = gather_best_effort if best_effort else gather_bounded
        return list(await gather(runs, sem=ctx.semaphore()))
    finally:
        for share in shares:
            share.settle()


class _Batch:
    """Awaitables on their way, and what became of them."""

    def __init__(self, coros: Iterable[Awaitable[Any]], sem: Semaphore) -> None:
        self._coros = _awaitables(coros)
        if not hasattr(sem, "__aenter__"):
            for coro in self._coros:
                _discard(coro)
            raise TypeError(f"sem is a Semaphore; got {shown(sem)}")
        self._sem = sem
        self.tasks: list[Task[Any]] = []

    async def run(self, *, until_failure: bool) -> None:
        """Run all to the end, or, *until_failure* or an abort, as far as they came."""
        try:
            for coro in self._coros:
                self.tasks.append(asyncio.create_task(_under(self._sem, coro)))
            await self._watch(until_failure=until_failure)
        finally:
            try:
                await end_tasks(self.tasks, grace_s=SIBLING_CLEANUP_GRACE_S)
            finally:
                for coro in self._coros:
                    _discard(coro)

    def raised(self) -> list[BaseException]:
        """Give what the tasks that are over raised, in their order."""
        found = [_raised(task) for task in self.tasks if task.done()]
        return [exc for exc in found if exc is not None]

    async def _watch(self, *, until_failure: bool) -> None:
        over: Future[None] = asyncio.get_running_loop().create_future()
        left = len(self.tasks)

        def ended(task: Task[Any]) -> None:
            nonlocal left
            left -= 1
            exc = _raised(task)
            stops = exc is not None and (until_failure or _is_abort(exc))
            if (stops or not left) and not over.done():
                over.set_result(None)

        for task in self.tasks:
            task.add_done_callback(ended)
        if self.tasks:
            await over


async def _under(sem: Semaphore, coro: Awaitable[T]) -> T:
    async with sem:
        return await coro


def _raised(task: Task[Any]) -> BaseException | None:
    return CancelledError() if task.cancelled() else task.exception()


def _is_abort(exc: BaseException) -> bool:
    """Whether *exc* ends a batch whatever its mode: a cancellation, or no `Exception` at all."""
    return not isinstance(exc, Exception) or sole_cancellation(exc) is not None


def _raise_together(raised: list[BaseException]) -> NoReturn:
    failures = [exc for exc in raised if isinstance(exc, Exception)]
    if len(failures) < len(raised) - sum(isinstance(exc, CancelledError) for exc in raised):
        _raise_first([exc for exc in raised if not isinstance(exc, Exception)])
    if not failures:
        raise raised[0]
    group = ExceptionGroup(f"{len(failures)} of the tasks failed", failures)
    raise sole_cancellation(group) or group


def _raise_first(aborts: list[BaseException]) -> NoReturn:
    """Raise the first of *aborts* that is more than the echo of cancelling the others."""
    told = [exc for exc in aborts if not isinstance(exc, CancelledError)]
    exc = (told or aborts)[0]
    raise sole_cancellation(exc) or exc


def _result_or_failure(task: Task[Any], index: int) -> Any:
    exc = task.exception()
    if exc is None:
        return task.result()
    return Failure.of(exc, source=f"gather_best_effort[{index}]")


def _awaitables(coros: Iterable[Awaitable[Any]]) -> list[Awaitable[Any]]:
    found: list[Awaitable[Any]] = []
    try:
        for coro in coros:
            found.append(_checked(coro))  # noqa: PERF401 - kept on an error
    except BaseException:
        for coro in found:
            _discard(coro)
        raise
    return found


def _checked(coro: Awaitable[T]) -> Awaitable[T]:
    if not inspect.isawaitable(coro):
        raise TypeError(f"a fan-out runs awaitables, such as coroutines; got {coro!r}")
    return coro


def _discard(coro: object) -> None:
    """Close a coroutine that never began, which would warn otherwise, and cancel a future."""
    if inspect.iscoroutine(coro):
        if inspect.getcoroutinestate(coro) == inspect.CORO_CREATED:
            coro.close()
    elif isinstance(coro, Future):
        coro.cancel()
