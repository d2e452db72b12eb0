"""Tools, web doubles, clocks, tracers, metrics and samplers keep their ports."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import pytest

from agentkit.agents.tools import FunctionTool
from agentkit.core.contracts.errors import ErrorClass, Failure, ProviderError
from agentkit.core.contracts.ports import FetchResponse, SearchHit
from agentkit.core.policies import Guardrail
from agentkit.core.runtime import SystemClock
from agentkit.core.telemetry import (
    AlwaysOnSampler,
    NoopMetrics,
    NoopTrace,
    TraceIdRatioSampler,
)
from agentkit.core.testing import (
    FakeClock,
    FakeFetch,
    FakeSearch,
    FakeTool,
    RecordingMetrics,
    RecordingTracer,
)
from agentkit.testing import (
    ClockSuite,
    FetchSuite,
    MetricsSuite,
    Opener,
    SamplerSuite,
    SearchSuite,
    Spanned,
    ToolSuite,
    TraceSuite,
    provider_error,
)

PAGE = "https://example.com/page"
UNREACHABLE = ProviderError("cannot connect", error_class=ErrorClass.TRANSIENT)

Recorded = tuple[str, float, dict[str, str]]


def weather_in(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"city": arguments["city"]}


async def resolve(_: str) -> list[str]:
    return ["93.184.215.14"]


def summed(told: list[Recorded]) -> list[Recorded]:
    totals: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    for name, value, tags in told:
        series = name, frozenset(tags.items())
        totals[series] = totals.get(series, 0) + value
    return [(name, total, dict(tags)) for (name, tags), total in totals.items()]


class TestFakeTool(ToolSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.tool = FakeTool("weather", responder=weather_in)
        return lambda: nullcontext(self.tool)

    def arguments(self) -> dict[str, Any]:
        return {"city": "Rome"}

    async def runs(self) -> int:
        return len(self.tool.calls)


class FunctionSteps:
    """The hooks of a tool made of a function."""

    calls = 0

    def arguments(self) -> dict[str, Any]:
        return {"words": ["a", "b"], "times": 2}

    def bad_arguments(self) -> list[dict[str, Any]]:
        return [{}, {"words": "a"}, {"words": [], "more": 1}, {"words": [], "times": "two"}]

    async def runs(self) -> int:
        return self.calls

    def work(self, words: list[str], times: int) -> list[str]:
        self.calls += 1
        return words * times


class TestFunctionTool(FunctionSteps, ToolSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        async def repeat(words: list[str], times: int = 1) -> list[str]:
            return self.work(words, times)

        tool = FunctionTool("repeat", repeat, "Repeats words.", side_effecting=False)
        return lambda: nullcontext(tool)


class TestFunctionToolOfASyncFunction(FunctionSteps, ToolSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        def repeat(words: list[str], times: int = 1) -> list[str]:
            return self.work(words, times)

        tool = FunctionTool("repeat", repeat, "Repeats words.", side_effecting=False)
        return lambda: nullcontext(tool)


class TestFakeSearch(SearchSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.engine: dict[str, Sequence[SearchHit] | Exception] = {}
        self.search = FakeSearch(self.engine)
        return lambda: nullcontext(self.search)

    async def play(self, found: Sequence[SearchHit]) -> None:
        self.found = found
        self.engine[""] = found  # it is a part of every query

    async def fail(self, failure: Failure) -> None:
        self.engine[""] = provider_error(failure)

    async def requests(self) -> int:
        return len(self.search.queries)

    async def break_connection(self) -> None:
        self.engine[""] = UNREACHABLE

    async def restore(self) -> None:
        self.engine[""] = self.found


class TestFakeFetch(FetchSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.web: dict[str, FetchResponse | Exception] = {}
        self.fetch = FakeFetch(self.web, guard=Guardrail(resolve=resolve))
        return lambda: nullcontext(self.fetch)

    def url(self) -> str:
        return PAGE

    async def play(self, response: FetchResponse) -> None:
        self.web[response.url] = self.page = response

    async def hang(self) -> None:
        self.web[PAGE] = TimeoutError("nothing came")

    def denied(self) -> str:
        return "http://169.254.169.254/latest"

    async def requests(self) -> int:
        return len(self.fetch.urls)

    async def break_connection(self) -> None:
        self.web[PAGE] = UNREACHABLE

    async def restore(self) -> None:
        self.web[PAGE] = self.page


class TestSystemClock(ClockSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        return lambda: nullcontext(SystemClock())


class TestFakeClock(ClockSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        clock = FakeClock()
        return lambda: nullcontext(clock)


class TestNoopTrace(TraceSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        return lambda: nullcontext(NoopTrace())


class TestRecordingTracer(TraceSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.tracer = RecordingTracer()
        return lambda: nullcontext(self.tracer)

    async def spans(self) -> list[Spanned]:
        return [
            Spanned(
                name=span.name,
                parent=span.parent.name if span.parent else None,
                attrs=span.attrs,
                events=tuple(name for name, _ in span.events),
                has_ended=span.ended,
                has_failed=span.error is not None,
            )
            for span in self.tracer.spans
        ]


class TestRecordingMetrics(MetricsSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.metrics = RecordingMetrics()
        return lambda: nullcontext(self.metrics)

    async def counted(self) -> list[Recorded]:
        return summed(self.metrics.counters)

    async def recorded(self) -> list[Recorded]:
        return summed(self.metrics.histograms)


class TestNoopMetrics(MetricsSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        return lambda: nullcontext(NoopMetrics())


class TestAlwaysOnSampler(SamplerSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        return lambda: nullcontext(AlwaysOnSampler())

    def ratio(self) -> float:
        return 1.0


class TestTraceIdRatioSampler(SamplerSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        return lambda: nullcontext(TraceIdRatioSampler(0.25))

    def ratio(self) -> float:
        return 0.25
