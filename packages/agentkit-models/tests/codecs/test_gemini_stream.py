"""Gemini's answers: parts in order, signatures untouched, cuts and refusals told apart."""

import json
from typing import Any

import pytest

from agentkit.core.contracts.content import (
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    UnknownBlock,
)
from agentkit.core.contracts.errors import ErrorClass, ProviderAuthError, ProviderError
from agentkit.core.contracts.llm import CompletionEvent, ModelUsage, ReasoningDelta, TextDelta
from agentkit.core.contracts.types import RAW_ARGUMENTS
from agentkit.models.codecs import error_from_response
from agentkit.models.codecs.gemini import ResponseDecoder, decode_response

Frame = dict[str, Any]


def chunk(*parts: Frame, finish: Any = None, **beside: Any) -> Frame:
    candidate: Frame = {"content": {"parts": list(parts), "role": "model"}, **beside}
    return {"candidates": [candidate | ({} if finish is None else {"finishReason": finish})]}


def sse(*frames: Frame) -> bytes:
    return "".join(f"data: {json.dumps(frame)}\r\n\r\n" for frame in frames).encode()


def answer(*parts: Frame, finish: Any = "STOP", **facts: Any) -> CompletionEvent:
    return decode_response(sse(chunk(*parts, finish=finish) | facts), provider="us")


def blocks(*parts: Frame) -> list[ContentBlock]:
    return list(answer(*parts).content)


def failure(body: bytes) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        decode_response(body, provider="us")
    return caught.value


def test_text_and_thought_come_as_deltas_and_whole_at_the_end() -> None:
    thought = {"text": "hm", "thought": True}
    decoder = ResponseDecoder(provider="us")
    body = sse(chunk(thought), chunk({"text": "4"}), chunk({"text": "2"}, finish="STOP"))

    assert decoder.feed(body) == [ReasoningDelta("hm"), TextDelta("4"), TextDelta("2")]
    [last] = decoder.close()
    assert isinstance(last, CompletionEvent)
    assert last.content == [ThinkingBlock("hm", provider="us"), TextBlock("42")]


@pytest.mark.parametrize("framing", ["sse", "list", "body"])
def test_every_framing_gives_the_same(framing: str) -> None:
    frame = chunk({"text": "hi"}, finish="STOP") | {"responseId": "r1", "modelVersion": "m"}
    body = {
        "sse": sse(frame),
        "list": json.dumps([frame], indent=2).encode(),
        "body": json.dumps(frame, indent=2).encode(),
    }

    last = decode_response(body[framing], provider="us")

    assert last.metadata == {"model": "m", "response_id": "r1", "provider": "us"}
    assert (last.content, last.stop_kind) == ([TextBlock("hi")], "stop")


def test_a_signature_on_an_empty_text_is_a_block_of_its_own() -> None:
    assert blocks({"text": "a"}, {"text": "", "thoughtSignature": "s=="}, {"text": ""}) == [
        TextBlock("a"),
        TextBlock("", signature="s==", provider="us"),
    ]


def test_an_empty_part_and_an_event_without_data_are_read_over() -> None:
    assert decode_response(b"data:\n\n" + sse(chunk({}, finish="STOP"))).content == []


def test_a_signed_text_is_not_joined_with_the_text_before() -> None:
    assert blocks({"text": "a"}, {"text": "b", "thoughtSignature": "s"}, {"text": "c"}) == [
        TextBlock("a"),
        TextBlock("b", signature="s", provider="us"),
        TextBlock("c"),
    ]


def test_calls_without_ids_get_one_each_and_keep_their_signature() -> None:
    call = {"functionCall": {"name": "roll", "args": {"n": 1}}}
    facts = {"responseId": "r1"}
    first, second = answer(call | {"thoughtSignature": "s"}, call, **facts).content

    assert isinstance(first, ToolUseBlock)
    assert isinstance(second, ToolUseBlock)
    assert (first.call_id, second.call_id) == ("gemini_call_r1_0", "gemini_call_r1_1")
    assert (first.signature, first.provider, second.signature) == ("s", "us", None)


def test_calls_of_two_answers_without_names_do_not_share_an_id() -> None:
    call = {"functionCall": {"name": "roll"}}
    [one], [other] = blocks(call), blocks(call)

    assert isinstance(one, ToolUseBlock)
    assert isinstance(other, ToolUseBlock)
    assert one.call_id != other.call_id


