"""Streamed chat-completions answers: what they add up to, and what is wrong with them."""

from collections.abc import Callable
from typing import Any

import pytest

from agentkit.core.contracts.content import ErrorBlock, TextBlock, ThinkingBlock, ToolUseBlock
from agentkit.core.contracts.errors import ErrorClass, ProviderAuthError, ProviderError
from agentkit.core.contracts.llm import CompletionEvent, ReasoningDelta, TextDelta
from agentkit.models.codecs.chat_completions import ResponseDecoder, decode_response

Make = Callable[..., Any]
CALL = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


DONE = ["stop", "eos", "eos_token", "end_turn", "stop_sequence", "STOP"]
WORDS = {
    **dict.fromkeys(["length", "max_tokens", "model_length", "MAX_TOKENS"], "length"),
    **dict.fromkeys(["max_output_tokens", "model_context_window_exceeded"], "length"),
    **dict.fromkeys(["content_filter", "content_filter: SAFETY", "sensitive"], "content_filter"),
    **dict.fromkeys(["safety", "recitation", "blocklist", "spii"], "content_filter"),
    **dict.fromkeys(["prohibited_content", "guardrail_intervened"], "content_filter"),
    **dict.fromkeys(["content_filtered"], "content_filter"),
    **dict.fromkeys(["abort", "incomplete", "network_error", "new word"], "other"),
    **dict.fromkeys(["insufficient_system_resource", "pause_turn"], "other"),
    "function_call_filter: MALFORMED_FUNCTION_CALL": "other",
    "refusal": "refusal",
}


def failure(body: bytes) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        decode_response(body, provider="them")
    return caught.value


def test_text_and_reasoning_come_as_deltas_and_whole_at_the_end(stream: Make, delta: Make) -> None:
    body = stream(delta(reasoning="hm"), delta(content="4"), delta("stop", content="2"))
    decoder = ResponseDecoder(provider="them")

    assert decoder.feed(body) == [ReasoningDelta("hm"), TextDelta("4"), TextDelta("2")]
    [last] = decoder.close()
    assert isinstance(last, CompletionEvent)
    assert [block.to_text_repr() for block in last.content] == ["hm", "42"]


def test_the_completion_names_model_response_and_reason(read: Make, delta: Make) -> None:
    last = read(delta(content="hi"), delta("stop"))

    assert last.metadata == {"model": "m", "response_id": "r1", "provider": "them"}
    assert (last.finish_reason, last.stop_kind) == ("stop", "stop")


def test_a_stream_without_done_is_whole_when_every_choice_has_finished(
    read: Make, delta: Make
) -> None:
    assert read(delta("stop", content="hi"), done=False).content == [TextBlock("hi")]


def test_done_makes_a_stream_whole_that_names_no_reason(read: Make, delta: Make) -> None:
    assert read(delta(content="hi")).finish_reason is None


def test_a_stream_that_is_cut_is_a_transient_error_with_what_had_come(
    stream: Make, delta: Make
) -> None:
    error = failure(stream(delta(content="half an"), done=False))

    assert (error.error_type, error.error_class) == ("incomplete_stream", ErrorClass.TRANSIENT)
    assert error.output_started
    assert error.partial.content == "half an"


def test_a_stream_cut_before_any_output_has_started_none(stream: Make, delta: Make) -> None:
    error = failure(stream(delta(role="assistant", content=""), done=False))

    assert (error.output_started, error.partial) == (False, None)


def test_a_second_choice_that_has_not_finished_leaves_the_stream_cut(
    stream: Make, delta: Make
) -> None:
    error = failure(stream(delta("stop"), delta(index=1, content="x"), done=False))

    assert error.error_type == "incomplete_stream"


def test_a_stream_cut_inside_an_event_is_an_error(stream: Make, delta: Make) -> None:
    body = stream(delta(content="hi"), delta("stop"), done=False)

    assert failure(body[:-10]).error_class is ErrorClass.TRANSIENT


def test_only_the_first_choice_is_the_answer(read: Make, delta: Make) -> None:
    last = read(delta("stop", content="a"), delta("stop", index=1, content="b"))

    assert last.content == [TextBlock("a")]


