"""Which histories of concurrent calls can be put in a row."""

import asyncio

import pytest

from agentkit.testing.suites._linear import Call, History, Impossible, is_linearizable


def write(value: int, begun: int, ended: int) -> Call:
    return Call(verb="write", args=(value,), result=None, begun=begun, ended=ended)


def read(value: int, begun: int, ended: int) -> Call:
    return Call(verb="read", args=(), result=value, begun=begun, ended=ended)


def after(state: int, call: Call) -> int:
    """Give what a register holds after *call*."""
    if call.verb == "write":
        value: int = call.args[0]
        return value
    if call.result != state:
        raise Impossible
    return state


@pytest.mark.parametrize(
    ("calls", "verdict"),
    [
        ([], True),
        ([write(1, 0, 1), read(1, 2, 3)], True),
        ([write(1, 0, 1), read(0, 2, 3)], False),
        ([write(1, 0, 3), read(0, 1, 2)], True),
        ([write(1, 0, 5), read(1, 1, 2), read(0, 3, 4)], False),
        ([write(1, 0, 7), read(0, 1, 2), read(1, 3, 4), read(1, 5, 6)], True),
        ([write(1, 0, 3), write(2, 1, 2), read(1, 4, 5), read(2, 6, 7)], False),
        ([read(1, 0, 1), write(1, 2, 3)], False),
    ],
    ids=["none", "after", "stale", "while", "back again", "seen", "unwritten", "from the future"],
)
def test_a_register_s_history_is_judged(calls: list[Call], verdict: bool) -> None:  # noqa: FBT001 - a row
    assert is_linearizable(calls, after, initial=0) is verdict


def test_many_calls_at_once_are_judged_in_no_time() -> None:
    writes = [write(n, n, 100 + n) for n in range(10)]
    reads = [read(99, 50 + n, 200 + n) for n in range(2)]

    assert not is_linearizable([*writes, *reads], after, initial=0)


def test_a_history_notes_what_overlapped() -> None:
    async def slow() -> str:
        await asyncio.sleep(0)
        return "done"

    async def run() -> list[Call]:
        history = History()
        await asyncio.gather(*(history.call("v", by=slow) for _ in range(2)))
        return history.calls

    assert [(call.begun, call.ended) for call in asyncio.run(run())] == [(0, 2), (1, 3)]
