"""Answers of the messages API, streamed and whole: what they add up to, and what is wrong there."""

import json
from typing import Any

import pytest

from agentkit.core.contracts.content import (
    ContentBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    UnknownBlock,
)
from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.core.contracts.llm import CompletionEvent, ModelUsage, ReasoningDelta, TextDelta
from agentkit.core.contracts.types import RAW_ARGUMENTS
from agentkit.models.codecs.anthropic_messages import ResponseDecoder, decode_response

Frame = dict[str, Any]
START: Frame = {"type": "message_start", "message": {"id": "msg_1", "model": "m", "content": []}}
STOP: Frame = {"type": "message_stop"}
CITATION = {"type": "page_location", "cited_text": "so"}


def opened(index: int, /, **block: Any) -> Frame:
    return {"type": "content_block_start", "index": index, "content_block": block}


def added(index: int, /, **delta: Any) -> Frame:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def shut(index: int) -> Frame:
    return {"type": "content_block_stop", "index": index}


def ended(reason: str = "end_turn", usage: Frame | None = None, **more: Any) -> Frame:
    return {"type": "message_delta", "delta": {"stop_reason": reason, **more}, "usage": usage or {}}


def stream(*frames: Frame) -> bytes:
    events = [f"event: {frame['type']}\ndata: {json.dumps(frame)}\n\n" for frame in frames]
    return "".join(events).encode()


def read(*frames: Frame, reason: str = "end_turn") -> CompletionEvent:
    return decode_response(stream(START, *frames, ended(reason), STOP), provider="them")


def blocks(*frames: Frame, reason: str = "end_turn") -> list[ContentBlock]:
    return list(read(*frames, reason=reason).content)


def whole(*content: Frame, **fields: Any) -> bytes:
    body = {"type": "message", "id": "msg_1", "model": "m", "stop_reason": "end_turn"}
    return json.dumps({**body, "content": content, **fields}).encode()


def failure(body: bytes) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        decode_response(body, provider="them")
    return caught.value


TEXT = (opened(0, type="text", text=""), added(0, type="text_delta", text="half"))


def test_text_and_thinking_come_as_deltas_and_whole_at_the_end() -> None:
    decoder = ResponseDecoder(provider="them")
    thought = opened(0, type="thinking", thinking="h"), added(0, thinking="m", type="t")
    words = opened(1, type="text", text="4"), added(1, text="2", type="text_delta")

    seen = decoder.feed(stream(START, *thought, shut(0), *words, ended(), STOP))

    deltas = [ReasoningDelta("h"), ReasoningDelta("m"), TextDelta("4"), TextDelta("2")]
    assert seen == deltas
    [last] = decoder.close()
    assert isinstance(last, CompletionEvent)
    assert last.content == [ThinkingBlock("hm", provider="them"), TextBlock("42")]


def test_the_completion_names_model_response_and_reason() -> None:
    details = {"category": "cyber"}
    end = ended("stop_sequence", stop_sequence="x", stop_details=details, container={"id": "c1"})
    last = decode_response(stream(START, end, STOP), provider="them")

    facts = {"model": "m", "response_id": "msg_1", "provider": "them", "stop_sequence": "x"}
    assert last.metadata == {**facts, "stop_details": json.dumps(details), "container": "c1"}
    assert (last.finish_reason, last.content) == ("stop_sequence", [])


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "other"),  # without a call
        ("refusal", "refusal"),
        ("pause_turn", "other"),
        ("compaction", "other"),
        ("new word", "other"),
        ("", None),
    ],
)
def test_a_reason_has_a_kind(reason: str, kind: str | None) -> None:
    last = read(reason=reason)

    assert (last.finish_reason or "", last.stop_kind) == (reason, kind)


def test_a_signature_that_comes_alone_is_kept_without_thinking() -> None:
    frames = [opened(0, type="thinking", thinking="", signature=""), added(0, signature="c2ln")]

    assert blocks(*frames) == [ThinkingBlock("", "c2ln", provider="them")]


def test_sealed_thinking_is_kept_as_it_came() -> None:
    [block] = blocks(opened(0, type="redacted_thinking", data="ZGF0YQ=="))

    assert block == ThinkingBlock("", "ZGF0YQ==", redacted=True, provider="them")


def test_what_else_is_in_a_block_is_kept_with_it() -> None:
    [block] = blocks(opened(0, type="thinking", thinking="hm", signature="s", extra=1))

    assert isinstance(block, ThinkingBlock)
    assert block.opaque == {"extra": 1}


def test_input_comes_in_fragments_cut_anywhere() -> None:
    call = opened(0, type="tool_use", id="c", name="f", input={})
    pieces = [added(0, partial_json=piece) for piece in ("", '{"a', '": "\\u00', 'e9"}')]

    assert blocks(call, *pieces, shut(0)) == [ToolUseBlock("c", "f", {"a": "é"})]