def test_what_comes_after_a_finish_reason_still_counts(read: Make, delta: Make) -> None:
    last = read(delta("stop", content="a"), delta("length", content="b"))

    assert (last.content, last.finish_reason) == ([TextBlock("ab")], "length")


def test_a_chunk_without_choices_or_delta_is_read_over(read: Make, delta: Make) -> None:
    empty: dict[str, Any] = {"choices": [], "id": "", "model": ""}
    last = read(empty, {"choices": [{"index": 0, "delta": None}]}, delta("stop", content="a"))

    assert last.metadata["response_id"] == "r1"


@pytest.mark.parametrize(("word", "kind"), (WORDS | dict.fromkeys(DONE, "stop")).items())
def test_a_reason_has_a_kind(read: Make, delta: Make, *, word: str, kind: str) -> None:
    last = read(delta(word, content="a"))

    assert (last.finish_reason, last.stop_kind) == (word, kind)


@pytest.mark.parametrize("word", [*DONE, "tool_calls", "function_call", "tool_use", ""])
def test_calls_are_what_an_answer_that_was_done_stopped_for(
    read: Make, delta: Make, word: str
) -> None:
    assert read(delta(word, tool_calls=[CALL])).stop_kind == "tool_use"


@pytest.mark.parametrize(("word", "kind"), WORDS.items())
def test_calls_of_any_other_answer_change_nothing(
    read: Make, delta: Make, *, word: str, kind: str
) -> None:
    assert read(delta(word, tool_calls=[CALL])).stop_kind == kind


@pytest.mark.parametrize("word", WORDS)
def test_arguments_that_had_not_come_are_not_known(read: Make, delta: Make, word: str) -> None:
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}
    [block] = read(delta(word, tool_calls=[call])).content

    assert block.arguments == {"_raw": ""}


def test_a_refusal_is_a_block_of_its_own(read: Make, delta: Make) -> None:
    last = read(delta(refusal="I can"), delta("stop", refusal="not"))

    assert last.content == [ErrorBlock("refusal", "I cannot", recoverable=False)]
    assert last.stop_kind == "refusal"


def test_content_in_parts_is_told_apart(read: Make, delta: Make) -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    last = read(delta(content=[thought]), delta("stop", content=[{"type": "text", "text": "a"}]))

    assert [type(block) for block in last.content] == [ThinkingBlock, TextBlock]


def test_opaque_reasoning_is_kept_with_its_maker(read: Make, delta: Make) -> None:
    details = [{"type": "reasoning.encrypted", "data": "x=="}]
    [block] = read(delta("stop", reasoning_details=details)).content

    assert (block.provider, block.redacted) == ("them", True)
    assert block.opaque == {"reasoning_details": details}


def test_what_a_provider_attaches_to_a_call_is_kept_with_it(read: Make, delta: Make) -> None:
    [block] = read(delta("stop", tool_calls=[CALL | {"extra_content": {"sig": "s"}}])).content

    assert isinstance(block, ToolUseBlock)
    assert (block.provider, block.signature) == ("them", '{"extra_content": {"sig": "s"}}')


def test_the_last_usage_counts_and_is_not_summed(read: Make, delta: Make) -> None:
    chunks = [delta() | {"usage": {"prompt_tokens": 5, "completion_tokens": n}} for n in (1, 2)]

    assert read(*chunks, delta("stop")).usage.output_tokens == 2


def test_usage_in_a_chunk_without_choices_counts(read: Make, delta: Make) -> None:
    last = read(delta("stop"), {"choices": [], "usage": {"prompt_tokens": 5}})

    assert (last.usage.input_tokens, last.usage.provenance) == (5, "reported")


