"""Tools, web doubles, clocks, tracers, metrics and samplers keep their ports."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import pytest

from agentkit.agents.tools import FunctionTool
from agentkit.core.contracts.ports import FetchResponse, SearchHit
from agentkit.core.runtime import SystemClock
from agentkit.core.telemetry import (
    AlwaysOnSampler,
    NoopMetrics,
    NoopTrace,
    TraceIdRatioSampler,
)
from agentkit.core.testing import FakeClock, FakeFetch, FakeSearch, FakeTool, RecordingTracer
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
)

PAGE = "https://example.com/page"


def weather_in(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"city": arguments["city"]}


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
        self.search = FakeSearch()
        return lambda: nullcontext(self.search)

    async def play(self, found: Sequence[SearchHit]) -> None:
        FakeSearch.__init__(self.search, found)


class TestFakeFetch(FetchSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.fetch = FakeFetch({})
        return lambda: nullcontext(self.fetch)

    def url(self) -> str:
        return PAGE

    async def play(self, response: FetchResponse) -> None:
        FakeFetch.__init__(self.fetch, {response.url: response})


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
