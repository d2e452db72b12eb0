"""What a cancellation token promises, and what the scope around an await does."""

import asyncio
import gc
import logging
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.protocols import CancellationSignal
from agentkit.core.execution import CancellationToken, interrupt_on
from agentkit.core.execution.cancellation import sole_cancellation

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class _Clock:
    """A clock that a test moves by hand."""

    def __init__(self) -> None:
        self.time = NOON.timestamp()

    def now(self) -> float:
        return self.time


class _Counted(CancellationToken):
    """A token that counts who listens to it now, and who ever did."""

    listening, ever = 0, 0

    def add_callback(self, callback: Callable[[], object]) -> Callable[[], None]:
        forget = super().add_callback(callback)
        self.listening, self.ever = self.listening + 1, self.ever + 1

        def gone() -> None:
            self.listening -= 1
            forget()

        return gone


async def _forever() -> None:
    await asyncio.Event().wait()


async def _wait_under(token: CancellationToken | None) -> None:
    with interrupt_on(token):
        await _forever()


async def _interrupted(
    token: CancellationToken, act: Callable[[asyncio.Task[None]], object]
) -> None:
    task = asyncio.create_task(_wait_under(token))
    await asyncio.sleep(0)
    act(task)
    await task


def test_a_new_token_lets_everything_pass() -> None:
    token = CancellationToken()

    token.raise_if_cancelled()
    token.check()
    assert (token.cancelled, token.is_cancelled, token.reason) == (False, False, None)


def test_a_token_is_the_signal_of_the_contract() -> None:
    assert isinstance(CancellationToken(), CancellationSignal)


def test_the_first_reason_wins() -> None:
    token = CancellationToken()

    token.cancel("user left")
    token.cancel("again")
    assert token.reason == "user left"


def test_a_cancelled_token_raises_its_reason() -> None:
    token = CancellationToken()
    token.cancel("user left")

    with pytest.raises(Cancelled, match=r"^user left$"):
        token.check()


def test_cancelling_without_a_reason_says_run_cancelled() -> None:
    token = CancellationToken()
    token.cancel()

    with pytest.raises(Cancelled, match=r"^run cancelled$"):
        token.raise_if_cancelled()


def test_a_reason_that_is_no_text_is_refused() -> None:
    token = CancellationToken()

    with pytest.raises(TypeError, match="is text; got 3"):
        token.cancel(3)  # type: ignore[arg-type]
    assert not token.cancelled


def test_a_parent_cancels_its_children_with_its_reason() -> None:
    token = CancellationToken()
    grandchild = token.child().child()

    token.cancel("stop")
    assert grandchild.reason == "stop"


def test_a_child_does_not_cancel_its_parent() -> None:
    token = CancellationToken()

    token.child().cancel("mine")
    assert not token.cancelled


def test_a_child_of_a_cancelled_parent_keeps_the_earlier_reason() -> None:
    token = CancellationToken()
    child = token.child()
    token.cancel("first")

    child.cancel("second")
    assert child.reason == "first"


def test_a_childs_own_reason_outlives_its_parents() -> None:
    token = CancellationToken()
    child = token.child()
    child.cancel("first")

    token.cancel("second")
    assert (child.reason, token.reason) == ("first", "second")


def test_a_parent_keeps_no_child_alive() -> None:
    token = CancellationToken()
    child = token.child()
    child.add_callback(lambda: None)()
    seen = weakref.ref(child)

    del child
    gc.collect()
    assert seen() is None


def test_a_callback_outlives_the_child_it_was_put_on() -> None:
    token = CancellationToken()
    told: list[str] = []
    token.child().child().add_callback(lambda: told.append("told"))
    gc.collect()

    token.cancel()
    assert told == ["told"]


def test_a_callback_runs_once_and_in_order() -> None:
    token = CancellationToken()
    told: list[int] = []
    token.add_callback(lambda: told.append(1))
    token.add_callback(lambda: told.append(2))

    token.cancel()
    token.cancel()
    assert told == [1, 2]


def test_a_callback_put_on_a_cancelled_token_runs_at_once() -> None:
    token = CancellationToken()
    token.cancel()
    told: list[int] = []

    forget = token.add_callback(lambda: told.append(1))
    forget()
    assert told == [1]


def test_an_unregistered_callback_does_not_run() -> None:
    token = CancellationToken()
    told: list[int] = []
    forget = token.child().add_callback(lambda: told.append(1))

    forget()
    forget()
    token.cancel()
    assert told == []