def test_no_usage_is_unknown(read: Make, delta: Make) -> None:
    assert read(delta("stop")).usage.provenance == "unknown"


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        ({"type": "overloaded_error"}, (ProviderError, ErrorClass.TRANSIENT)),
        ({"type": "invalid_request_error"}, (ProviderError, ErrorClass.PERMANENT)),
        ({"type": "authentication_error"}, (ProviderAuthError, ErrorClass.PERMANENT)),
        ({"type": "server_error", "status_code": 400}, (ProviderError, ErrorClass.PERMANENT)),
        ({"code": 502}, (ProviderError, ErrorClass.TRANSIENT)),
        ({"type": "something_new"}, (ProviderError, ErrorClass.UNKNOWN)),
    ],
)
def test_an_error_frame_is_raised_with_its_verdict(
    stream: Make, error: dict[str, Any], verdict: tuple[type, ErrorClass]
) -> None:
    raised = failure(stream({"error": error | {"message": "sorry"}}))

    assert (type(raised), raised.error_class) == verdict


def test_an_error_frame_after_output_has_the_output(stream: Make, delta: Make) -> None:
    error = failure(stream(delta(content="so "), {"error": {"message": "no", "type": "x"}}))

    assert str(error) == "provider stream error [x]: no"
    assert (error.partial.content, error.output_started) == ("so ", True)


def test_what_came_before_an_error_in_one_chunk_is_still_given(stream: Make, delta: Make) -> None:
    decoder = ResponseDecoder()

    assert decoder.feed(stream(delta(content="a"), {"error": "no"})) == [TextDelta("a")]
    assert decoder.is_done


@pytest.mark.parametrize(
    "frame",
    [
        {"choices": [{"index": 0, "finish_reason": "error"}]},
        {"choices": [{"index": 0, "error": {"message": "no"}}]},
        {"choices": [], "error": {"message": "no"}, "usage": None},
        {"object": "error", "message": "no"},
        {"detail": "no"},
        {"error": "no"},
    ],
    ids=str,
)
def test_an_error_is_found_wherever_it_is(stream: Make, frame: dict[str, Any]) -> None:
    assert "provider stream error" in str(failure(stream(frame)))


def test_an_event_named_error_is_one() -> None:
    error = failure(b"event: error\ndata: upstream is gone\n\n")

    assert "upstream is gone" in str(error)


def test_an_error_without_framing_after_the_events_is_found(stream: Make, delta: Make) -> None:
    body = stream(delta(content="a"), done=False) + b'{"error":\n {"type": "server_error"}}\n'

    assert failure(body).error_type == "server_error"


def test_what_follows_done_is_not_read(read: Make, delta: Make) -> None:
    assert read(delta("stop", content="a"), "[DONE]", {"error": "late"}).finish_reason == "stop"


def test_an_event_that_is_no_json_is_an_error(stream: Make) -> None:
    assert failure(stream("{nonsense")).error_type == "undecodable_event"


def test_text_in_the_place_of_a_stream_is_no_answer() -> None:
    error = failure(b"Not Found")

    assert (error.error_type, error.error_class) == ("malformed_response", ErrorClass.PERMANENT)


def test_an_empty_body_is_an_answer_cut_short() -> None:
    assert failure(b"").error_type == "incomplete_stream"


@pytest.mark.parametrize("change", [{"model": "other"}, {"usage": {"prompt_tokens": 1}}])
def test_a_chunk_of_text_that_says_more_is_not_only_text(
    read: Make, delta: Make, change: dict[str, Any]
) -> None:
    last = read(delta(content="a"), delta(content="b") | change, delta("stop") | {"model": ""})

    assert last.content == [TextBlock("ab")]
    assert last.metadata["model"] == change.get("model", "m")
    assert last.usage.input_tokens == change.get("usage", {}).get("prompt_tokens", 0)


@pytest.mark.parametrize("rest", [b"", b"\ndata: [DONE]\n\n"])
def test_a_keep_alive_without_data_is_read_over(stream: Make, delta: Make, rest: bytes) -> None:
    body = b"data:\n\n" + stream(delta("stop", content="a"), done=False) + rest

    assert decode_response(body).content == [TextBlock("a")]


def test_split_surrogates_and_separators_in_a_string_survive(stream: Make, delta: Make) -> None:
    chunk = '{"choices":[{"delta":{"content":"\\ud83d\\ude00\u2028"},"finish_reason":"stop"}]}'

    assert decode_response(stream(chunk)).content == [TextBlock("😀\u2028")]
