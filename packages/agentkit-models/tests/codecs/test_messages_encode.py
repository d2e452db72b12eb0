"""Neutral requests as JSON of the messages API: nothing that was asked for is left out."""

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
from agentkit.models.codecs.anthropic_messages import encode_request


def turns(*messages: ChatMessage) -> list[dict[str, Any]]:
    wire: list[dict[str, Any]] = encode_request(messages, model="m", sender="them")["messages"]
    return wire


def said(*blocks: ContentBlock, role: str = "user") -> list[dict[str, Any]]:
    return [part for turn in turns(ChatMessage(role, list(blocks))) for part in turn["content"]]


def text(role: str, words: str) -> ChatMessage:
    return ChatMessage(role, [TextBlock(words)])


def test_a_request_without_options_holds_model_messages_and_the_ceiling_it_must() -> None:
    body = encode_request([text("user", "hi")], model="m", stream=False)

    wanted = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    assert body == {"model": "m", "max_tokens": 4096, "messages": [wanted]}


def test_all_system_text_stands_before_the_messages() -> None:
    body = encode_request([text("system", "a"), text("user", "hi"), text("system", "b")], model="m")

    assert body["system"] == "a\n\nb"
    assert [turn["role"] for turn in body["messages"]] == ["user"]


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (CodeBlock("x = 1"), {"type": "text", "text": "```python\nx = 1\n```"}),
        (DataBlock({"b": 1, "a": 2}), {"type": "text", "text": '{"a":2,"b":1}'}),
        (ErrorBlock("Oops", "no"), {"type": "text", "text": "Oops: no"}),
        (
            ImageBlock(url="http://x/i.png"),
            {"type": "image", "source": {"type": "url", "url": "http://x/i.png"}},
        ),
        (
            ImageBlock(data=b"i", media_type="image/png"),
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "aQ=="},
            },
        ),
        (
            ImageBlock(file_id="file_1"),
            {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
        ),
        (
            DocumentBlock(data=b"d", filename="a.pdf"),
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "ZA=="},
                "title": "a.pdf",
            },
        ),
        (
            DocumentBlock(data=b"d", media_type="text/csv"),
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": "d"},
            },
        ),
        (
            DocumentBlock(url="http://x/d.pdf"),
            {"type": "document", "source": {"type": "url", "url": "http://x/d.pdf"}},
        ),
        (UnknownBlock({"type": "container_upload"}, provider="them"), {"type": "container_upload"}),
    ],
    ids=[
        "code",
        "data",
        "error",
        "image by url",
        "image",
        "image by id",
        "pdf",
        "text file",
        "pdf by url",
        "own",
    ],
)
def test_a_block_has_its_place_in_a_user_turn(block: ContentBlock, part: dict[str, Any]) -> None:
    assert said(block) == [part]


@pytest.mark.parametrize(
    ("role", "block"),
    [
        ("user", AudioBlock(data=b"a")),
        ("user", VideoBlock(url="http://x")),
        ("user", ImageBlock(url="http://x", detail="low")),
        ("user", ImageBlock(data=b"i", media_type="image/tiff")),
        ("user", DocumentBlock(data=b"d", media_type="application/msword")),
        ("user", ThinkingBlock("hm", provider="them")),
        ("user", ToolUseBlock("c", "f")),
        ("user", UnknownBlock({"type": "x"}, provider="others")),
        ("user", ToolResultBlock("c", content=[ToolResultBlock("d")])),
        ("assistant", ImageBlock(url="http://x")),
        ("assistant", ToolResultBlock("c")),
        ("system", ImageBlock(url="http://x")),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value),
)
def test_what_the_api_has_no_place_for_is_refused(role: str, block: ContentBlock) -> None:
    with pytest.raises(UnsupportedOption, match="messages API takes no") as caught:
        turns(ChatMessage(role, [block]))

    assert caught.value.option


def test_a_role_of_another_api_is_refused() -> None:
    with pytest.raises(UnsupportedOption, match="no role 'developer'"):
        turns(text("developer", "hi"))


def test_the_name_of_a_speaker_is_refused() -> None:
    with pytest.raises(UnsupportedOption, match="name of a speaker; got 'ann'"):
        turns(ChatMessage("user", [TextBlock("hi")], "ann"))


