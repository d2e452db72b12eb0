"""One span per call, and nothing that watches a call hurts it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled, ProviderError
from agentkit.core.contracts.middleware import Call, Handler, closing
from agentkit.core.contracts.types import Delta, ModelUsage, Price, Scope, ToolCall, Usage
from agentkit.core.policies import memoize, meter, retry, tracing
from agentkit.core.runtime import Budget
from agentkit.core.testing import (
    FakeClock,
    FakeTool,
    JsonStore,
    RecordingSpan,
    RecordingTracer,
    make_test_ctx,
)

from .drive import ANSWER, END, Terminal, chat, leave, run, text_of, tool

PRICE = Price(*[Decimal(part) for part in ("1", "1", "0.1", "1", "1")])


class Metrics:
    def __init__(self) -> None:
        self.told: list[tuple[str, float, dict[str, str]]] = []

    def add_counter(self, name: str, value: float = 1, *, tags: Any = None) -> None:
        self.told.append((name, value, dict(tags)))

    def record_histogram(self, name: str, value: float, *, tags: Any = None) -> None:
        self.told.append((name, value, dict(tags)))


class Replay:
    def __init__(self, *, broken: bool = False) -> None:
        self.records: list[Any] = []
        self._broken = broken

    async def put(self, record: Any) -> None:
        if self._broken:
            raise OSError("disk full")
        self.records.append(record)

    async def get(self, span_id: str) -> Any:
        return next((one for one in self.records if one.span_id == span_id), None)


class Sampler:
    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def should_sample(self, **_: Any) -> bool:
        if isinstance(self._answer, Exception):
            raise self._answer
        return bool(self._answer)


class BrokenTracer(RecordingTracer):
    """A tracer that fails at *stage*."""

    def __init__(self, stage: str) -> None:
        super().__init__()
        self._stage = stage

    def span(self, name: str, kind: str, **attrs: Any) -> Any:
        if self._stage == "span":
            raise RuntimeError("tracer down")
        return self._broken()

    @contextmanager
    def _broken(self) -> Any:
        if self._stage == "enter":
            raise RuntimeError("tracer down")
        yield object()  # neither set nor add_event
        if self._stage == "exit":
            raise RuntimeError("tracer down")


def watched(trace: Any = None, **services: Any) -> Any:
    return make_test_ctx(trace=trace or RecordingTracer(), clock=FakeClock(), **services)


def spans_of(ctx: Any) -> list[RecordingSpan]:
    spans: list[RecordingSpan] = ctx.trace.spans
    return spans


def only_span(ctx: Any) -> RecordingSpan:
    (span,) = spans_of(ctx)
    assert span.ended
    return span


def names(span: RecordingSpan) -> list[str]:
    return [name for name, _ in span.events]


def test_a_chat_leaves_one_span_with_what_it_was_and_what_it_took() -> None:
    ctx = watched()
    items = run(tracing(), Terminal(), chat("hi", ctx=ctx))
    span = only_span(ctx)

    assert items == list(ANSWER)
    assert (span.name, span.kind, span.attrs["gen_ai.request.model"]) == ("chat", "chat", "m")
    assert span.attrs["gen_ai.usage.input_tokens"] == 10
    assert span.attrs["gen_ai.usage.cost_usd"] == 0.25
    assert span.attrs["agentkit.usage.provenance"] == "reported"
    assert span.attrs["agentkit.call.outcome"] == "ended"
    assert names(span) == ["gen_ai.user.message", "gen_ai.choice"]


def test_a_tool_call_leaves_one_span_with_its_result() -> None:
    ctx = watched()
    run(tracing(), Terminal([{"ok": True}]), tool(ctx=ctx, host="a"))
    span = only_span(ctx)

    assert (span.name, span.attrs["gen_ai.tool.name"]) == ("execute_tool", "look")
    assert span.events[0][1]["content"] == '{"ok": true}'
    assert span.events[0][1]["result_size_bytes"] == 12


def test_long_content_is_capped_and_its_size_is_not() -> None:
    ctx = watched()
    run(tracing(), Terminal(["x" * 10_000]), tool(ctx=ctx))
    fields = only_span(ctx).events[0][1]

    assert fields["content"] == "x" * 4096 + " [truncated]"
    assert fields["result_size_bytes"] == 10_000


def test_without_content_a_span_has_counts_and_names_only() -> None:
    ctx = watched(replay=Replay())
    run(tracing(record_content=False), Terminal(), chat("secret", ctx=ctx))

    assert names(only_span(ctx)) == []
    assert ctx.replay.records == []


def test_many_tool_calls_are_named_up_to_a_limit_and_counted() -> None:
    calls = tuple(ToolCall(f"c{n}", f"t{n}") for n in range(18))
    ctx = watched()
    run(tracing(), Terminal([Delta(tool_calls=calls)]), chat(ctx=ctx))

    assert only_span(ctx).attrs["gen_ai.response.tool_calls"].endswith("t15,+2 more")
    assert only_span(ctx).attrs["gen_ai.response.tool_calls_count"] == 18


def test_a_failure_marks_the_span_and_leaves_as_it_came() -> None:
    ctx = watched()
    failure = ProviderError("down")

    with pytest.raises(ProviderError, match="down"):
        run(tracing(), Terminal([Delta("par"), failure]), chat(ctx=ctx))
    assert only_span(ctx).error is failure
    assert only_span(ctx).attrs["agentkit.usage.provenance"] == "unknown"


def test_what_a_cut_stream_had_brought_is_told_as_partial() -> None:
    usage = Usage(3, 1)
    ctx = watched()

    with pytest.raises(ProviderError, match="cut"):
        run(tracing(), Terminal([Delta("par", usage=usage), ProviderError("cut")]), chat(ctx=ctx))
    assert only_span(ctx).attrs["gen_ai.usage.input_tokens"] == 3
    assert only_span(ctx).attrs["agentkit.usage.provenance"] == "partial"


def test_an_abandoned_stream_ends_its_span_at_once_and_unfailed() -> None:
    ctx = watched()
    end = Terminal()
    leave(tracing(), end, chat(ctx=ctx))

    assert end.closed == 1
    assert only_span(ctx).error is None
    assert only_span(ctx).attrs["agentkit.call.outcome"] == "abandoned"


@pytest.mark.parametrize("stop", [Cancelled("enough"), asyncio.CancelledError()])
def test_a_cancelled_call_is_no_failed_one(stop: BaseException) -> None:
    ctx = watched()

    with pytest.raises(type(stop)):
        run(tracing(), Terminal([stop]), chat(ctx=ctx))
    assert only_span(ctx).error is None
    assert only_span(ctx).attrs["agentkit.call.outcome"] == "cancelled"


def test_tracing_twice_is_still_one_span() -> None:
    ctx = watched()
    run([tracing(), retry(), tracing()], Terminal(), chat(ctx=ctx))

    assert only_span(ctx).ended


def test_a_repeated_call_has_one_span_and_a_warning_says_where_tracing_belongs() -> None:
    ctx = watched()

    with pytest.warns(UserWarning, match="put tracing\\(\\) first"):
        run([retry(), tracing()], Terminal([TimeoutError()], ANSWER), chat(ctx=ctx))
    assert only_span(ctx).ended


def test_events_of_a_call_go_to_its_own_span_while_another_is_current() -> None:
    ctx = watched()

    async def other_span(call: Call, nxt: Handler) -> AsyncIterator[Any]:
        with call.ctx.trace.span("other", "internal"):
            async with closing(nxt(call)) as inner:
                async for item in inner:
                    yield item

    run([tracing(), other_span, retry()], Terminal([TimeoutError()], ANSWER), chat(ctx=ctx))
    call_span, other = spans_of(ctx)

    assert "retry.attempt" in names(call_span)
    assert other.events == []


@pytest.mark.parametrize("stage", ["span", "enter", "use", "exit"])
def test_a_broken_tracer_does_not_hurt_the_call(stage: str) -> None:
    ctx = watched(BrokenTracer(stage))

    assert text_of(run(tracing(), Terminal(), chat(ctx=ctx))) == "Hello, world"


def test_a_tracer_that_swallows_cannot_hide_a_failure() -> None:
    class Swallowing(RecordingTracer):
        @contextmanager
        def span(self, name: str, kind: str, **attrs: Any) -> Any:
            with suppress(ProviderError):
                yield self

    with pytest.raises(ProviderError, match="down"):
        run(tracing(), Terminal([ProviderError("down")]), chat(ctx=watched(Swallowing())))


@pytest.mark.parametrize(("answer", "spans"), [(True, 1), (False, 0), (OSError("broken"), 1)])
def test_the_sampler_decides_unless_it_is_broken(answer: Any, spans: int) -> None:
    ctx = watched(sampler=Sampler(answer))
    run(tracing(), Terminal(), chat(ctx=ctx))

    assert len(spans_of(ctx)) == spans


def test_metrics_are_recorded_when_the_span_is_not() -> None:
    metrics = Metrics()
    ctx = watched(sampler=Sampler(answer=False), metrics=metrics, scope=Scope(7))
    run(tracing(), Terminal(), chat(ctx=ctx))

    tags = {"gen_ai.request.model": "m", "agentkit.scope.org_id": "7"}
    assert ("gen_ai.client.token.usage", 10, {**tags, "gen_ai.token.type": "input"}) in metrics.told
    assert ("gen_ai.client.operation.duration", 0.0, tags) in metrics.told


def test_a_failure_is_counted_by_its_type() -> None:
    metrics = Metrics()

    with pytest.raises(ProviderError, match="down"):
        run(tracing(), Terminal([ProviderError("down")]), tool(ctx=watched(metrics=metrics)))
    (error,) = [tags for name, _, tags in metrics.told if name.endswith("error.count")]
    assert error["error.type"] == "ProviderError"
    assert error["gen_ai.tool.name"] == "look"


def test_a_tool_call_records_how_long_it_took() -> None:
    metrics = Metrics()
    run(tracing(), Terminal([1]), tool(ctx=watched(metrics=metrics)))

    assert "gen_ai.client.operation.duration" in [name for name, *_ in metrics.told]


def test_the_payloads_of_a_chat_are_found_again_by_its_span() -> None:
    replay = Replay()
    ctx = watched(replay=replay)
    call = chat("hi", ctx=ctx)
    run(tracing(), Terminal(), call)

    (record,) = replay.records
    assert record.span_id == only_span(ctx).context.span_id
    assert record.request == call.request
    assert record.response.content == "Hello, world"


def test_a_call_cancelled_while_its_record_is_kept_leaves_no_span_open() -> None:
    ctx = watched(replay=Interrupted())

    with pytest.raises(asyncio.CancelledError):
        run(tracing(), Terminal(), chat(ctx=ctx))
    assert [span.ended for span in ctx.trace.spans] == [True]


class Interrupted(Replay):
    async def put(self, record: Any) -> None:
        raise asyncio.CancelledError


@pytest.mark.parametrize("seam", ["trace", "sampler", "replay"])
def test_what_fails_while_watching_is_counted_and_hurts_nobody(seam: str) -> None:
    broken = {
        "trace": BrokenTracer("span"),
        "sampler": Sampler(OSError("down")),
        "replay": Replay(broken=True),
    }
    metrics = Metrics()
    items = run(tracing(), Terminal(), chat(ctx=watched(**{seam: broken[seam]}, metrics=metrics)))

    assert text_of(items) == "Hello, world"
    assert f"agentkit.{seam}.error.count" in [name for name, *_ in metrics.told]


def test_a_cache_hit_is_told_and_consumes_nothing() -> None:
    metrics = Metrics()
    ctx = watched(store=JsonStore(), metrics=metrics)
    policies = [tracing(), memoize()]
    run(policies, Terminal(), chat(ctx=ctx))
    told = len(metrics.told)
    run(policies, Terminal(), chat(ctx=ctx))

    assert spans_of(ctx)[1].attrs["agentkit.cache_hit"] is True
    assert [name for name, *_ in metrics.told[told:]] == ["gen_ai.client.operation.duration"]


@pytest.mark.parametrize(("known", "saved"), [(PRICE, 0.9), (None, None)])
def test_what_a_cache_saved_is_told_where_the_price_is_known(
    known: Price | None, saved: float | None
) -> None:
    def price(_: str) -> Price | None:
        return known

    ctx = watched(prices=price)
    run(tracing(), Terminal([Delta("x", usage=Usage(1, 1, 0.5, 1_000_000, 2))]), chat(ctx=ctx))
    attrs = only_span(ctx).attrs

    assert attrs.get("gen_ai.usage.cost_saved_by_cache_usd") == saved
    assert attrs["gen_ai.usage.cache_read_tokens"] == 1_000_000
    assert attrs["gen_ai.usage.cache_write_tokens"] == 2


def test_content_within_its_cap_is_not_cut_though_its_bytes_are_many() -> None:
    ctx = watched()
    run(tracing(), Terminal(["\u00e9" * 2048]), tool(ctx=ctx))

    assert only_span(ctx).events[0][1]["content"] == "\u00e9" * 2048


def test_a_watched_call_without_a_tracer_is_still_measured() -> None:
    metrics = Metrics()
    run(tracing(), Terminal(), chat(ctx=make_test_ctx(metrics=metrics, clock=FakeClock())))

    assert len(metrics.told) == 3


def test_an_unknown_price_is_not_told_as_free() -> None:
    exact = ModelUsage(input_tokens=9, output_tokens=2, provenance="reported")
    ctx = watched()
    run(tracing(), Terminal([Delta("x", model_usage=exact)]), chat(ctx=ctx))

    assert only_span(ctx).attrs["gen_ai.usage.input_tokens"] == 9
    assert "gen_ai.usage.cost_usd" not in only_span(ctx).attrs


def test_what_the_meter_estimated_for_an_abandoned_call_is_told() -> None:
    ctx = watched(budget=Budget())
    leave([tracing(), meter()], Terminal(), chat("hi", ctx=ctx))

    assert only_span(ctx).attrs["agentkit.usage.provenance"] == "estimated"
    assert only_span(ctx).attrs["gen_ai.usage.output_tokens"] == 2


def test_the_wait_for_the_first_words_is_measured_by_the_runs_clock() -> None:
    clock = FakeClock()
    ctx = make_test_ctx(trace=RecordingTracer(), clock=clock)

    async def slow(_: Call) -> AsyncIterator[Delta]:
        clock.advance(1.5)
        yield Delta("x")
        yield END

    run(tracing(), slow, chat(ctx=ctx))

    assert only_span(ctx).attrs["gen_ai.response.first_token_latency_ms"] == 1500


def test_a_tool_result_that_json_cannot_hold_is_told_as_text() -> None:
    ctx = watched()
    run(tracing(), Terminal([{"tool": FakeTool}]), tool(ctx=ctx))

    assert "FakeTool" in only_span(ctx).events[0][1]["content"]


def test_a_call_that_nobody_watches_passes_untouched() -> None:
    assert run(tracing(), Terminal(), chat()) == list(ANSWER)
