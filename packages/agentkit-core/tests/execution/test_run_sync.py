"""The bridge from sync code: with and without a running loop."""

import asyncio
import contextvars
import threading
from typing import Any

import pytest

from agentkit.core.execution import run_sync
from agentkit.core.execution.sync import _Thread  # pyright: ignore[reportPrivateUsage]

VARIABLE = contextvars.ContextVar("variable", default="unset")


async def _give(value: Any) -> Any:
    await asyncio.sleep(0)
    return value


async def _inside(call: Any) -> Any:
    return call()


async def _seen() -> tuple[str, bool]:
    return VARIABLE.get(), threading.current_thread() is threading.main_thread()


async def _where() -> str:
    return threading.current_thread().name


async def _fail() -> None:
    await asyncio.sleep(0)
    raise KeyError("mine")


def test_without_a_loop_it_runs_here() -> None:
    assert run_sync(_give(7)) == 7


def test_inside_a_loop_it_blocks_and_gives_the_result() -> None:
    assert asyncio.run(_inside(lambda: run_sync(_give(7)))) == 7


def test_context_variables_travel_into_the_thread() -> None:
    VARIABLE.set("travelled")

    assert asyncio.run(_inside(lambda: run_sync(_seen()))) == ("travelled", False)


def test_the_thread_says_what_it_is_for() -> None:
    assert asyncio.run(_inside(lambda: run_sync(_where()))) == "run_sync"


def test_context_variables_travel_without_a_loop() -> None:
    VARIABLE.set("travelled")

    assert run_sync(_seen()) == ("travelled", True)


def test_an_error_leaves_the_thread_as_it_is() -> None:
    with pytest.raises(KeyError, match="mine"):
        asyncio.run(_inside(lambda: run_sync(_fail())))


def test_what_is_no_coroutine_is_refused() -> None:
    with pytest.raises(TypeError, match="call the async function; got <function"):
        run_sync(_give)  # type: ignore[arg-type]


def test_it_may_be_nested() -> None:
    async def outer() -> int:
        return sum(run_sync(_give(n)) for n in (1, 2))

    assert asyncio.run(_inside(lambda: run_sync(outer()))) == 3


class _Interrupted:
    """A coroutine under way, and the interrupt that comes as soon as it is."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.ended = ""

    async def forever(self) -> None:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.ended = "cancelled"
            raise

    def interrupt(self, *_: object) -> None:
        self.begun.wait()
        raise KeyboardInterrupt


def test_an_interrupt_while_waiting_cancels_the_coroutine(monkeypatch: pytest.MonkeyPatch) -> None:
    work = _Interrupted()
    monkeypatch.setattr("concurrent.futures.Future.result", work.interrupt)

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(_inside(lambda: run_sync(work.forever())))
    assert work.ended == "cancelled"


def test_an_interrupt_before_there_is_a_loop_runs_nothing() -> None:
    work = _Interrupted()
    thread = _Thread(work.forever())
    thread._cancel()  # pyright: ignore[reportPrivateUsage] - no interrupt comes when it is wanted

    with pytest.raises(asyncio.CancelledError):
        thread.result()
    assert not work.begun.is_set()