def test_parallel_calls_are_told_apart_by_their_index() -> None:
    calls = [opened(i, type="tool_use", id=f"c{i}", name="f", input={}) for i in (0, 1)]
    pieces = [added(i, partial_json=piece) for piece in ('{"n": ', "1}") for i in (0, 1)]

    found = blocks(*calls, *pieces)

    assert found == [ToolUseBlock("c0", "f", {"n": 1}), ToolUseBlock("c1", "f", {"n": 1})]


def test_what_is_attached_to_a_call_is_kept_with_it() -> None:
    [call] = blocks(opened(0, type="tool_use", id="c", name="f", input={}, caller={"a": 1}))

    assert isinstance(call, ToolUseBlock)
    assert (call.signature, call.provider) == ('{"caller": {"a": 1}}', "them")


@pytest.mark.parametrize(
    ("reason", "arguments"), [("tool_use", {}), ("max_tokens", {RAW_ARGUMENTS: ""})]
)
def test_no_input_is_a_call_without_arguments_unless_the_answer_was_cut(
    reason: str, arguments: dict[str, Any]
) -> None:
    call: Frame = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
    streamed = blocks(opened(0, **call), added(0, partial_json=""), reason=reason)

    assert streamed == [ToolUseBlock("c", "f", arguments)]
    assert decode_response(whole(call, stop_reason=reason)).content == streamed


def test_a_call_before_the_one_that_was_cut_is_whole() -> None:
    calls = [opened(i, type="tool_use", id=f"c{i}", name="f", input={}) for i in (0, 1)]

    first, last = blocks(*calls, added(1, partial_json='{"a": "b'), reason="max_tokens")

    assert first == ToolUseBlock("c0", "f", {})
    assert last == ToolUseBlock("c1", "f", {RAW_ARGUMENTS: '{"a": "b'})


def test_an_id_that_is_missing_or_taken_is_made_up() -> None:
    given = ["c", "c", None]
    calls = [opened(n, type="tool_use", id=i, name="f", input={}) for n, i in enumerate(given)]

    ids = [block.call_id for block in blocks(*calls) if isinstance(block, ToolUseBlock)]

    assert ids == ["c", "call_msg_1_1", "call_msg_1_2"]


def test_citations_are_kept_with_the_text() -> None:
    start = opened(0, type="text", text="", citations=[])
    [block] = blocks(start, added(0, citation=CITATION), added(0, text="so"))

    assert block == TextBlock(
        "so", signature=json.dumps({"citations": [CITATION]}), provider="them"
    )


def test_text_without_a_word_is_none() -> None:
    assert blocks(opened(0, type="text", text=""), shut(0)) == []


def test_a_call_of_the_providers_own_tool_is_kept_for_it() -> None:
    start = opened(0, type="server_tool_use", id="s", name="web_search", input={})
    result = opened(1, type="web_search_tool_result", tool_use_id="s", content=[{"n": 1}])
    call, found = blocks(start, added(0, partial_json='{"query": "x"}'), result)

    sent = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
    assert call == UnknownBlock(sent, provider="them")
    assert found == UnknownBlock(result["content_block"], provider="them")


def test_deltas_of_a_kind_to_come_are_put_together() -> None:
    start = opened(0, type="compaction", content=None)
    [block] = blocks(start, added(0, content="a"), added(0, content="b", n=1), added(0, n=None))

    assert block == UnknownBlock({"type": "compaction", "content": "ab", "n": 1}, provider="them")


def test_what_is_no_news_is_read_over() -> None:
    ping: Frame = {"type": "ping"}
    news: Frame = {"type": "message_mood", "message": "fine"}
    odd: Frame = {"type": "content_block_stop", "index": {}}
    body = stream(ping, START, news, *TEXT, odd, ended(), STOP) + b"event: data\ndata: [DONE]\n\n"

    assert decode_response(body).content == [TextBlock("half")]


def test_an_index_may_be_used_again_once_its_block_is_shut() -> None:
    again = opened(0, type="tool_use", id="c", name="f", input={})

    assert blocks(*TEXT, shut(0), again) == [TextBlock("half"), ToolUseBlock("c", "f")]


@pytest.mark.parametrize(
    "frame",
    [
        added(0, text="x"),
        added(1, text="x"),
        {"type": "content_block_delta", "delta": {}},
        {"type": "content_block_start", "content_block": {}},
    ],
    ids=["shut", "unknown", "delta without", "start without"],
)
def test_a_delta_that_may_be_anybodys_is_an_error(frame: Frame) -> None:
    error = failure(stream(START, *TEXT, shut(0), frame))

    assert (error.error_type, error.error_class) == ("ambiguous_block", ErrorClass.UNKNOWN)
    assert error.partial.content == "half"