def test_the_name_of_a_label_or_a_tool_says_nothing_to_the_model() -> None:
    system = ChatMessage("system", [TextBlock("hi")], "schema")
    tool = ChatMessage("tool", [ToolResultBlock("c")], "f")

    assert turns(system, tool) == [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]}
    ]


def test_results_in_a_row_are_one_user_turn_before_what_the_user_says() -> None:
    results = [ChatMessage("tool", [ToolResultBlock(c, content=[TextBlock(c)])]) for c in "ab"]

    [turn] = turns(ChatMessage("user", [TextBlock("and"), *results[0].content]), results[1])

    assert [part.get("tool_use_id") for part in turn["content"]] == ["a", "b", None]
    assert turn["content"][0]["content"] == [{"type": "text", "text": "a"}]


def test_a_failed_tool_says_so() -> None:
    [part] = said(ToolResultBlock("c", content=[TextBlock("boom")], is_error=True), role="tool")

    assert part["is_error"] is True
    assert part["content"] == [{"type": "text", "text": "boom"}]


def test_a_tool_that_failed_without_a_word_is_given_one() -> None:
    [part] = said(ToolResultBlock("c", content=[TextBlock("")], is_error=True), role="tool")

    assert part["content"][0]["text"] == "The tool failed and said nothing."


def test_a_result_may_hold_an_image_and_drops_blank_text() -> None:
    [part] = said(ToolResultBlock("c", content=[TextBlock("\n"), ImageBlock(file_id="f")]))

    assert [inner["type"] for inner in part["content"]] == ["image"]


def test_a_call_goes_back_with_its_input_and_what_was_attached_to_it() -> None:
    call = ToolUseBlock(
        "c", "f", {"a": 1}, signature='{"caller": {"type": "direct"}}', provider="them"
    )

    [part] = said(call, role="assistant")

    assert part.pop("caller") == {"type": "direct"}
    assert part == {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}


def test_an_id_in_letters_that_the_api_does_not_take_is_changed_for_call_and_result() -> None:
    [call] = said(ToolUseBlock("functions.f:0", "f"), role="assistant")
    [result] = said(ToolResultBlock("functions.f:0"), role="tool")

    assert call["id"] == result["tool_use_id"]
    assert call["id"].replace("_", "").isalnum()


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (
            ThinkingBlock("hm", "c2ln", provider="them"),
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        ),
        (
            ThinkingBlock("", "c2ln", provider="them"),
            {"type": "thinking", "thinking": "", "signature": "c2ln"},
        ),
        (ThinkingBlock("hm", provider="them"), {"type": "thinking", "thinking": "hm"}),
        (
            ThinkingBlock("", "ZGF0YQ==", redacted=True, provider="them"),
            {"type": "redacted_thinking", "data": "ZGF0YQ=="},
        ),
        (
            UnknownBlock({"type": "server_tool_use", "id": "s"}, provider="them"),
            {"type": "server_tool_use", "id": "s"},
        ),
        (UnknownBlock({"odd": 1}, provider="them"), {"odd": 1}),
        (
            TextBlock("so", signature='{"citations": [{"n": 1}]}', provider="them"),
            {"type": "text", "text": "so", "citations": [{"n": 1}]},
        ),
    ],
    ids=["signed", "empty", "unsigned", "redacted", "server tool", "untyped", "cited"],
)
def test_what_the_provider_made_goes_back_to_it_untouched(
    block: ContentBlock, part: dict[str, Any]
) -> None:
    assert said(block, role="assistant") == [part]


@pytest.mark.parametrize("provider", ["", "others"])
def test_what_another_provider_made_is_left_out(provider: str) -> None:
    made: list[ContentBlock] = [
        ThinkingBlock("hm", "c2ln", provider=provider),
        UnknownBlock({"type": "x"}, provider=provider),
        TextBlock("hi", signature='{"citations": []}', provider=provider),
    ]

    assert said(*made, role="assistant") == [{"type": "text", "text": "hi"}]


def test_a_turn_of_which_nothing_is_left_is_no_turn() -> None:
    empty = ChatMessage("assistant", [TextBlock(" "), ThinkingBlock("hm", provider="others")])

    [turn] = turns(text("user", "a"), empty, text("user", "b"))

    assert [part["text"] for part in turn["content"]] == ["a", "b"]
