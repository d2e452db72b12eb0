"""Stream operators: what they give, and that they close what they read."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import pytest

from agentkit.core.contracts.errors import ScriptExhausted
from agentkit.core.execution import streams
from agentkit.core.execution.streams import (
    buffer,
    distinct_until_changed,
    filter_stream,
    map_stream,
    merge,
    scan,
    take,
    take_until,
    take_while,
    to_list,
)

_Operator = Callable[[AsyncIterable[Any]], AsyncGenerator[Any, None]]


class _Source:
    """Gives items, notes how many were pulled and whether it was closed."""

    def __init__(self, *items: Any) -> None:
        self.items = items
        self.pulled = 0
        self.closed = False

    async def stream(self) -> AsyncGenerator[Any, None]:
        try:
            for item in self.items:
                await asyncio.sleep(0)
                self.pulled += 1
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self.closed = True


def _items(make: _Operator, *given: Any) -> list[Any]:
    return asyncio.run(to_list(make(_Source(*given).stream())))


async def _is_even(number: int) -> bool:
    await asyncio.sleep(0)
    return number % 2 == 0


_GIVES: dict[str, tuple[_Operator, tuple[Any, ...], list[Any]]] = {
    "map_stream": (lambda s: map_stream(s, lambda x: x * 2), (1, 2), [2, 4]),
    "map_stream async": (lambda s: map_stream(s, _is_even), (1, 2), [False, True]),
    "filter_stream": (lambda s: filter_stream(s, lambda x: x > 1), (1, 2, 3), [2, 3]),
    "filter_stream async": (lambda s: filter_stream(s, _is_even), (1, 2, 3, 4), [2, 4]),
    "take": (lambda s: take(s, 2), (1, 2, 3), [1, 2]),
    "take more than there is": (lambda s: take(s, 9), (1, 2), [1, 2]),
    "take none": (lambda s: take(s, 0), (1, 2), []),
    "take less than none": (lambda s: take(s, -1), (1, 2), []),
    "take_while": (lambda s: take_while(s, lambda x: x < 3), (1, 2, 3, 1), [1, 2]),
    "take_while to the end": (lambda s: take_while(s, lambda x: x < 3), (1, 2), [1, 2]),
    "take_until": (lambda s: take_until(s, _is_even), (1, 2, 3), [1, 2]),
    "take_until to the end": (lambda s: take_until(s, _is_even), (1, 3), [1, 3]),
    "distinct_until_changed": (distinct_until_changed, (1, 1, 2, 1), [1, 2, 1]),
    "distinct_until_changed from None": (distinct_until_changed, (None, None, 0), [None, 0]),
    "distinct_until_changed by key": (
        lambda s: distinct_until_changed(s, key=len),
        ("a", "b", "cc"),
        ["a", "cc"],
    ),
    "scan": (lambda s: scan(s, lambda a, b: a + b, 10), (1, 2), [11, 13]),
    "buffer": (lambda s: buffer(s, 2), (1, 2, 3), [[1, 2], [3]]),
    "buffer without a rest": (lambda s: buffer(s, 2), (1, 2), [[1, 2]]),
    "merge": (merge, (1, 2, 3), [1, 2, 3]),
}


@pytest.mark.parametrize(("operator", "given", "expected"), _GIVES.values(), ids=_GIVES)
def test_an_operator_gives(
    operator: _Operator, given: tuple[Any, ...], expected: list[Any]
) -> None:
    assert _items(operator, *given) == expected


_OPERATORS: dict[str, _Operator] = {
    "map_stream": lambda s: map_stream(s, lambda x: x),
    "filter_stream": lambda s: filter_stream(s, lambda _: True),
    "take": lambda s: take(s, 9),
    "take_while": lambda s: take_while(s, lambda _: True),
    "take_until": lambda s: take_until(s, lambda _: False),
    "distinct_until_changed": distinct_until_changed,
    "scan": lambda s: scan(s, lambda _, x: x, None),
    "buffer": lambda s: buffer(s, 1),
    "merge": merge,
}
every_operator = pytest.mark.parametrize("operator", _OPERATORS.values(), ids=_OPERATORS.keys())


@every_operator
def test_an_operator_closes_its_source_when_its_consumer_stops(operator: _Operator) -> None:
    async def run() -> tuple[bool, set[Any]]:
        source = _Source(1, 2, 3)
        async with aclosing(operator(source.stream())) as stream:
            await anext(stream)
        return source.closed, asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(run()) == (True, set())


@every_operator
def test_an_operator_passes_an_error_and_closes(operator: _Operator) -> None:
    async def run(source: _Source) -> list[Any]:
        return await to_list(operator(source.stream()))

    source = _Source(1, KeyError("mine"))
    with pytest.raises(KeyError, match="mine"):
        asyncio.run(run(source))
    assert source.closed


@every_operator
@pytest.mark.parametrize("turns", range(6))
def test_an_operator_cancelled_at_any_point_closes(operator: _Operator, turns: int) -> None:
    async def run(source: _Source) -> set[Any]:
        task = asyncio.create_task(to_list(operator(source.stream())))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return asyncio.all_tasks() - {asyncio.current_task()}

    source = _Source(1, 2, 3, 4, 5, 6, 7)
    assert asyncio.run(run(source)) == set()
    assert source.closed or source.pulled == 0


@every_operator
def test_a_stream_that_was_consumed_is_refused(operator: _Operator) -> None:
    async def run() -> None:
        stream = _Source(1).stream()
        await to_list(stream)
        await to_list(operator(stream))

    with pytest.raises(RuntimeError, match="was consumed before: a stream is used once"):
        asyncio.run(run())


def test_take_pulls_no_more_than_it_gives() -> None:
    source = _Source(1, 2, 3)

    asyncio.run(to_list(take(source.stream(), 2)))
    assert (source.pulled, source.closed) == (2, True)


def test_a_source_that_cannot_be_closed_is_read_all_the_same() -> None:
    class Plain:
        def __init__(self) -> None:
            self.left = 2

        def __aiter__(self) -> AsyncIterator[int]:
            return self

        async def __anext__(self) -> int:
            self.left -= 1
            if self.left < 0:
                raise StopAsyncIteration
            return self.left

    assert asyncio.run(to_list(map_stream(Plain(), str))) == ["1", "0"]


def test_merge_keeps_the_order_of_each_source() -> None:
    merged = asyncio.run(to_list(merge(_Source(1, 2, 3).stream(), _Source(10, 20).stream())))

    assert [x for x in merged if x < 10] == [1, 2, 3]
    assert [x for x in merged if x >= 10] == [10, 20]


def test_merging_nothing_gives_nothing() -> None:
    nothing: list[AsyncIterable[int]] = []

    assert asyncio.run(to_list(merge(*nothing))) == []


def test_merge_holds_back_sources_that_are_ahead() -> None:
    async def run() -> int:
        source = _Source(*range(100))
        async with aclosing(merge(source.stream(), buffer=2)) as stream:
            await anext(stream)
            for _ in range(50):
                await asyncio.sleep(0)
        return source.pulled

    assert asyncio.run(run()) <= 5


def test_merge_makes_room_for_what_comes_as_items_are_taken() -> None:
    items = list(range(10))

    assert asyncio.run(to_list(merge(_Source(*items).stream(), buffer=2))) == items


def test_merge_keeps_sixty_four_items_waiting_unless_told() -> None:
    async def run() -> int:
        source = _Source(*range(100))
        async with aclosing(merge(source.stream())) as stream:
            await anext(stream)
            for _ in range(200):
                await asyncio.sleep(0)
        return source.pulled

    assert asyncio.run(run()) == 64 + 2  # the one that was taken, and the one that waits for room


def test_an_error_comes_after_the_items_before_it_and_ends_the_others() -> None:
    async def run(other: _Source) -> list[Any]:
        source = _Source(1, 2, KeyError("mine"))
        seen: list[Any] = []
        merged = map_stream(merge(source.stream(), other.stream()), seen.append)
        with pytest.raises(KeyError, match="mine"):
            await to_list(merged)
        return [item for item in seen if item < 100]

    other = _Source(*range(100, 200))
    assert asyncio.run(run(other)) == [1, 2]
    assert other.closed


@pytest.mark.parametrize("exc", [asyncio.CancelledError(), ScriptExhausted("over")], ids=repr)
def test_what_is_no_exception_leaves_a_merge_as_it_is(exc: BaseException) -> None:
    with pytest.raises(type(exc)):
        asyncio.run(to_list(merge(_Source(1, exc).stream(), buffer=1)))


def test_merge_does_not_wait_for_ever_for_a_stubborn_source(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "SIBLING_CLEANUP_GRACE_S", 0.01)

    async def stubborn(free: asyncio.Event) -> AsyncGenerator[int, None]:
        yield 1
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await free.wait()

    async def run() -> None:
        free = asyncio.Event()
        async with aclosing(merge(stubborn(free))) as stream:
            await anext(stream)
            await asyncio.sleep(0)
        free.set()
        await asyncio.sleep(0)

    asyncio.run(run())


_BAD_SIZES: dict[str, tuple[_Operator, type[Exception], str]] = {
    "buffer of none": (lambda s: buffer(s, 0), ValueError, "n is 1 or more; got 0"),
    "bool": (lambda s: buffer(s, True), TypeError, "n is a whole number; got True"),
    "merge without room": (lambda s: merge(s, buffer=0), ValueError, "buffer is 1 or more; got 0"),
    "take text": (lambda s: take(s, "1"), TypeError, "n is a whole number; got '1'"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("make", "error", "match"), _BAD_SIZES.values(), ids=_BAD_SIZES)
def test_a_bad_size_is_refused(make: _Operator, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        _items(make, 1)
