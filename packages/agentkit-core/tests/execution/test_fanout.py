"""Fan-out: order, bounds, failures, and an abort that ends."""

import asyncio
import contextvars
import logging
from asyncio import CancelledError, Semaphore
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from agentkit.core.contracts.errors import BudgetExhausted, Cancelled, Failure, ScriptExhausted
from agentkit.core.execution import fanout, gather_best_effort, gather_bounded, run_agents

Gather = Callable[..., Awaitable[list[Any]]]
both = pytest.mark.parametrize(
    "gather", [gather_bounded, gather_best_effort], ids=["bounded", "best effort"]
)


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fanout, "SIBLING_CLEANUP_GRACE_S", 0.01)


async def _give(value: Any, *, turns: int = 0) -> Any:
    for _ in range(turns):
        await asyncio.sleep(0)
    return value


async def _fail(exc: BaseException) -> Any:
    await asyncio.sleep(0)
    raise exc


class _Sibling:
    """Waits for ever, and notes how it ended."""

    def __init__(self, *, swallows: bool = False) -> None:
        self.ended = ""
        self.swallows = swallows
        self.free = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def run(self) -> None:
        try:
            await asyncio.Event().wait()
        except CancelledError:
            self.ended = "cancelled"
            self.cancelled.set()
            if not self.swallows:
                raise
            await self.free.wait()


@both
def test_results_are_in_order_of_the_input(gather: Gather) -> None:
    async def run() -> list[Any]:
        return await gather([_give(1, turns=5), _give(2), _give(3, turns=2)], sem=Semaphore(3))

    assert asyncio.run(run()) == [1, 2, 3]


@both
def test_nothing_gives_nothing(gather: Gather) -> None:
    assert asyncio.run(_nothing(gather)) == []


async def _nothing(gather: Gather) -> list[Any]:
    return await gather([], sem=Semaphore(1))


@both
def test_no_more_run_at_once_than_there_are_places(gather: Gather) -> None:
    running: list[int] = [0, 0]

    async def one() -> None:
        running[0] += 1
        running[1] = max(running)
        await asyncio.sleep(0)
        running[0] -= 1

    async def run() -> None:
        await gather([one() for _ in range(20)], sem=Semaphore(3))

    asyncio.run(run())
    assert running == [0, 3]


@both
def test_context_variables_reach_the_children_and_do_not_come_back(gather: Gather) -> None:
    variable = contextvars.ContextVar("variable", default="outer")

    async def child() -> str:
        seen = variable.get()
        variable.set("inner")
        return seen

    async def run() -> tuple[list[Any], str]:
        variable.set("parent")
        return await gather([child(), child()], sem=Semaphore(1)), variable.get()

    assert asyncio.run(run()) == (["parent", "parent"], "parent")


@both
def test_what_cannot_be_awaited_is_refused_before_anything_runs(gather: Gather) -> None:
    ran: list[int] = []

    async def one() -> None:
        ran.append(1)

    async def run() -> None:
        await gather([one(), 5], sem=Semaphore(1))

    with pytest.raises(TypeError, match="runs awaitables, such as coroutines; got 5"):
        asyncio.run(run())
    assert ran == []


@both
def test_an_error_while_the_coroutines_are_made_leaves_none_unawaited(gather: Gather) -> None:
    def made() -> Iterator[Any]:
        yield _give(1)
        raise KeyError("made")

    async def run() -> None:
        await gather(made(), sem=Semaphore(1))

    with pytest.raises(KeyError, match="made"):
        asyncio.run(run())


def test_a_failure_leaves_in_a_group() -> None:
    async def run() -> None:
        await gather_bounded([_give(1), _fail(ValueError("bad"))], sem=Semaphore(2))

    with pytest.raises(ExceptionGroup, match="1 of the tasks failed") as caught:
        asyncio.run(run())
    assert [repr(exc) for exc in caught.value.exceptions] == ["ValueError('bad')"]


def test_a_failure_cancels_the_siblings_and_waits_for_them() -> None:
    async def run() -> str:
        sibling = _Sibling()
        with pytest.raises(ExceptionGroup):
            await gather_bounded([sibling.run(), _fail(ValueError("bad"))], sem=Semaphore(2))
        return sibling.ended

    assert asyncio.run(run()) == "cancelled"