def test_a_call_with_an_id_keeps_it_and_no_arguments_are_none() -> None:
    [block] = blocks({"functionCall": {"name": "roll", "id": "x1"}})

    assert block == ToolUseBlock("x1", "roll", {})


def test_arguments_that_came_in_part_are_no_arguments() -> None:
    [block] = blocks({"functionCall": {"name": "f", "partialArgs": [{"jsonPath": "$.a"}]}})

    assert isinstance(block, ToolUseBlock)
    assert list(block.arguments) == [RAW_ARGUMENTS]


@pytest.mark.parametrize(
    "part",
    [
        {"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "s"},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {}}, "thoughtSignature": "s"},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}, "thought": True},
        {"inlineData": {"mimeType": "image/png", "data": "?"}},
        {"inlineData": {"mimeType": "model/gltf", "data": "AAAA"}},
        {"thoughtSignature": "s"},
    ],
    ids=str,
)
def test_a_part_of_no_known_kind_is_kept_as_it_came(part: Frame) -> None:
    assert blocks(part) == [UnknownBlock(part, provider="us")]


def test_data_that_the_model_made_are_media_and_their_signature_stays_beside() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "AAEC"}, "thoughtSignature": "s"}
    paper = {"inlineData": {"mimeType": "application/pdf", "data": "AAEC"}}

    assert blocks(image, paper) == [
        ImageBlock(data=b"\0\1\2", media_type="image/png"),
        UnknownBlock({"thoughtSignature": "s"}, provider="us"),
        DocumentBlock(data=b"\0\1\2", media_type="application/pdf"),
    ]


def test_what_is_said_beside_the_parts_is_kept_but_is_no_part() -> None:
    grounding = {"webSearchQueries": ["x"]}
    last = decode_response(
        sse(chunk({"text": "a"}, groundingMetadata=grounding, finish="STOP")), provider="us"
    )

    assert last.content[-1] == UnknownBlock({"groundingMetadata": grounding}, provider="us")


WORDS = {
    "MAX_TOKENS": "length",
    **dict.fromkeys(["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT"], "content_filter"),
    **dict.fromkeys(["SPII", "MODEL_ARMOR", "IMAGE_SAFETY"], "content_filter"),
    **dict.fromkeys(["IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"], "content_filter"),
    **dict.fromkeys(["OTHER", "LANGUAGE", "IMAGE_OTHER", "NO_IMAGE", "NEW_WORD"], "other"),
    **dict.fromkeys(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"], "other"),
    **dict.fromkeys(["TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE"], "other"),
    "MALFORMED_RESPONSE": "other",
}


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("STOP", ("STOP", "stop")),
        (1, ("STOP", "stop")),
        (2, ("MAX_TOKENS", "length")),
        (9, ("9", "other")),
        *[(word, (word, kind)) for word, kind in WORDS.items()],
    ],
)
def test_why_it_ended_is_told_in_both_vocabularies(reason: Any, told: tuple[str, str]) -> None:
    last = answer({"text": "a"}, finish=reason)

    assert (last.finish_reason, last.stop_kind) == told


@pytest.mark.parametrize(("reason", "kind"), (WORDS | {"STOP": "tool_use"}).items())
def test_calls_are_what_an_answer_stopped_for_only_where_it_was_done(
    reason: str, kind: str
) -> None:
    last = answer({"functionCall": {"name": "f"}}, finish=reason)

    assert (last.finish_reason, last.stop_kind) == (reason, kind)


def test_what_is_said_of_the_end_is_among_the_facts() -> None:
    frame = chunk(finish="MALFORMED_FUNCTION_CALL", finishMessage="Malformed call: f(")

    assert decode_response(sse(frame)).metadata == {"finish_message": "Malformed call: f("}


@pytest.mark.parametrize("reason", ["SAFETY", 4])
def test_a_blocked_prompt_is_a_whole_answer_without_content(reason: Any) -> None:
    last = decode_response(sse({"promptFeedback": {"blockReason": reason}}))

    assert (last.content, last.stop_kind) == ([], "content_filter")
    assert last.metadata == {"block_reason": str(reason)}


def test_only_the_first_candidate_is_the_answer() -> None:
    one, other = chunk({"text": "a"}, finish="STOP"), chunk({"text": "b"}, finish="STOP", index=1)
    both = {"candidates": [*one["candidates"], *other["candidates"]]}

    assert decode_response(sse(both)).content == [TextBlock("a")]


