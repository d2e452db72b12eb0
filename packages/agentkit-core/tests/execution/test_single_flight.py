"""One producer per key: who shares it, who fails with it, and what ends it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

import pytest

from agentkit.core.execution import SingleFlight

SEEN: ContextVar[str] = ContextVar("SEEN", default="")


class _Producer:
    """A producer that a test holds back, lets go, and counts."""

    def __init__(self, outcome: object = "made") -> None:
        self.outcome = outcome
        self.runs = 0
        self.was_cancelled = False
        self.go = asyncio.Event()

    async def __call__(self) -> object:
        self.runs += 1
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            await asyncio.sleep(0)
            raise
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


async def _settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def _callers(
    flight: SingleFlight, *producers: Callable[[], Awaitable[object]]
) -> list[asyncio.Task[object]]:
    tasks = [asyncio.create_task(flight.run("k", producer)) for producer in producers]
    await _settle()
    return tasks


async def _outcomes(tasks: list[asyncio.Task[object]]) -> list[object]:
    return await asyncio.gather(*tasks, return_exceptions=True)


def test_concurrent_callers_share_one_run() -> None:
    async def steps() -> None:
        flight, producer = SingleFlight(), _Producer()
        tasks = await _callers(flight, *[producer] * 20)
        producer.go.set()

        assert await _outcomes(tasks) == ["made"] * 20
        assert producer.runs == 1

    asyncio.run(steps())


def test_a_run_that_is_over_is_not_remembered() -> None:
    async def steps() -> None:
        flight, producer = SingleFlight(), _Producer()
        producer.go.set()
        await flight.run("k", producer)
        await flight.run("k", producer)

        assert producer.runs == 2

    asyncio.run(steps())


def test_other_keys_run_beside() -> None:
    async def steps() -> None:
        flight, slow, fast = SingleFlight(), _Producer(), _Producer("fast")
        waiting = asyncio.create_task(flight.run("slow", slow))
        await _settle()
        fast.go.set()

        assert await flight.run("fast", fast) == "fast"
        assert not waiting.done()
        waiting.cancel()

    asyncio.run(steps())


def test_a_failure_is_its_callers_own_and_the_next_waiter_runs_its_own_producer() -> None:
    async def steps() -> None:
        bad, good = _Producer(ValueError("mine")), _Producer()
        tasks = await _callers(SingleFlight(), bad, good, good)
        bad.go.set()
        good.go.set()
        first, *others = await _outcomes(tasks)

        assert (repr(first), others) == ("ValueError('mine')", ["made", "made"])
        assert (bad.runs, good.runs) == (1, 1)

    asyncio.run(steps())


def test_every_waiter_of_failing_producers_gets_its_own_failure() -> None:
    async def steps() -> None:
        producers = [_Producer(ValueError(str(n))) for n in range(3)]
        tasks = await _callers(SingleFlight(), *producers)
        for producer in producers:
            producer.go.set()

        assert [str(e) for e in await _outcomes(tasks)] == ["0", "1", "2"]

    asyncio.run(steps())


def test_cancelling_the_caller_that_started_it_disturbs_no_other() -> None:
    async def steps() -> None:
        producer = _Producer()
        leader, other = await _callers(SingleFlight(), producer, producer)
        leader.cancel()
        await _settle()
        producer.go.set()

        assert await other == "made"
        assert leader.cancelled()

    asyncio.run(steps())


def test_cancelling_a_waiter_leaves_the_run_alone() -> None:
    async def steps() -> None:
        producer = _Producer()
        leader, waiter = await _callers(SingleFlight(), producer, producer)
        waiter.cancel()
        await _settle()
        producer.go.set()

        assert await leader == "made"
        assert not producer.was_cancelled

    asyncio.run(steps())


def test_when_the_last_caller_is_gone_the_producer_is_cancelled_and_has_cleaned_up() -> None:
    async def steps() -> None:
        producer = _Producer()
        tasks = await _callers(SingleFlight(), producer, producer)
        for task in tasks:
            task.cancel()
        await _outcomes(tasks)

        assert producer.was_cancelled
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(steps())


def test_who_comes_after_an_abandoned_run_starts_a_new_one() -> None:
    async def steps() -> None:
        flight, old, new = SingleFlight(), _Producer("old"), _Producer("new")
        (gone,) = await _callers(flight, old)
        gone.cancel()
        (task,) = await _callers(flight, new)
        new.go.set()

        assert await task == "new"

    asyncio.run(steps())


def test_a_failure_that_nobody_waits_for_is_not_reported() -> None:
    async def steps() -> None:
        reports: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, c: reports.append(c))
        producer = _Producer(ValueError("late"))
        leader, waiter = await _callers(SingleFlight(), producer, _Producer(1))
        leader.cancel()
        producer.go.set()
        await _settle()

        assert not waiter.done()
        assert reports == []
        waiter.cancel()

    asyncio.run(steps())


def test_a_producer_that_asks_for_its_own_key_is_told_at_once() -> None:
    async def steps() -> None:
        flight = SingleFlight()

        async def again() -> object:
            return await flight.run("k", again)

        with pytest.raises(RuntimeError) as caught:
            await flight.run("k", again)
        assert str(caught.value) == (
            "the producer for 'k' waits for itself: it asks for its own key, directly or through "
            "the producer of another"
        )

    asyncio.run(steps())


def test_asking_for_its_own_key_through_another_one_is_told_at_once() -> None:
    async def steps() -> None:
        one, two = SingleFlight(), SingleFlight()

        async def outer() -> object:
            return await two.run("b", inner)

        async def inner() -> object:
            return await one.run("a", outer)

        with pytest.raises(RuntimeError, match="the producer for 'a' waits for itself"):
            await one.run("a", outer)

    asyncio.run(steps())


def test_two_producers_that_wait_for_each_other_do_not_hang() -> None:
    async def steps() -> None:
        flight = SingleFlight()

        async def a() -> object:
            await asyncio.sleep(0)
            return await flight.run("b", b)

        async def b() -> object:
            await asyncio.sleep(0)
            return await flight.run("a", a)

        runs = asyncio.gather(flight.run("a", a), flight.run("b", b), return_exceptions=True)
        assert all(isinstance(outcome, RuntimeError) for outcome in await runs)

    asyncio.run(steps())


def test_what_a_producer_left_behind_may_ask_for_the_key_later() -> None:
    async def steps() -> None:
        flight = SingleFlight()
        left: list[asyncio.Task[object]] = []

        async def later() -> object:
            await asyncio.sleep(0)
            return await flight.run("k", _done)

        async def leave_one() -> None:
            left.append(asyncio.create_task(later()))

        await flight.run("k", leave_one)
        assert await left[0] == "done"

    async def _done() -> str:
        return "done"

    asyncio.run(steps())


@pytest.mark.parametrize("turns", range(3))
def test_what_a_producer_left_behind_may_ask_for_who_waited_for_it(turns: int) -> None:
    async def steps() -> None:
        flight, over = SingleFlight(), asyncio.Event()
        left: list[asyncio.Task[object]] = []

        async def inner() -> object:
            left.append(asyncio.create_task(later()))
            await asyncio.sleep(0)
            over.set()
            return "made"

        async def outer() -> object:
            return await flight.run("inner", inner)

        async def later() -> object:
            await over.wait()
            for _ in range(turns):
                await asyncio.sleep(0)
            return await flight.run("outer", outer)

        assert await flight.run("outer", outer) == "made"
        assert await left[0] == "made"

    asyncio.run(steps())


def test_a_producer_sees_the_context_of_the_caller_that_started_it() -> None:
    async def steps() -> None:
        async def look() -> str:
            return SEEN.get()

        SEEN.set("caller")
        assert await SingleFlight().run("k", look) == "caller"

    asyncio.run(steps())


def test_a_producer_that_raises_cancelled_error_is_not_converted() -> None:
    async def steps() -> None:
        cancelled, good = _Producer(asyncio.CancelledError()), _Producer()
        leader, waiter = await _callers(SingleFlight(), cancelled, good)
        cancelled.go.set()
        good.go.set()

        assert await waiter == "made"
        assert leader.cancelled()

    asyncio.run(steps())


def test_a_run_cancelled_before_it_began_lets_the_next_caller_run() -> None:
    async def steps() -> None:
        flight, never, producer = SingleFlight(), _Producer(), _Producer()
        gone = asyncio.create_task(flight.run("k", never))
        await asyncio.sleep(0)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await _outcomes([gone])
        producer.go.set()

        assert (await flight.run("k", producer), never.runs) == ("made", 0)

    asyncio.run(steps())


def test_one_flight_serves_one_loop_after_another() -> None:
    flight = SingleFlight()

    async def made() -> str:
        return "made"

    assert [asyncio.run(flight.run("k", made)) for _ in range(2)] == ["made", "made"]


@pytest.mark.parametrize("cancel_after", range(8))
def test_cancelling_at_any_moment_leaves_nothing_behind(cancel_after: int) -> None:
    async def steps() -> None:
        flight, producer = SingleFlight(), _Producer()
        producer.go.set()
        task = asyncio.create_task(flight.run("k", producer))
        for _ in range(cancel_after):
            await asyncio.sleep(0)
        task.cancel()
        await _outcomes([task])

        assert len(asyncio.all_tasks()) == 1
        assert await flight.run("k", producer) == "made"

    asyncio.run(steps())
