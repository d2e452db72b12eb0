"""Whole chat-completions answers."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.core.contracts.content import ImageBlock, TextBlock, ToolUseBlock, UnknownBlock
from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.core.contracts.llm import CompletionEvent, TextDelta
from agentkit.models.codecs.chat_completions import ResponseDecoder, decode_response

Read = Callable[..., CompletionEvent]


@pytest.fixture
def body() -> Read:
    """Give what decodes a whole body with one message."""

    def decode(finish_reason: str | None = "stop", **message: Any) -> CompletionEvent:
        choice = {"index": 0, "message": message, "finish_reason": finish_reason}
        return decode_response(json.dumps({"id": "r1", "choices": [choice]}).encode())

    return decode


def failure(data: bytes) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        decode_response(data)
    return caught.value


def test_a_whole_message_is_the_answer(body: Read) -> None:
    last = body(content="hi")

    assert (last.content, last.finish_reason, last.stop_kind) == ([TextBlock("hi")], "stop", "stop")


def test_blank_lines_and_a_byte_order_mark_before_the_body_are_read_over() -> None:
    data = b'\xef\xbb\xbf\n\n  {"choices": [{"message": {"content": "hi"}}]}\n'

    assert decode_response(data).content == [TextBlock("hi")]


def test_whole_calls_without_ids_or_with_one_index_stay_apart(body: Read) -> None:
    call = {"index": 0, "id": "", "function": {"name": "f", "arguments": "{}"}}
    calls = [b for b in body(tool_calls=[call, call]).content if isinstance(b, ToolUseBlock)]

    assert [call.call_id for call in calls] == ["call_r1_0", "call_r1_1"]


def test_a_choice_without_a_message_is_an_empty_answer() -> None:
    data = b'{"choices": [{"finish_reason": "content_filter"}]}'

    assert decode_response(data).stop_kind == "content_filter"


def test_the_first_of_several_choices_is_the_answer_whatever_their_order() -> None:
    choices = [{"index": n, "message": {"content": str(n)}} for n in (1, 0)]

    assert decode_response(json.dumps({"choices": choices}).encode()).content == [TextBlock("0")]


def test_a_call_in_the_form_before_tools_is_kept_as_it_is(body: Read) -> None:
    call = {"name": "f", "arguments": "{}"}

    assert body(function_call=call).content == [UnknownBlock({"type": "function_call", **call})]


def test_an_image_is_a_block(body: Read) -> None:
    url = "data:image/png;base64,aGk="
    last = body(images=[{"type": "image_url", "image_url": {"url": url}}])

    assert last.content == [ImageBlock(data=b"hi", media_type="image/png")]


@pytest.mark.parametrize("url", ["http://x/i.png", "data:image/png;base64,?"])
def test_an_image_that_is_not_in_the_answer_is_its_address(body: Read, url: str) -> None:
    last = body(content=[{"type": "image_url", "image_url": url}])

    assert last.content == [ImageBlock(url=url)]


def test_an_unknown_part_is_kept_as_it_is(body: Read) -> None:
    part = {"type": "reference", "reference_ids": [1]}

    assert body(content=[part]).content == [UnknownBlock(part)]


@pytest.mark.parametrize(
    "data",
    [
        b"<html>404</html>",
        b'"text"',
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [',
        b"[" * 9999,
    ],
    ids=lambda data: str(data[:16]),
)
def test_a_success_that_is_no_answer_is_a_permanent_error(data: bytes) -> None:
    error = failure(data)

    assert (error.error_type, error.error_class) == ("malformed_response", ErrorClass.PERMANENT)


@pytest.mark.parametrize("data", [b'{"error": "no"}', b'{"code": "x", "error": "no"}'])
def test_a_success_that_is_an_error_is_raised(data: bytes) -> None:
    assert "no" in str(failure(data))


@pytest.mark.parametrize("where", ["reasoning_details", "content", "extra_content"])
def test_a_part_that_nests_too_deeply_is_an_error(body: Read, where: str) -> None:
    deep: Any = {"type": "x"}
    for _ in range(600):
        deep = [deep]

    with pytest.raises(ProviderError, match="nests too deeply"):
        body(**{where: [{"type": "x", "deep": deep}]})


def test_a_large_body_is_read_whatever_its_chunks() -> None:
    decoder = ResponseDecoder()
    for piece in (b'{"choices": [{"mess', b'age": {"content": "hi"}}]}'):
        assert decoder.feed(piece) == []

    assert decoder.close()[0] == TextDelta("hi")


def test_a_body_larger_than_the_bound_is_an_error_and_is_not_held() -> None:
    decoder = ResponseDecoder(max_body_bytes=10)
    decoder.feed(b"{" + b" " * 10)

    assert decoder.is_done
    with pytest.raises(ProviderError, match="oversized_body"):
        decoder.close()
