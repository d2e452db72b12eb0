"""Neutral requests as JSON of Ollama's chat API: nothing that was asked for is left out."""

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
)
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.core.contracts.types import ToolSchema
from agentkit.models.codecs.ollama_chat import encode_request

TOOL = ToolSchema("f", "Does f.", {"type": "object", "properties": {"a": {"type": "string"}}})
SCHEMA = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}


def turns(*messages: ChatMessage) -> list[dict[str, Any]]:
    wire: list[dict[str, Any]] = encode_request(messages, model="m", sender="them")["messages"]
    return wire


def said(*blocks: ContentBlock, role: str = "user") -> dict[str, Any]:
    [turn] = turns(ChatMessage(role, list(blocks)))
    return turn


def option(**options: Any) -> dict[str, Any]:
    body = encode_request([], model="m", options=GenerationOptions(**options))
    return {key: value for key, value in body.items() if key not in {"model", "messages", "stream"}}


@pytest.mark.parametrize("stream", [True, False])
def test_a_request_says_whether_it_streams(stream: bool) -> None:  # noqa: FBT001 - of pytest
    body = encode_request([ChatMessage("user", [TextBlock("hi")])], model="m", stream=stream)

    message = {"role": "user", "content": "hi"}
    assert body == {"model": "m", "messages": [message], "stream": stream}


def test_system_instructions_come_first() -> None:
    options = GenerationOptions(system_instructions="be kind")
    body = encode_request([ChatMessage("system", [TextBlock("hi")])], model="m", options=options)

    assert [turn["content"] for turn in body["messages"]] == ["be kind", "hi"]


def test_blocks_of_text_are_one_text() -> None:
    said_ = said(TextBlock("a"), CodeBlock("b"), DataBlock({"c": 1}), ErrorBlock("d", "e"))

    assert said_["content"] == 'a```python\nb\n```{"c":1}d: e'


def test_images_stand_beside_the_text() -> None:
    assert said(TextBlock("see"), ImageBlock(data=b"i")) == {
        "role": "user",
        "content": "see",
        "images": ["aQ=="],
    }


@pytest.mark.parametrize(
    "block",
    [
        ImageBlock(url="http://x"),
        ImageBlock(file_id="f"),
        ImageBlock(data=b"i", detail="low"),
        AudioBlock(data=b"a"),
        DocumentBlock(data=b"d"),
        ThinkingBlock("hm", provider="them"),
        ToolUseBlock("c", "f"),
        UnknownBlock({}, provider="them"),
    ],
    ids=repr,
)
def test_what_the_api_has_no_place_for_is_refused(block: ContentBlock) -> None:
    with pytest.raises(UnsupportedOption, match="Ollama takes no") as caught:
        said(block)

    assert caught.value.option == block.type


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (ChatMessage("developer"), "no role 'developer'"),
        (ChatMessage("user", name="ann"), "name of a speaker; got 'ann'"),
    ],
    ids=["role", "name"],
)
def test_a_role_or_name_that_the_api_lacks_is_refused(message: ChatMessage, why: str) -> None:
    with pytest.raises(UnsupportedOption, match=why):
        turns(message)


def test_a_models_turn_holds_its_thinking_and_its_calls() -> None:
    call = ToolUseBlock("c", "f", {"a": 1})
    turn = said(ThinkingBlock("hm", provider="them"), TextBlock("so"), call, role="assistant")

    function = {"index": 0, "name": "f", "arguments": {"a": 1}}
    assert turn.pop("tool_calls") == [{"id": "c", "function": function}]
    assert turn == {"role": "assistant", "content": "so", "thinking": "hm"}


@pytest.mark.parametrize("provider", ["", "others"])
def test_what_another_provider_made_is_left_out(provider: str) -> None:
    thought = ThinkingBlock("hm", provider=provider)
    unknown = UnknownBlock({"type": "x"}, provider=provider)

    assert said(thought, unknown, role="assistant") == {"role": "assistant", "content": ""}


def test_each_result_is_a_turn_that_names_its_tool() -> None:
    calls = ChatMessage("assistant", [ToolUseBlock("a", "f"), ToolUseBlock("b", "g")])
    results = ChatMessage(
        "tool", [ToolResultBlock("a", "h", [TextBlock("1")]), ToolResultBlock("b")]
    )

    _, first, second = turns(calls, results)

    assert first == {"role": "tool", "content": "1", "tool_call_id": "a", "tool_name": "h"}
    assert second == {"role": "tool", "content": "", "tool_call_id": "b", "tool_name": "g"}


@pytest.mark.parametrize(("text", "sent"), [("no", "ERROR: no"), ("Error: no", "Error: no")])
def test_a_failed_tool_says_so_in_words(text: str, sent: str) -> None:
    turn = said(ToolResultBlock("c", content=[TextBlock(text)], is_error=True), role="tool")

    assert turn == {"role": "tool", "content": sent, "tool_call_id": "c"}


@pytest.mark.parametrize(
    ("options", "wire"),
    [
        ({"temperature": 0.0}, {"options": {"temperature": 0.0}}),
        ({"max_tokens": 0}, {"options": {"num_predict": 0}}),
        ({"stop": []}, {"options": {"stop": []}}),
        ({"seed": 0}, {"options": {"seed": 0}}),
        ({"response_format": {"type": "json_object"}}, {"format": "json"}),
        ({"response_format": SCHEMA}, {"format": {"type": "object"}}),
        ({"response_format": {"type": "text"}}, {}),
        ({"reasoning_effort": "none"}, {"think": False}),
        ({"reasoning_effort": "high"}, {"think": "high"}),
        ({"tools": []}, {"tools": []}),
        ({"tools": [TOOL], "tool_choice": "none"}, {}),
        ({"tool_choice": "auto"}, {}),
        ({"cache": "1h"}, {}),
        ({"extra": {"keep_alive": 0}}, {"keep_alive": 0}),
        (
            {"seed": 1, "extra": {"options": {"num_ctx": 8192}, "logprobs": True}},
            {"options": {"seed": 1, "num_ctx": 8192}, "logprobs": True},
        ),
    ],
    ids=str,
)
def test_an_option_that_is_set_is_sent(options: dict[str, Any], wire: dict[str, Any]) -> None:
    assert option(**options) == wire


def test_a_tool_is_sent_with_its_parameters() -> None:
    first, second = option(tools=[TOOL, ToolSchema("g", "", {})])["tools"]

    function = {"name": "f", "description": "Does f.", "parameters": TOOL.parameters}
    assert first == {"type": "function", "function": function}
    assert second["function"]["parameters"] == {"type": "object", "properties": {}}


def test_how_long_the_model_stays_loaded_is_sent() -> None:
    assert encode_request([], model="m", keep_alive="10m")["keep_alive"] == "10m"


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"tools": [TOOL], "tool_choice": "f"}, "tool_choice"),
        ({"tools": [TOOL], "tool_choice": "required"}, "tool_choice"),
        ({"tool_choice": {"type": "any"}}, "tool_choice"),
        ({"reasoning_effort": "minimal"}, "reasoning_effort"),
    ],
    ids=["name", "required", "dict", "effort"],
)
def test_an_option_that_cannot_be_honoured_is_refused(options: dict[str, Any], name: str) -> None:
    with pytest.raises(UnsupportedOption) as caught:
        option(**options)

    assert caught.value.option == name


@pytest.mark.parametrize("key", ["messages", "stream"])
def test_extra_may_not_set_what_is_the_clients(key: str) -> None:
    with pytest.raises(ValueError, match=f"extra may not set {key}"):
        option(extra={key: 1})