def test_a_failing_callback_is_logged_and_hurts_no_other(caplog: pytest.LogCaptureFixture) -> None:
    token = CancellationToken()
    told: list[int] = []
    token.add_callback(lambda: 1 // 0)
    token.add_callback(lambda: told.append(1))

    with caplog.at_level(logging.ERROR):
        token.cancel()
    assert told == [1]
    assert "a callback on cancellation failed" in caplog.text


def test_a_callback_may_cancel_again() -> None:
    token = CancellationToken()
    token.add_callback(lambda: token.cancel("inner"))

    token.cancel("outer")
    assert token.reason == "outer"


def test_the_representation_tells_the_state() -> None:
    token = CancellationToken()
    before = repr(token)
    token.cancel("enough")

    assert (before, repr(token)) == (
        "<CancellationToken live>",
        "<CancellationToken cancelled: enough>",
    )


def test_a_deadline_cancels_when_it_has_come() -> None:
    clock = _Clock()
    token = CancellationToken(deadline=NOON + timedelta(seconds=5), now=clock.now)
    before = token.cancelled

    clock.time += 5
    assert (before, token.cancelled, token.reason) == (False, True, "deadline exceeded")


def test_the_time_that_is_left_is_endless_without_a_deadline() -> None:
    clock = _Clock()
    token = CancellationToken(deadline=NOON + timedelta(seconds=5), now=clock.now)

    assert (token.seconds_left(), CancellationToken().seconds_left()) == (5.0, float("inf"))


def test_a_deadline_that_was_seen_to_pass_runs_the_callbacks() -> None:
    clock = _Clock()
    token = CancellationToken(deadline=NOON, now=clock.now)
    told: list[int] = []
    clock.time -= 1
    token.add_callback(lambda: told.append(1))

    clock.time += 1
    with pytest.raises(Cancelled, match="deadline exceeded"):
        token.check()
    assert told == [1]


@pytest.mark.parametrize(
    ("own", "expected"),
    [(None, 10), (5, 5), (20, 10)],
    ids=["inherits", "own is earlier", "parent's is earlier"],
)
def test_a_child_has_the_earlier_deadline(own: int | None, expected: int) -> None:
    token = CancellationToken(deadline=NOON + timedelta(seconds=10))
    deadline = None if own is None else NOON + timedelta(seconds=own)

    assert token.child(deadline=deadline).deadline == NOON + timedelta(seconds=expected)


def test_a_deadline_without_a_timezone_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a timezone"):
        CancellationToken(deadline=datetime(2026, 1, 1))  # noqa: DTZ001 - the point


@pytest.mark.parametrize("bound", [None, NOON], ids=["alone", "beside its parent's"])
def test_a_childs_deadline_without_a_timezone_is_refused(bound: datetime | None) -> None:
    with pytest.raises(ValueError, match="needs a timezone"):
        CancellationToken(deadline=bound).child(deadline=datetime(2026, 1, 1))  # noqa: DTZ001 - the point


def test_a_childs_deadline_is_by_its_parents_clock() -> None:
    clock = _Clock()
    child = CancellationToken(now=clock.now).child(deadline=NOON + timedelta(seconds=5))
    before = child.seconds_left()

    clock.time += 5
    assert (before, child.reason) == (5.0, "deadline exceeded")


def test_who_no_longer_listens_leaves_no_timer_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    timers: list[asyncio.TimerHandle] = []

    def noted(seconds: float, call: Callable[[], object]) -> asyncio.TimerHandle:
        loop = asyncio.get_running_loop()
        timers.append(loop.call_at(loop.time() + seconds, call))
        return timers[-1]

    async def listen() -> None:
        monkeypatch.setattr(asyncio.get_running_loop(), "call_later", noted)
        CancellationToken(deadline=datetime.now(UTC) + timedelta(1)).add_callback(bool)()

    asyncio.run(listen())
    assert [timer.cancelled() for timer in timers] == [True]


_over = CancellationToken(deadline=NOON + timedelta(days=999_999))
_over.cancel()


@pytest.mark.parametrize("token", [CancellationToken(), _over], ids=["no deadline", "cancelled"])
def test_a_token_that_no_deadline_can_cancel_asks_for_no_timer(
    token: CancellationToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def listen() -> list[object]:
        asked: list[object] = []
        monkeypatch.setattr(asyncio.get_running_loop(), "call_later", asked.append)
        token.add_callback(bool)
        return asked

    assert asyncio.run(listen()) == []


def test_a_deadline_that_is_no_datetime_is_refused() -> None:
    with pytest.raises(TypeError, match=r"is a datetime; got 5\.0"):
        CancellationToken().child(deadline=5.0)  # type: ignore[arg-type]


def test_waiting_ends_with_the_cancellation() -> None:
    async def run() -> str | None:
        token = CancellationToken()
        waiting = asyncio.create_task(token.child().wait())
        await asyncio.sleep(0)
        token.cancel("done")
        await waiting
        return token.reason

    assert asyncio.run(run()) == "done"


def test_waiting_on_a_cancelled_token_ends_at_once() -> None:
    token = CancellationToken()
    token.cancel()

    asyncio.run(token.wait())


def test_waiting_ends_with_the_deadline() -> None:
    token = CancellationToken(deadline=datetime.now(UTC))

    asyncio.run(token.wait())
    assert token.reason == "deadline exceeded"


def test_a_watcher_looks_again_while_the_tokens_clock_is_late() -> None:
    readings = iter([0.0, 0.0, 0.0, 0.0])
    token = CancellationToken(
        deadline=datetime.fromtimestamp(0.001, UTC), now=lambda: next(readings, 1.0)
    )

    asyncio.run(token.wait())
    assert token.reason == "deadline exceeded"


def test_an_abandoned_wait_leaves_no_callback() -> None:
    async def run(token: CancellationToken) -> None:
        waiting = asyncio.create_task(token.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])

    parent = CancellationToken()
    child = parent.child()
    asyncio.run(run(child))
    seen = weakref.ref(child)
    del child
    gc.collect()
    assert seen() is None


def test_a_thread_cancels_what_a_loop_waits_for() -> None:
    async def run() -> str | None:
        token = CancellationToken()
        threading.Thread(target=token.cancel, args=("from outside",)).start()
        await token.wait()
        return token.reason

    assert asyncio.run(run()) == "from outside"


def test_one_of_many_threads_cancels() -> None:
    token = CancellationToken()
    told: list[int] = []
    token.child().add_callback(lambda: told.append(1))
    threads = [threading.Thread(target=token.cancel, args=(str(n),)) for n in range(20)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (told, token.reason in {str(n) for n in range(20)}) == ([1], True)


def test_a_callback_of_a_loop_that_is_gone_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    async def leave_scope_open(token: CancellationToken) -> None:
        interrupt_on(token).__enter__()

    token = CancellationToken()
    asyncio.run(leave_scope_open(token))

    token.cancel()
    assert (token.cancelled, caplog.records) == (True, [])


def test_cancelling_interrupts_an_await_in_flight() -> None:
    token = CancellationToken()

    with pytest.raises(Cancelled, match=r"^user left$"):
        asyncio.run(_interrupted(token, lambda _: token.cancel("user left")))


def test_cancelling_a_parent_interrupts_an_await_under_its_child() -> None:
    token = CancellationToken()

    with pytest.raises(Cancelled, match=r"^user left$"):
        asyncio.run(_interrupted(token.child(), lambda _: token.cancel("user left")))


def test_a_thread_interrupts_an_await_in_flight() -> None:
    token = CancellationToken()

    with pytest.raises(Cancelled, match=r"^thread$"):
        asyncio.run(
            _interrupted(
                token, lambda _: threading.Thread(target=token.cancel, args=("thread",)).start()
            )
        )


def test_a_deadline_interrupts_an_await_in_flight() -> None:
    token = CancellationToken(deadline=datetime.now(UTC) + timedelta(milliseconds=2))

    with pytest.raises(Cancelled, match=r"^deadline exceeded$"):
        asyncio.run(_wait_under(token))


def test_a_cancelled_token_refuses_the_entry() -> None:
    token = CancellationToken()
    token.cancel("too late")

    with pytest.raises(Cancelled, match=r"^too late$"):
        asyncio.run(_wait_under(token))


class _Silent(CancellationToken):
    """Cancels without a word: a signal of somebody else's."""

    @property
    def reason(self) -> str | None:
        return None

    def check(self) -> None:
        return


def test_a_signal_that_gives_no_reason_cancels_a_run() -> None:
    token = _Silent()

    with pytest.raises(Cancelled, match=r"^run cancelled$"):
        asyncio.run(_interrupted(token, lambda _: token.cancel()))


def test_a_foreign_cancellation_is_not_converted() -> None:
    token = CancellationToken()

    with pytest.raises(asyncio.CancelledError) as caught:
        asyncio.run(_interrupted(token, lambda task: task.cancel("foreign")))
    assert not isinstance(caught.value, Cancelled)


def test_a_foreign_cancellation_beside_the_tokens_leaves_as_itself() -> None:
    def both(task: asyncio.Task[None]) -> None:
        token.cancel()
        task.cancel("foreign")

    token = CancellationToken()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(_interrupted(token, both))


def test_no_token_makes_a_scope_that_does_nothing() -> None:
    async def run() -> str:
        with interrupt_on(None):
            return "through"

    assert asyncio.run(run()) == "through"


def test_an_error_in_the_scope_leaves_as_it_is() -> None:
    async def run() -> None:
        with interrupt_on(CancellationToken()):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        asyncio.run(run())


def test_a_scope_outside_of_a_task_says_what_it_needs() -> None:
    async def run() -> None:
        failure: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(lambda: failure.set_result(_entry_error()))
        assert await failure == (
            "interrupt_on() interrupts a task: enter it in code that a task runs"
        )

    asyncio.run(run())


def _entry_error() -> str:
    try:
        interrupt_on(CancellationToken()).__enter__()
    except RuntimeError as exc:
        return str(exc)
    return ""


def test_a_block_that_finishes_all_the_same_keeps_its_result() -> None:
    async def stubborn(token: CancellationToken) -> int:
        with interrupt_on(token), suppress(asyncio.CancelledError):
            await _forever()
        return 7

    async def run() -> tuple[int, int]:
        token = CancellationToken()
        task = asyncio.create_task(stubborn(token))
        await asyncio.sleep(0)
        token.cancel()
        return await task, task.cancelling()

    assert asyncio.run(run()) == (7, 0)


def test_a_task_that_cancels_its_own_token_is_free_after_the_scope() -> None:
    async def run() -> str:
        token = CancellationToken()
        with interrupt_on(token):
            token.cancel()
        await asyncio.sleep(0)
        return "unharmed"

    assert asyncio.run(run()) == "unharmed"


def test_a_cancellation_that_comes_after_the_scope_is_no_error_of_the_loop() -> None:
    async def run() -> list[object]:
        reports: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, told: reports.append(told))
        token = CancellationToken()
        with interrupt_on(token):
            token.cancel()
        await asyncio.sleep(0)
        return reports

    assert asyncio.run(run()) == []


def test_a_lasting_scope_listens_once_for_all_its_steps_until_it_forgets() -> None:
    async def run() -> list[tuple[int, int]]:
        token = _Counted()
        step = interrupt_on(token, lasting=True)
        for _ in range(2):
            with step:
                await asyncio.sleep(0)
        kept = token.listening, token.ever
        step.forget()
        return [kept, (token.listening, token.ever)]

    assert asyncio.run(run()) == [(1, 1), (0, 1)]


def test_a_later_step_of_a_lasting_scope_is_interrupted() -> None:
    async def steps(token: CancellationToken) -> None:
        step = interrupt_on(token, lasting=True)
        with step:
            await asyncio.sleep(0)
        with step:
            await _forever()

    async def run() -> None:
        token = CancellationToken()
        task = asyncio.create_task(steps(token))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        token.cancel("stop")
        await task

    with pytest.raises(Cancelled, match="stop"):
        asyncio.run(run())


def test_a_lasting_scope_refuses_the_step_after_its_token_was_cancelled() -> None:
    async def run() -> None:
        token = CancellationToken()
        step = interrupt_on(token, lasting=True)
        with step:
            token.cancel("stop")
        with step:
            pytest.fail("the step was entered")

    with pytest.raises(Cancelled, match="stop"):
        asyncio.run(run())


def test_nested_scopes_leave_one_cancelled_and_no_request_behind() -> None:
    async def nested(token: CancellationToken) -> int:
        with pytest.raises(Cancelled, match="stop"), interrupt_on(token), interrupt_on(token):
            await _forever()
        task = asyncio.current_task()
        await asyncio.sleep(0)
        return -1 if task is None else task.cancelling()

    async def run() -> int:
        token = CancellationToken()
        task = asyncio.create_task(nested(token))
        await asyncio.sleep(0)
        token.cancel("stop")
        return await task

    assert asyncio.run(run()) == 0


def test_a_scope_inside_a_timeout_leaves_the_timeout_working() -> None:
    async def run() -> None:
        async with asyncio.timeout(0.001):
            await _wait_under(CancellationToken())

    with pytest.raises(TimeoutError):
        asyncio.run(run())


@pytest.mark.parametrize(
    ("exc", "expected"),
    [
        (Cancelled("a"), "a"),
        (ExceptionGroup("g", [Cancelled("a"), ExceptionGroup("h", [Cancelled("b")])]), "a"),
        (ExceptionGroup("g", [Cancelled("a"), ValueError("b")]), None),
        (ValueError("b"), None),
    ],
    ids=["itself", "a group of nothing else", "a mixed group", "another error"],
)
def test_a_group_of_cancellations_alone_is_one(exc: BaseException, expected: str | None) -> None:
    found = sole_cancellation(exc)

    assert (found and found.reason) == expected