def test_a_candidate_that_never_finished_leaves_the_stream_cut() -> None:
    body = sse(chunk({"text": "a"}, finish="STOP"), chunk({"text": "b"}, index=1))

    assert failure(body).error_type == "incomplete_stream"


@pytest.mark.parametrize("framing", ["sse", "list"])
def test_a_stream_that_is_cut_is_a_transient_error_with_what_had_come(framing: str) -> None:
    frame = chunk({"text": "half an"}) | {"usageMetadata": {"promptTokenCount": 3}}
    error = failure(sse(frame) if framing == "sse" else b"[" + json.dumps(frame).encode() + b",{")

    assert (error.error_type, error.error_class) == ("incomplete_stream", ErrorClass.TRANSIENT)
    assert error.partial.content == "half an"
    assert error.partial.model_usage.provenance == "partial"


def test_an_answer_of_nothing_and_for_no_reason_is_worth_another_try() -> None:
    error = failure(b'{"usageMetadata": {"promptTokenCount": 3}, "modelVersion": "m"}')

    assert (error.error_type, error.error_class) == ("empty_response", ErrorClass.TRANSIENT)


@pytest.mark.parametrize("body", [b"<html>", b'{"a": 1}', b"[1]", b"{oops", b'"text"', b"[]"])
def test_what_is_no_answer_of_this_api_is_permanent(body: bytes) -> None:
    error = failure(body)

    assert (error.error_type, error.error_class) == ("malformed_response", ErrorClass.PERMANENT)


def test_an_event_that_is_no_json_is_an_error() -> None:
    assert failure(b"data: {oops\n\n").error_type == "undecodable_event"


ERROR = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}


@pytest.mark.parametrize("finish", [None, "STOP"])
def test_an_error_without_framing_after_the_events_is_found(finish: str | None) -> None:
    body = sse(chunk({"text": "a"}, finish=finish)) + json.dumps(ERROR, indent=2).encode()
    error = failure(body)

    assert (error.status, error.error_type) == (503, "UNAVAILABLE")
    assert error.partial.content == "a"


def test_what_follows_the_end_and_is_no_error_is_read_over() -> None:
    assert decode_response(sse(chunk({"text": "a"}, finish="STOP")) + b"bye\n").finish_reason


@pytest.mark.parametrize("body", [sse(ERROR), json.dumps([ERROR]).encode()])
def test_an_error_in_a_frame_is_raised(body: bytes) -> None:
    assert failure(body).error_class is ErrorClass.TRANSIENT


def test_a_bad_key_is_the_credentials_fault_although_the_status_is_400() -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    body = {"error": {"code": 400, "status": "INVALID_ARGUMENT", "details": [detail]}}
    error = error_from_response(400, json.dumps(body).encode(), headers={})

    assert isinstance(error, ProviderAuthError)
    assert error.error_class is ErrorClass.PERMANENT


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        ({"promptTokenCount": 3, "candidatesTokenCount": 2}, (3, 0, 2, 0)),
        ({"promptTokenCount": 3, "thoughtsTokenCount": 9}, (3, 0, 9, 9)),
        ({"promptTokenCount": 3, "toolUsePromptTokenCount": 4}, (7, 0, 0, 0)),
        ({"promptTokenCount": 9, "cachedContentTokenCount": 5}, (9, 5, 0, 0)),
    ],
    ids=str,
)
def test_tokens_beside_the_prompt_and_the_candidates_are_counted_in(
    raw: Frame, usage: tuple[int, int, int, int]
) -> None:
    read, cached, output, reasoning = usage
    wanted = ModelUsage(read, cached, 0, 0, output, reasoning, provenance="reported")

    assert answer({"text": "a"}, usageMetadata=raw).usage == wanted


def test_the_last_usage_counts_and_no_usage_is_unknown() -> None:
    early = chunk({"text": "a"}) | {"usageMetadata": {"promptTokenCount": 3}}
    late = chunk(finish="STOP") | {"usageMetadata": {"promptTokenCount": 5}}

    assert decode_response(sse(early, late)).usage.input_tokens == 5
    assert answer({"text": "a"}, usageMetadata={"totalTokenCount": 0}).usage == ModelUsage()
