"""The doubles do what they say, and complain when a test misuses them."""

import asyncio
from contextlib import suppress
from dataclasses import fields
from typing import Any

import pytest

from agentkit.core.contracts.errors import EgressDenied, ScriptExhausted
from agentkit.core.contracts.llm import RunMeta
from agentkit.core.contracts.ports import FetchResponse, SearchHit
from agentkit.core.contracts.types import ChatRequest, Delta, LLMResult, Message, ToolCall, Usage
from agentkit.core.policies import Guardrail
from agentkit.core.testing import (
    FakeClock,
    FakeFetch,
    FakeLLM,
    FakeSearch,
    FakeTool,
    JsonStore,
    RecordingMetrics,
    RecordingTracer,
    Turn,
    filled,
    make_test_ctx,
)

HELLO: dict[str, Any] = {"messages": [Message("user", "hello there")], "model": "m"}


def _chat(llm: FakeLLM, **request: Any) -> LLMResult:
    return asyncio.run(llm.chat(**{**HELLO, **request}))


def _deltas(llm: FakeLLM) -> list[Delta]:
    async def collect() -> list[Delta]:
        return [delta async for delta in llm.stream(**HELLO)]

    return asyncio.run(collect())


def test_a_fake_model_gives_its_text_with_usage_model_and_provider() -> None:
    result = _chat(FakeLLM("42"))

    assert (result.content, result.usage, result.model) == ("42", Usage(10, 5, 0.0001), "m")
    assert (result.provider, result.finish_reason) == ("fake", "stop")


def test_a_fake_model_streams_pieces_and_ends_with_the_facts() -> None:
    deltas = _deltas(FakeLLM("0123456789"))

    assert [d.text for d in deltas] == ["01234567", "89", ""]
    assert [d.usage is not None for d in deltas] == [False, False, True]


def test_a_fake_model_answers_by_a_part_of_the_words() -> None:
    assert _chat(FakeLLM({"bye": "no", "hello": "yes"})).content == "yes"


def test_words_that_nothing_is_scripted_for_raise() -> None:
    with pytest.raises(ScriptExhausted, match="no response is scripted for 'hello there'"):
        _chat(FakeLLM({"bye": "no"}))


def test_a_fake_model_answers_by_a_function() -> None:
    def answer(*, system: str, user: str, model: str) -> str:
        return f"{system}|{user}|{model}"

    llm = FakeLLM(answer)
    assert asyncio.run(llm.complete(system="s", user="u", model="m")).content == "s|u|m"


def test_a_script_is_answered_turn_by_turn() -> None:
    call = ToolCall("c1", "t")
    llm = FakeLLM.script([Turn(tool_calls=(call,), reasoning="hm"), Turn("done")])

    first, second = _chat(llm), _chat(llm)
    assert (first.tool_calls, first.finish_reason, first.reasoning) == ((call,), "tool_calls", "hm")
    assert second.content == "done"


def test_a_script_that_runs_out_raises() -> None:
    llm = FakeLLM.script([Turn("one")])
    _chat(llm)

    with pytest.raises(ScriptExhausted, match="the script has 1 turns"):
        _chat(llm)


def test_a_script_may_repeat_its_last_turn() -> None:
    llm = FakeLLM.script([Turn("one"), Turn("two")], repeat_last=True)

    assert [_chat(llm).content for _ in range(3)] == ["one", "two", "two"]


def test_turns_that_nobody_asked_for_can_be_seen() -> None:
    llm = FakeLLM.script([Turn("one"), Turn("two")])
    _chat(llm)

    assert llm.unused_turns == (Turn("two"),)


def test_a_fake_model_fails_as_often_as_it_is_told() -> None:
    llm = FakeLLM("ok", fail_times=1)
    with pytest.raises(TimeoutError, match="temporary"):
        _chat(llm)

    assert _chat(llm).content == "ok"
    assert llm.calls == 2


def test_a_scripted_error_is_raised() -> None:
    with pytest.raises(KeyError, match="planned"):
        _chat(FakeLLM.script([Turn(error=KeyError("planned"))]))


def test_a_delay_passes_on_the_clock_that_is_given() -> None:
    clock = FakeClock()
    _chat(FakeLLM("x", delay=30.0, clock=clock))

    assert clock.sleeps == [30.0]


def test_a_fake_model_keeps_its_requests() -> None:
    llm = FakeLLM("x")
    _chat(llm, max_tokens=3)

    assert llm.requests == [ChatRequest(HELLO["messages"], "m", max_tokens=3)]


def test_a_fake_tool_is_advertised_under_the_name_it_is_called_by() -> None:
    tool = FakeTool(name="lookup")

    assert (tool.name, tool.schema.name) == ("lookup", "lookup")


async def _later(args: dict[str, Any]) -> Any:
    return args["a"]


def _now(args: dict[str, Any]) -> Any:
    return args["a"]


@pytest.mark.parametrize("responder", [1, _now, _later], ids=["value", "function", "async"])
def test_a_fake_tool_answers_and_keeps_its_calls(responder: Any) -> None:
    tool = FakeTool(responder=responder)

    assert asyncio.run(tool.run({"a": 1}, make_test_ctx())) == 1
    assert tool.calls == [{"a": 1}]


