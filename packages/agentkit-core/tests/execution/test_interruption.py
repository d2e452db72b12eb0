"""What the scope around an await does when its token is cancelled."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.execution import CancellationToken, interrupt_on
from agentkit.core.execution.cancellation import Interruption


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


@pytest.mark.parametrize("scope", [interrupt_on, Interruption], ids=["interrupt_on", "itself"])
def test_a_scope_listens_no_longer_than_it_lasts(
    scope: Callable[[CancellationToken], Interruption],
) -> None:
    async def run() -> tuple[int, int]:
        token = _Counted()
        with scope(token):
            await asyncio.sleep(0)
        return token.listening, token.ever

    assert asyncio.run(run()) == (0, 1)


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
