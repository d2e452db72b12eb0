"""Ollama's answers, streamed and whole: what they add up to, and what is wrong there."""

import json
from typing import Any

import pytest

from agentkit.core.contracts.content import TextBlock, ThinkingBlock, ToolUseBlock
from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.core.contracts.llm import CompletionEvent, ModelUsage, ReasoningDelta, TextDelta
from agentkit.core.contracts.types import RAW_ARGUMENTS
from agentkit.models.codecs.ollama_chat import ResponseDecoder, decode_response

Frame = dict[str, Any]
HALF: Frame = {"model": "m", "message": {"role": "assistant", "content": "half"}, "done": False}


def ended(reason: str | None = "stop", **message: Any) -> Frame:
    counts = {"prompt_eval_count": 3, "eval_count": 2}
    return {"message": message, "done": True, "done_reason": reason, **counts}


def lines(*frames: Frame) -> bytes:
    return "".join(json.dumps(frame) + "\n" for frame in frames).encode()


def read(*frames: Frame) -> CompletionEvent:
    return decode_response(lines(*frames), provider="them")


def failure(body: bytes) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        decode_response(body, provider="them")
    return caught.value


def calling(arguments: Any, **call: Any) -> Frame:
    return {**call, "function": {"name": "f", "arguments": arguments}}


def test_text_and_thinking_come_as_deltas_and_whole_at_the_end() -> None:
    decoder = ResponseDecoder(provider="them")
    thought = {"message": {"content": "", "thinking": "hm"}}

    seen = decoder.feed(lines(thought, HALF, ended(content="!")))

    assert seen == [ReasoningDelta("hm"), TextDelta("half"), TextDelta("!")]
    [last] = decoder.close()
    assert isinstance(last, CompletionEvent)
    assert last.content == [ThinkingBlock("hm", provider="them"), TextBlock("half!")]


def test_the_completion_names_model_reason_and_counts() -> None:
    last = read(HALF, ended())

    assert last.metadata == {"model": "m", "provider": "them"}
    assert (last.finish_reason, last.stop_kind) == ("stop", "stop")
    assert last.usage == ModelUsage(3, output_tokens=2, provenance="reported")


def test_no_counts_are_unknown() -> None:
    assert read({"done": True}).usage == ModelUsage()


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("load", "other"),
        ("unload", "other"),
        ("new word", "other"),
        (None, None),
    ],
)
def test_a_reason_has_a_kind(reason: str | None, kind: str | None) -> None:
    last = read(ended(reason))

    assert (last.finish_reason, last.stop_kind) == (reason, kind)


def test_calls_of_all_pieces_come_together_each_with_an_id() -> None:
    pieces = [{"message": {"tool_calls": [calling({"n": n}, id=n)]}} for n in ("a", "a", None)]
    last = read(*pieces, ended())
    found = [block for block in last.content if isinstance(block, ToolUseBlock)]

    assert [block.arguments for block in found] == [{"n": "a"}, {"n": "a"}, {"n": None}]
    assert (found[0].call_id, len({block.call_id for block in found})) == ("a", 3)
    assert last.stop_kind == "tool_use"


@pytest.mark.parametrize(
    ("reason", "raw", "arguments"),
    [
        ("stop", None, {}),
        ("stop", '{"a": 1}', {"a": 1}),
        ("stop", '{"a', {RAW_ARGUMENTS: '{"a'}),
        ("length", None, {RAW_ARGUMENTS: ""}),
    ],
    ids=["none", "text", "no json", "cut"],
)
def test_arguments_that_are_no_object_are_never_made_one(
    reason: str, raw: Any, arguments: dict[str, Any]
) -> None:
    [call] = read(ended(reason, tool_calls=[calling(raw, id="c")])).content

    assert call == ToolUseBlock("c", "f", arguments)


def test_what_follows_the_last_line_is_not_read() -> None:
    assert read(ended(content="hi"), HALF).content == [TextBlock("hi")]


def test_nothing_is_read_once_the_last_line_came() -> None:
    decoder = ResponseDecoder()
    decoder.feed(lines(ended()))

    assert decoder.is_done
    assert decoder.feed(lines(HALF)) == []


def test_an_answer_laid_out_over_many_lines_is_read() -> None:
    body = json.dumps(ended(content="hi"), indent=2).encode()

    assert decode_response(body).content == [TextBlock("hi")]


def test_a_stream_that_is_cut_is_a_transient_error_with_what_had_come() -> None:
    error = failure(lines(HALF))

    assert (error.error_type, error.error_class) == ("incomplete_stream", ErrorClass.TRANSIENT)
    assert (error.partial.content, error.output_started) == ("half", True)


def test_an_empty_answer_is_a_cut_one() -> None:
    error = failure(b"")

    assert (error.error_type, error.output_started) == ("incomplete_stream", False)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({"error": "the runner stopped"}, "the runner stopped"),
        ({"error": {"message": "no"}}, "no"),
    ],
    ids=["text", "object"],
)
def test_an_error_in_a_success_is_transient_as_its_status_would_be(frame: Frame, said: str) -> None:
    error = failure(lines(HALF, frame))

    assert (error.error_class, error.partial.content) == (ErrorClass.TRANSIENT, "half")
    assert str(error) == f"provider stream error: {said}"


def test_an_error_that_names_its_kind_is_of_that_kind() -> None:
    error = failure(lines({"error": {"message": "no", "type": "invalid_request_error"}}))

    assert error.error_class is ErrorClass.PERMANENT


@pytest.mark.parametrize("body", [b"<html></html>", b"[1]\n", b'{"choices": []}\n', b"a\nb\n"])
def test_a_body_of_another_kind_is_an_error(body: bytes) -> None:
    error = failure(body)

    assert (error.error_type, error.error_class) == ("malformed_response", ErrorClass.PERMANENT)


def test_a_line_that_is_no_object_is_an_error() -> None:
    assert failure(lines(HALF) + b"{oops\n").error_type == "undecodable_event"


def test_a_line_longer_than_the_bound_is_an_error() -> None:
    decoder = ResponseDecoder(max_line_bytes=100)
    decoder.feed(b"x" * 101)

    assert decoder.is_done
    with pytest.raises(ProviderError, match="over 100 bytes"):
        decoder.close()


def test_a_foreign_body_longer_than_the_bound_is_an_error() -> None:
    decoder = ResponseDecoder(max_body_bytes=100)
    decoder.feed(b"oops and more\n" * 10)

    with pytest.raises(ProviderError, match="longer than 100 bytes"):
        decoder.close()
