"""Neutral requests as chat-completions JSON: nothing that was asked for is left out."""

from typing import Any

import pytest

from agentkit.core.contracts.content import (
    AudioBlock,
    ChatMessage,
    CodeBlock,
    ContentBlock,
    DataBlock,
    DocumentBlock,
    ErrorBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownBlock,
    VideoBlock,
)
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.core.contracts.types import ToolSchema
from agentkit.models.codecs.chat_completions import Dialect, encode_request

SCHEMA = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
TOOL = ToolSchema("f", "Does f.", {"type": "object", "properties": {"a": {"type": "string"}}})


def encoded(*messages: ChatMessage, **how: Any) -> dict[str, Any]:
    return encode_request(messages, model="m", sender="them", **how)


def option(dialect: Dialect = Dialect(), **options: Any) -> dict[str, Any]:  # noqa: B008
    body = encoded(options=GenerationOptions(**options), dialect=dialect, stream=False)
    return {key: value for key, value in body.items() if key not in {"model", "messages"}}


def wire(role: str, *blocks: ContentBlock) -> dict[str, Any]:
    [message] = encoded(ChatMessage(role, list(blocks)))["messages"]
    return {key: value for key, value in message.items() if key != "role"}


def test_a_request_without_options_holds_model_and_messages() -> None:
    body = encoded(ChatMessage("user", [TextBlock("hi")]), stream=False)

    assert body == {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


def test_a_stream_asks_for_its_usage() -> None:
    assert encoded()["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize(
    "options",
    [{"temperature": 0.0}, {"max_tokens": 0}, {"stop": []}, {"stop": ["x"]}, {"seed": 0}],
    ids=str,
)
def test_a_value_that_is_set_is_sent_also_when_it_is_empty(options: dict[str, Any]) -> None:
    assert option(**options) == options


def test_no_tools_and_an_empty_list_of_tools_are_different() -> None:
    assert option(tools=None) == {}
    assert option(tools=[]) == {"tools": []}


def test_a_tool_is_a_function() -> None:
    function = {"name": "f", "description": "Does f.", "parameters": TOOL.parameters}

    assert option(tools=[TOOL]) == {"tools": [{"type": "function", "function": function}]}


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("required", "required"),
        ("f", {"type": "function", "function": {"name": "f"}}),
        ({"type": "other"}, {"type": "other"}),
    ],
)
def test_a_tool_choice_is_sent_in_the_wire_form(choice: Any, sent: Any) -> None:
    assert option(tools=[TOOL], tool_choice=choice)["tool_choice"] == sent


@pytest.mark.parametrize(
    "options",
    [
        {"tool_choice": "required"},
        {"tool_choice": {"type": "function"}},
        {"tool_choice": "g", "tools": [TOOL]},
    ],
    ids=["no tools", "no tools for a dict", "no such tool"],
)
def test_a_tool_choice_that_cannot_be_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedOption, match="tool_choice"):
        option(**options)


def test_a_tool_choice_of_none_without_tools_says_nothing() -> None:
    assert option(tool_choice="none") == {}


def test_a_dialect_names_the_fields() -> None:
    dialect = Dialect(
        max_tokens="most", seed="random_seed", reasoning_effort=("reasoning", "effort")
    )
    body = option(dialect, max_tokens=5, seed=1, reasoning_effort="low")

    assert body == {"most": 5, "random_seed": 1, "reasoning": {"effort": "low"}}


def test_an_option_that_a_dialect_lacks_is_refused() -> None:
    with pytest.raises(UnsupportedOption, match="no reasoning effort") as caught:
        option(Dialect(provider="them", reasoning_effort=()), reasoning_effort="low")

    assert (caught.value.option, caught.value.provider) == ("reasoning_effort", "them")


def test_a_response_format_is_sent_as_it_is() -> None:
    assert option(response_format=SCHEMA) == {"response_format": SCHEMA}


def test_a_schema_becomes_an_instruction_where_there_is_no_mode_for_it() -> None:
    options = GenerationOptions(response_format=SCHEMA, system_instructions="Be kind.")
    body = encoded(options=options, dialect=Dialect(has_json_schema=False))

    assert body["response_format"] == {"type": "json_object"}
    assert body["messages"][0]["content"].startswith("Be kind.\n\nAnswer with one JSON object")


def test_extra_goes_along_as_it_is() -> None:
    assert option(extra={"top_p": 0.5}) == {"top_p": 0.5}


def test_extra_cannot_set_what_the_client_sets() -> None:
    with pytest.raises(ValueError, match="extra may not set stream"):
        option(extra={"stream": False})