@pytest.mark.usefixtures("short_grace")
def test_a_sibling_that_swallows_its_cancellation_is_abandoned(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def run() -> None:
        sibling = _Sibling(swallows=True)
        with pytest.raises(ExceptionGroup):
            await gather_bounded([sibling.run(), _fail(ValueError("bad"))], sem=Semaphore(2))
        sibling.free.set()
        await asyncio.sleep(0)

    with caplog.at_level(logging.WARNING):
        asyncio.run(run())
    assert "abandoning 1 cancelled task" in caplog.text


@both
def test_an_outer_cancellation_ends_the_wait_for_a_stubborn_sibling(gather: Gather) -> None:
    async def run() -> bool:
        sibling = _Sibling(swallows=True)
        work = [sibling.run(), _fail(Cancelled("stop"))]
        task = asyncio.create_task(_as_coroutine(gather(work, sem=Semaphore(2))))
        await sibling.cancelled.wait()
        task.cancel()
        await asyncio.wait([task])
        sibling.free.set()
        await asyncio.sleep(0)
        return task.cancelled()

    assert asyncio.run(run())


async def _as_coroutine(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


@both
def test_an_outer_cancellation_ends_the_children(gather: Gather) -> None:
    async def run() -> tuple[bool, list[str]]:
        siblings = [_Sibling(), _Sibling()]
        work = [sibling.run() for sibling in siblings]
        task = asyncio.create_task(_as_coroutine(gather(work, sem=Semaphore(2))))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled(), [sibling.ended for sibling in siblings]

    assert asyncio.run(run()) == (True, ["cancelled", "cancelled"])


@both
def test_children_that_never_began_leave_no_warning(gather: Gather) -> None:
    async def run() -> None:
        task = asyncio.create_task(
            _as_coroutine(gather([_give(n) for n in range(3)], sem=Semaphore(1)))
        )
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())


@both
def test_cancelled_leaves_as_one(gather: Gather) -> None:
    async def run() -> None:
        work = [_fail(Cancelled("stop")), _fail(Cancelled("stop")), _Sibling().run()]
        await gather(work, sem=Semaphore(3))

    with pytest.raises(Cancelled, match="stop"):
        asyncio.run(run())


@both
def test_a_group_of_cancelled_is_cancelled_too(gather: Gather) -> None:
    async def run() -> None:
        group = ExceptionGroup("g", [Cancelled("inner"), Cancelled("inner")])
        await gather([_fail(group)], sem=Semaphore(1))

    with pytest.raises(Cancelled, match="inner"):
        asyncio.run(run())


def test_a_failure_beside_a_cancellation_keeps_both() -> None:
    async def run() -> None:
        work = [_fail(Cancelled("stop")), _fail(ValueError("bad"))]
        await gather_bounded(work, sem=Semaphore(2))

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(run())
    assert caught.value.subgroup(ValueError) is not None
    assert caught.value.subgroup(Cancelled) is not None


@both
def test_a_childs_own_cancelled_error_ends_the_batch_as_itself(gather: Gather) -> None:
    async def run() -> str:
        sibling = _Sibling()
        with pytest.raises(CancelledError):
            await gather([sibling.run(), _fail(CancelledError())], sem=Semaphore(2))
        return sibling.ended

    assert asyncio.run(run()) == "cancelled"


@both
def test_the_cancelled_error_of_an_only_child_leaves_as_itself(gather: Gather) -> None:
    async def run() -> None:
        await gather([_fail(CancelledError())], sem=Semaphore(1))

    with pytest.raises(CancelledError):
        asyncio.run(run())


@both
def test_what_is_no_exception_leaves_bare(gather: Gather) -> None:
    async def run() -> None:
        work = [_Sibling().run(), _fail(ScriptExhausted("over"))]
        await gather(work, sem=Semaphore(2))

    with pytest.raises(ScriptExhausted, match="over"):
        asyncio.run(run())


def test_best_effort_puts_a_failure_in_the_slot() -> None:
    async def run() -> list[Any]:
        work = [_give(1), _fail(TimeoutError("slow")), _give(3, turns=4)]
        return await gather_best_effort(work, sem=Semaphore(3))

    first, failure, third = asyncio.run(run())
    assert (first, third) == (1, 3)
    assert isinstance(failure, Failure)
    assert (failure.source, str(failure.cause)) == ("gather_best_effort[1]", "slow")


@pytest.mark.usefixtures("short_grace")
def test_best_effort_with_failures_and_an_abort_is_an_abort() -> None:
    async def run() -> None:
        sibling = _Sibling(swallows=True)
        work = [_fail(ValueError("bad")), _fail(CancelledError()), sibling.run()]
        try:
            await gather_best_effort(work, sem=Semaphore(3))
        finally:
            sibling.free.set()

    with pytest.raises(CancelledError):
        asyncio.run(run())


def test_a_future_that_never_had_its_turn_is_cancelled_with_the_batch() -> None:
    async def run() -> bool:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with pytest.raises(ExceptionGroup):
            await gather_bounded([_fail(ValueError("bad")), future], sem=Semaphore(1))
        return future.cancelled()

    assert asyncio.run(run())


class _Share:
    def __init__(self) -> None:
        self.settled = 0

    def settle(self) -> None:
        self.settled += 1


class _Actor:
    """A budget that can be divided a given number of times."""

    def __init__(self, most: int = 9) -> None:
        self.most = most
        self.shares: list[_Share] = []

    def split(self, parts: int) -> list[_Share]:
        if parts > self.most:
            raise BudgetExhausted("not that many", axis="steps")
        self.shares = [_Share() for _ in range(parts)]
        return self.shares


class _Ctx:
    def __init__(self, actor_budget: Any = None, *, number: int = 0) -> None:
        self.actor_budget = actor_budget
        self.number = number
        self.children = 0

    def semaphore(self) -> Semaphore:
        return Semaphore(2)

    def child(self, *, actor_budget: Any = None) -> "_Ctx":
        self.children += 1
        return _Ctx(actor_budget, number=self.children)


class _Agent:
    def __init__(self, exc: Exception | None = None) -> None:
        self.exc = exc

    async def run(self, task: Any, ctx: Any) -> Any:
        await asyncio.sleep(0)
        if self.exc is not None:
            raise self.exc
        return task, ctx.number, ctx.actor_budget


def test_agents_run_in_child_contexts_numbered_in_order() -> None:
    results = asyncio.run(run_agents([(_Agent(), "a"), (_Agent(), "b")], _Ctx()))

    assert results == [("a", 1, None), ("b", 2, None)]


def test_no_agents_give_no_results() -> None:
    assert asyncio.run(run_agents([], _Ctx(_Actor(most=0)))) == []


def test_each_agent_gets_a_share_that_is_given_back() -> None:
    actor = _Actor()

    results = asyncio.run(run_agents([(_Agent(), "a"), (_Agent(), "b")], _Ctx(actor)))
    assert [share for _, _, share in results] == actor.shares
    assert [share.settled for share in actor.shares] == [1, 1]


class _Stingy(_Actor):
    """Divides itself into fewer shares than were asked for."""

    def split(self, parts: int) -> list[_Share]:
        return super().split(parts - 1)


def test_with_fewer_shares_than_agents_none_runs_and_all_are_given_back() -> None:
    actor = _Stingy()
    pairs = [(_Agent(), "a"), (_Agent(), "b")]

    with pytest.raises(ValueError, match="zip"):
        asyncio.run(run_agents(pairs, _Ctx(actor)))
    assert [share.settled for share in actor.shares] == [1]


def test_a_context_that_knows_no_actor_budget_is_enough() -> None:
    ctx = _Ctx()
    del ctx.actor_budget

    assert asyncio.run(run_agents([(_Agent(), "a")], ctx)) == [("a", 1, None)]


def test_shares_are_given_back_when_an_agent_fails() -> None:
    actor = _Actor()

    with pytest.raises(ExceptionGroup):
        asyncio.run(run_agents([(_Agent(ValueError("bad")), "a"), (_Agent(), "b")], _Ctx(actor)))
    assert [share.settled for share in actor.shares] == [1, 1]


def test_a_budget_that_cannot_be_divided_stops_all() -> None:
    ctx = _Ctx(_Actor(most=1))

    with pytest.raises(BudgetExhausted, match="not that many"):
        asyncio.run(run_agents([(_Agent(), "a"), (_Agent(), "b")], ctx))
    assert ctx.children == 0


def test_agents_with_best_effort_fail_in_their_slot() -> None:
    pairs = [(_Agent(ValueError("bad")), "a"), (_Agent(), "b")]

    failure, result = asyncio.run(run_agents(pairs, _Ctx(), best_effort=True))
    assert isinstance(failure, Failure)
    assert result == ("b", 2, None)


def _batch(gather: Gather, log: list[str]) -> Awaitable[Any]:
    async def child() -> None:
        log.append("in")
        try:
            for _ in range(3):
                await asyncio.sleep(0)
        finally:
            log.append("out")

    return gather([child() for _ in range(4)], sem=Semaphore(2))


async def _cancelled_after(turns: int, gather: Gather) -> tuple[list[str], set[Any]]:
    log: list[str] = []
    task = asyncio.ensure_future(_batch(gather, log))
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    return log, {t for t in asyncio.all_tasks() if t is not asyncio.current_task()}


@both
@pytest.mark.parametrize("turns", range(1, 12))
def test_cancelled_at_any_point_no_child_is_left(gather: Gather, turns: int) -> None:
    log, left = asyncio.run(_cancelled_after(turns, gather))

    assert log.count("in") == log.count("out")
    assert left == set()
