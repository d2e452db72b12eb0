"""A tracer that fails, and what it must not hurt."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.runtime import NullCtx
from agentkit.core.telemetry import NoopMetrics, NoopTrace, run_span, span_around
from agentkit.core.testing import RecordingSpan, RecordingTracer, make_test_ctx


class Broken(RecordingTracer):
    """Raises at one *moment* of a span's life."""

    def __init__(self, moment: str) -> None:
        super().__init__()
        self.moment = moment

    def span(self, name: str, kind: str, **attrs: Any) -> Any:
        self.fail("span")
        return self

    def __enter__(self) -> Any:
        self.fail("enter")
        return self

    def __exit__(self, *told: object) -> bool:
        self.fail("exit")
        return True

    def set(self, key: str, value: Any) -> None:
        self.fail("set")

    def add_event(self, name: str, **fields: Any) -> None:
        self.fail("add_event")

    def current_span_id(self) -> Any:
        self.fail("current_span_id")

    def fail(self, moment: str) -> None:
        if moment == self.moment:
            raise RuntimeError(moment)


class Counting(NoopMetrics):
    """Keeps the counters."""

    def __init__(self) -> None:
        self.counted: list[tuple[str, Any]] = []

    def add_counter(
        self, name: str, value: float = 1, *, tags: dict[str, str] | None = None
    ) -> None:
        self.counted.append((name, tags))


class Asynchronous(NoopTrace):
    """Its spans are opened by `async with`."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def span(self, name: str, kind: str, **attrs: Any) -> Any:
        @asynccontextmanager
        async def opened() -> AsyncGenerator[AbstractContextManager[None], None]:
            self.seen.append(name)
            yield nullcontext()
            self.seen.append("closed")

        return opened()


async def _work(trace: Any, failure: BaseException | None = None) -> str:
    async with span_around(trace, "work", "internal", n=1) as span:
        span.set("a", 1)
        span.add_event("b", c=2)
        if failure is not None:
            raise failure
    return "done"


async def _run(ctx: Any) -> str:
    async with run_span(ctx, "work", "internal", n=1) as span:
        span.set("a", 1)
        span.add_event("b", c=2)
    return "done"


def _failed_span(failure: BaseException) -> RecordingSpan:
    tracer = RecordingTracer()
    with pytest.raises(type(failure)):
        asyncio.run(_work(tracer, failure))
    return tracer.spans[0]


@pytest.mark.parametrize("moment", ["span", "enter", "exit", "set", "add_event", "current_span_id"])
def test_a_broken_tracer_does_not_hurt_the_work(moment: str) -> None:
    assert asyncio.run(_work(Broken(moment))) == "done"


@pytest.mark.parametrize("moment", ["span", "enter", "exit", "set", "add_event", "current_span_id"])
def test_a_broken_tracer_is_counted(moment: str) -> None:
    metrics = Counting()
    ctx = make_test_ctx(trace=Broken(moment), metrics=metrics)
    asyncio.run(_run(ctx))

    assert metrics.counted == [("agentkit.trace.error.count", {"error.type": "RuntimeError"})]


def test_a_context_without_metrics_has_spans_all_the_same() -> None:
    assert asyncio.run(_run(NullCtx())) == "done"


def test_a_tracer_cannot_swallow_what_the_work_raises() -> None:
    with pytest.raises(KeyError, match="mine"):
        asyncio.run(_work(Broken("none"), KeyError("mine")))


def test_what_was_said_of_the_span_is_kept() -> None:
    tracer = RecordingTracer()
    asyncio.run(_work(tracer))

    span = tracer.spans[0]
    assert (span.attrs, span.events, span.ended) == ({"n": 1, "a": 1}, [("b", {"c": 2})], True)


def test_a_failure_marks_the_span() -> None:
    failure = KeyError("x")

    assert _failed_span(failure).error is failure


@pytest.mark.parametrize("stop", [Cancelled(), asyncio.CancelledError()], ids=repr)
def test_being_stopped_is_no_failure(stop: BaseException) -> None:
    span = _failed_span(stop)

    assert (span.error, span.ended) == (None, True)


def test_a_span_may_be_opened_asynchronously() -> None:
    trace = Asynchronous()

    assert asyncio.run(_work(trace)) == "done"
    assert trace.seen == ["work", "closed"]