def test_sleeping_on_a_fake_clock_moves_it() -> None:
    clock = FakeClock(10.0)
    asyncio.run(clock.sleep(5))

    assert (clock.now(), clock.sleeps) == (15.0, [5])


def test_a_clock_does_not_go_back() -> None:
    with pytest.raises(ValueError, match="a clock goes forward only"):
        FakeClock().advance(-1)


def test_search_finds_by_query_and_by_metadata() -> None:
    one, two = SearchHit("1", "t", "s", metadata={"lang": "en"}), SearchHit("2", "t", "s")
    search = FakeSearch({"octopus": [one, two]})

    assert asyncio.run(search.search("an octopus", where={"lang": "en"})) == [one]
    assert asyncio.run(search.search("a squid")) == []


def test_fetching_what_is_no_fixture_is_a_key_error() -> None:
    page = FetchResponse("u", 200, {}, "hi", "text/plain", 0.0)

    assert asyncio.run(FakeFetch({"u": page}).fetch("u")) == page
    with pytest.raises(KeyError, match="other"):
        asyncio.run(FakeFetch({}).fetch("other"))


def test_a_failure_among_the_hits_is_raised() -> None:
    search = FakeSearch({"down": OSError("engine"), "": [SearchHit("1", "t", "s")]})

    with pytest.raises(OSError, match="engine"):
        asyncio.run(search.search("down"))
    assert len(asyncio.run(search.search("up"))) == 1
    assert search.queries == ["down", "up"]


def test_a_failure_among_the_fixtures_is_raised() -> None:
    fetch = FakeFetch({"u": TimeoutError("slow")})

    with pytest.raises(TimeoutError, match="slow"):
        asyncio.run(fetch.fetch("u"))
    assert fetch.urls == ["u"]


def test_what_a_guard_denies_is_not_fetched() -> None:
    fetch = FakeFetch({}, guard=Guardrail())

    with pytest.raises(EgressDenied, match="public internet"):
        asyncio.run(fetch.fetch("http://127.0.0.1/"))
    assert fetch.urls == []


def test_recorded_metrics_keep_what_they_were_told() -> None:
    metrics, tags = RecordingMetrics(), {"model": "m"}
    metrics.add_counter("calls", tags=tags)
    metrics.record_histogram("seconds", 0.5)
    tags.clear()

    assert metrics.counters == [("calls", 1, {"model": "m"})]
    assert metrics.histograms == [("seconds", 0.5, {})]


def test_a_counter_in_the_json_store_keeps_its_window() -> None:
    clock = FakeClock()
    store = JsonStore(clock=clock)

    async def count() -> list[int]:
        totals = [await store.increment("k", 1, ttl=10)]
        clock.advance(9)
        totals.append(await store.increment("k", 1, ttl=10))
        clock.advance(1)
        return [*totals, await store.increment("k", 1)]

    assert asyncio.run(count()) == [1, 2, 1]


def test_spans_nest_and_keep_what_left_them() -> None:
    tracer = RecordingTracer()
    with suppress(KeyError), tracer.span("outer", "internal"), tracer.span("inner", "chat"):
        tracer.add_event_to_current_span("seen", n=1)
        raise KeyError

    outer, inner = tracer.spans
    assert (inner.parent, inner.events) == (outer, [("seen", {"n": 1})])
    assert (type(outer.error), type(inner.error)) == (KeyError, KeyError)
    assert (outer.ended, inner.ended, tracer.current_span_id()) == (True, True, None)


@pytest.mark.parametrize(
    ("knobs", "message"),
    [
        ({"responses": 1}, "responses are text, texts by words, or a function; got 1"),
        ({"turns": ["a"]}, "each of turns is a Turn; got 'a'"),
        ({"turns": "ab"}, "turns is a list; got 'ab'"),
        ({"fail_times": True}, "fail_times is a whole number; got True"),
        ({"delay": "1"}, "delay is a number; got '1'"),
    ],
    ids=["responses", "turn", "turns", "fail_times", "delay"],
)
def test_a_model_that_is_made_wrongly_says_so(knobs: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        FakeLLM(**knobs)


@pytest.mark.parametrize("wrong", [{"content": None}, {"usage": 1}, {"error": "x"}], ids=repr)
def test_a_turn_that_is_made_wrongly_says_so(wrong: dict[str, Any]) -> None:
    (field,) = wrong

    with pytest.raises(TypeError, match=rf"Turn\.{field} is"):
        Turn(**wrong)


@pytest.mark.parametrize("seconds", [-1, float("nan"), True, "1"], ids=repr)
def test_a_clock_goes_forward_by_numbers(seconds: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"seconds is|forward only"):
        FakeClock().advance(seconds)


def test_a_filled_value_has_no_default_in_it() -> None:
    request = filled(ChatRequest)

    assert all(getattr(request, f.name) != f.default for f in fields(ChatRequest))
    assert request.messages[0].blocks[0].to_text_repr() == request.messages[0].content


def test_a_filled_value_has_what_is_given() -> None:
    assert filled(ChatRequest, model="mine").model == "mine"


def test_what_nothing_is_known_to_fill_in_is_named() -> None:
    with pytest.raises(TypeError, match=r"RunMeta\.cancellation is a .*: give it to filled"):
        filled(RunMeta)