def test_a_block_that_begins_twice_is_an_error() -> None:
    assert failure(stream(START, *TEXT, TEXT[0])).error_type == "ambiguous_block"


def test_a_stream_that_is_cut_is_a_transient_error_with_what_had_come() -> None:
    started = {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3}}}
    call = opened(1, type="tool_use", id="c", name="f", input={})
    error = failure(stream(started, *TEXT, call, added(1, partial_json='{"a'), ended()))

    assert (error.error_type, error.error_class) == ("incomplete_stream", ErrorClass.TRANSIENT)
    assert (error.partial.content, error.partial.model) == ("half", "m")
    assert error.partial.tool_calls[0].arguments == {RAW_ARGUMENTS: '{"a'}
    assert error.partial.model_usage == ModelUsage(3, provenance="partial")


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": ""},
        {"type": "thinking", "thinking": "", "signature": ""},
    ],
    ids=["text", "thinking"],
)
def test_a_block_that_was_only_opened_is_no_output(block: Frame) -> None:
    error = failure(stream(START, opened(0, **block)))

    assert (error.output_started, error.partial) == (False, None)


def test_a_signature_or_a_call_is_output() -> None:
    signed = failure(stream(START, opened(0, type="thinking"), added(0, signature="s")))
    called = failure(stream(START, opened(0, type="tool_use", id="c", name="f", input={})))

    assert (signed.output_started, called.output_started) == (True, True)


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


def test_an_error_as_the_first_event_says_that_nothing_was_put_out() -> None:
    error = failure(stream(OVERLOADED))

    assert str(error) == "provider stream error [overloaded_error]: Overloaded"
    assert (error.error_class, error.output_started) == (ErrorClass.TRANSIENT, False)


def test_an_error_after_output_has_what_had_come() -> None:
    error = failure(stream(START, *TEXT, {**OVERLOADED, "request_id": "req_1"}))

    assert (error.partial.content, error.output_started) == ("half", True)
    assert (error.request_id, error.provider) == ("req_1", "them")


@pytest.mark.parametrize(
    "body",
    [
        b'data: {"error": {"type": "overloaded_error", "message": "Overloaded"}}\n\n',
        stream(START) + b'{"error": {"type": "overloaded_error",\n"message": "Overloaded"}}\n',
        json.dumps(OVERLOADED).encode(),
    ],
    ids=["untyped", "unframed", "body"],
)
def test_an_error_in_another_dress_is_one(body: bytes) -> None:
    assert failure(body).error_type == "overloaded_error"


def test_a_stream_that_ends_in_what_is_no_event_is_a_cut_one() -> None:
    assert "ended in 'upstream gone'" in str(failure(stream(START) + b"upstream gone\n"))


@pytest.mark.parametrize(
    ("data", "error_type"),
    [
        (b"data: {oops\n\n", "undecodable_event"),
        (b"data: [1]\n\n", "undecodable_event"),
        (b"event: error\ndata: gone\n\n", "error"),
    ],
)
def test_an_event_that_is_no_object_is_an_error(data: bytes, error_type: str) -> None:
    assert failure(stream(START) + data).error_type == error_type


@pytest.mark.parametrize(
    "body", [b'{"choices": []}', b"[1]", b"<html></html>", b"{oops", b'{"content": "hi"}', b"oops"]
)
def test_a_body_of_another_kind_is_an_error(body: bytes) -> None:
    error = failure(body)

    assert (error.error_type, error.error_class) == ("malformed_response", ErrorClass.PERMANENT)


def test_a_whole_body_adds_up_to_what_its_stream_does() -> None:
    usage = {"input_tokens": 3, "output_tokens": 2}
    frames = *TEXT, opened(1, type="tool_use", id="c", name="f", input={"a": 1})
    content = {"type": "text", "text": "half"}, frames[-1]["content_block"]
    body = whole(*content, stop_reason="tool_use", usage=usage)

    streamed = decode_response(stream(START, *frames, ended("tool_use", usage), STOP))

    assert decode_response(body) == streamed


def test_a_part_that_nests_too_deeply_is_an_error() -> None:
    deep = "[" * 500 + "]" * 500
    body = b'{"content": [{"type": "x", "y": %s}]}' % deep.encode()

    assert failure(body).error_type == "malformed_response"


def test_an_event_longer_than_the_bound_is_an_error() -> None:
    decoder = ResponseDecoder(max_event_bytes=100)
    decoder.feed(b"data: " + b"x" * 200)

    with pytest.raises(ProviderError, match="over 100 bytes"):
        decoder.close()
