"""What a cancellation token promises."""

import asyncio
import gc
import logging
import threading
import weakref
from collections.abc import Callable
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