def test_system_instructions_come_first() -> None:
    body = encoded(
        ChatMessage("system", [TextBlock("b")]), options=GenerationOptions(system_instructions="a")
    )

    assert [message["content"] for message in body["messages"]] == ["a", "b"]


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (ImageBlock(url="http://x/i"), {"image_url": {"url": "http://x/i"}}),
        (
            ImageBlock(data=b"hi", media_type="image/png", detail="low"),
            {"image_url": {"url": "data:image/png;base64,aGk=", "detail": "low"}},
        ),
        (AudioBlock(data=b"hi"), {"input_audio": {"data": "aGk=", "format": "wav"}}),
        (DocumentBlock(file_id="f1"), {"file": {"file_id": "f1"}}),
        (
            DocumentBlock(data=b"hi", filename="a.pdf"),
            {"file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="}},
        ),
        (VideoBlock(url="http://x/v"), {"video_url": {"url": "http://x/v"}}),
    ],
    ids=["image", "image data", "audio", "file", "document", "video"],
)
def test_media_are_parts(block: ContentBlock, part: dict[str, Any]) -> None:
    text, sent = wire("user", TextBlock("see"), block)["content"]

    assert text == {"type": "text", "text": "see"}
    assert sent == {"type": next(iter(part))} | part


@pytest.mark.parametrize(
    "block",
    [
        ImageBlock(file_id="f"),
        AudioBlock(url="http://x/a"),
        AudioBlock(data=b"", media_type="audio/ogg"),
        DocumentBlock(url="http://x/d"),
        ThinkingBlock("hm"),
    ],
    ids=["image id", "audio url", "audio kind", "document url", "thinking"],
)
def test_what_the_api_has_no_place_for_is_refused(block: ContentBlock) -> None:
    with pytest.raises(UnsupportedOption, match="chat-completions API takes no"):
        wire("user", block)


def test_what_text_can_say_is_text() -> None:
    blocks: list[ContentBlock] = [TextBlock("a "), CodeBlock("x"), DataBlock({"b": 1})]

    assert wire("user", *blocks, ErrorBlock("E", "m")) == {
        "content": 'a ```python\nx\n```{"b":1}E: m'
    }


def test_calls_are_sent_with_their_arguments_as_text() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}

    assert wire("assistant", ToolUseBlock("c", "f", {"a": 1})) == {
        "content": None,
        "tool_calls": [call],
    }


def test_each_tool_result_is_a_message() -> None:
    results = [ToolResultBlock(n, "f", [TextBlock(n)]) for n in ("a", "b")]
    sent = encoded(ChatMessage("tool", list(results)))["messages"]

    assert sent == [{"role": "tool", "tool_call_id": n, "content": n} for n in ("a", "b")]


def test_a_failed_tool_result_says_so() -> None:
    assert wire("tool", ToolResultBlock("c", "f", [TextBlock("x")], is_error=True))["content"] == (
        "ERROR: x"
    )


def test_opaque_parts_go_back_to_their_maker_byte_for_byte() -> None:
    details = [{"type": "reasoning.encrypted", "data": "x=="}]
    opaque = {"reasoning_details": details, "field": "reasoning"}
    sent = wire("assistant", ThinkingBlock("hm", provider="them", opaque=opaque), TextBlock("a"))

    assert sent == {"content": "a", "reasoning_details": details, "reasoning": "hm"}


@pytest.mark.parametrize("maker", ["", "others"])
def test_opaque_parts_go_to_nobody_else(maker: str) -> None:
    blocks: list[ContentBlock] = [
        ThinkingBlock("hm", provider=maker, opaque={"reasoning_details": [1]}),
        UnknownBlock({"type": "function_call", "name": "f"}, provider=maker),
        ToolUseBlock("c", "f", signature='{"extra_content": 1}', provider=maker),
    ]
    sent = wire("assistant", TextBlock("a"), *blocks)

    assert set(sent) == {"content", "tool_calls"}
    assert "extra_content" not in sent["tool_calls"][0]


def test_what_was_attached_to_a_call_goes_back_with_it() -> None:
    block = ToolUseBlock("c", "f", signature='{"extra_content": {"s": 1}}', provider="them")

    assert wire("assistant", block)["tool_calls"][0]["extra_content"] == {"s": 1}


def test_thinking_that_came_as_a_part_goes_back_as_one() -> None:
    block = ThinkingBlock("hm", provider="them", opaque={"field": "thinking"})
    thinking, text = wire("assistant", block, TextBlock("a"))["content"]

    assert thinking == {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    assert text == {"type": "text", "text": "a"}


def test_a_turn_with_a_name_says_who_speaks() -> None:
    [sent] = encoded(ChatMessage("user", [TextBlock("hi")], name="ann"))["messages"]

    assert sent["name"] == "ann"


@pytest.mark.parametrize(("field", "text"), [("reasoning_content", "hm"), (None, "")])
def test_reasoning_goes_back_in_the_field_that_it_came_in(field: str | None, text: str) -> None:
    opaque = {"field": field} if field else {"thought_signature": "s"}
    sent = wire("assistant", ThinkingBlock(text, provider="them", opaque=opaque), TextBlock("a"))

    assert sent == {"content": "a", **({field: text} if field else opaque)}


def test_a_call_in_the_form_before_tools_goes_back_to_its_maker() -> None:
    block = UnknownBlock({"type": "function_call", "name": "f"}, provider="them")

    assert wire("assistant", block) == {"content": "", "function_call": {"name": "f"}}


def test_a_refusal_goes_back_as_one() -> None:
    sent = wire("assistant", ErrorBlock("refusal", "no"))

    assert sent == {"content": "", "refusal": "no"}
