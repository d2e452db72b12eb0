"""Neutral requests as Gemini's JSON: nothing that was asked for is left out."""

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
from agentkit.models.codecs.gemini import encode_count, encode_request

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
TOOL = ToolSchema("f", "Does f.", SCHEMA)
EARLY, LATE = "gemini-2.5-flash", "gemini-3-pro-preview"
SKIP = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="


def encoded(*messages: ChatMessage, model: str = LATE, **options: Any) -> dict[str, Any]:
    return encode_request(messages, model=model, options=GenerationOptions(**options), sender="us")


def parts(*blocks: ContentBlock, role: str = "user", model: str = LATE) -> list[dict[str, Any]]:
    [content] = encoded(ChatMessage(role, list(blocks)), model=model)["contents"]
    sent: list[dict[str, Any]] = content["parts"]
    return sent


def option(model: str = LATE, **options: Any) -> dict[str, Any]:
    return {k: v for k, v in encoded(model=model, **options).items() if k != "contents"}


def test_a_request_without_options_holds_the_contents() -> None:
    assert encoded(ChatMessage("user", [TextBlock("hi")])) == {
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}]
    }


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({"temperature": 0.0}, {"temperature": 0.0}),
        ({"max_tokens": 0}, {"maxOutputTokens": 0}),
        ({"stop": []}, {"stopSequences": []}),
        ({"seed": 0}, {"seed": 0}),
        ({"response_format": {"type": "json_object"}}, {"responseMimeType": "application/json"}),
        (
            {"response_format": FORMAT},
            {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA},
        ),
        (
            {"reasoning_effort": "low"},
            {"thinkingConfig": {"thinkingLevel": "low", "includeThoughts": True}},
        ),
    ],
    ids=str,
)
def test_a_value_that_is_set_is_sent_also_when_it_is_empty(
    options: dict[str, Any], sent: dict[str, Any]
) -> None:
    assert option(**options) == {"generationConfig": sent}


def test_plain_text_needs_no_format_and_an_unknown_one_is_refused() -> None:
    assert option(response_format={"type": "text"}) == {}
    with pytest.raises(ValueError, match="json_schema; got 'xml'"):
        option(response_format={"type": "xml"})


def test_cache_advice_is_not_sent() -> None:
    assert option(cache="1h") == {}


@pytest.mark.parametrize(("effort", "budget"), [("none", 0), ("low", 1024), ("high", 24576)])
def test_an_early_model_thinks_within_a_budget(effort: str, budget: int) -> None:
    config = option(EARLY, reasoning_effort=effort)["generationConfig"]["thinkingConfig"]

    assert config == {"thinkingBudget": budget, "includeThoughts": budget > 0}


@pytest.mark.parametrize("model", [EARLY, LATE])
def test_an_effort_that_there_is_not_is_refused(model: str) -> None:
    with pytest.raises(UnsupportedOption, match=r"low, .*; got 'huge'") as caught:
        option(model, reasoning_effort="huge")

    assert caught.value.option == "reasoning_effort"


def test_system_messages_and_instructions_are_one_instruction() -> None:
    system = ChatMessage("system", [TextBlock("be brief")])

    assert encoded(system, system_instructions="be kind") == {
        "systemInstruction": {"parts": [{"text": "be kind\n\nbe brief"}]},
        "contents": [],
    }


def test_a_tool_is_declared_with_its_schema_and_one_without_arguments_with_none() -> None:
    declared = {"name": "f", "description": "Does f.", "parametersJsonSchema": SCHEMA}
    bare = {"name": "g", "description": ""}

    assert option(tools=[TOOL, ToolSchema("g")]) == {
        "tools": [{"functionDeclarations": [declared, bare]}]
    }
    assert option(tools=[]) == {"tools": []}


@pytest.mark.parametrize(
    ("choice", "config"),
    [
        ("auto", {"mode": "AUTO"}),
        ("required", {"mode": "ANY"}),
        ("none", {"mode": "NONE"}),
        ("f", {"mode": "ANY", "allowedFunctionNames": ["f"]}),
        ({"mode": "VALIDATED"}, {"mode": "VALIDATED"}),
        ({"functionCallingConfig": {"mode": "ANY"}}, {"mode": "ANY"}),
    ],
    ids=str,
)
def test_a_tool_choice_is_a_mode(choice: Any, config: dict[str, Any]) -> None:
    sent = option(tools=[TOOL], tool_choice=choice)["toolConfig"]

    assert sent == {"functionCallingConfig": config}


def test_a_choice_that_the_lack_of_tools_says_already_is_not_sent() -> None:
    assert option(tool_choice="auto") == {}


@pytest.mark.parametrize("options", [{"tools": [TOOL], "tool_choice": "g"}, {"tool_choice": "f"}])
def test_a_choice_of_no_tool_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedOption, match="tool_choice") as caught:
        option(**options)

    assert caught.value.option == "tool_choice"


def test_an_early_model_with_tools_is_asked_for_the_schema_in_words() -> None:
    sent = option(EARLY, tools=[TOOL], response_format=FORMAT)

    assert "generationConfig" not in sent
    assert '"type": "object"' in sent["systemInstruction"]["parts"][0]["text"]


def test_extra_is_merged_into_what_is_sent_and_adds_tools() -> None:
    search: dict[str, Any] = {"googleSearch": {}}
    extra = {"generationConfig": {"topK": 3}, "tools": [search], "safetySettings": []}
    sent = option(temperature=1.0, tools=[TOOL], extra=extra)

    assert sent["generationConfig"] == {"temperature": 1.0, "topK": 3}
    assert sent["tools"][1] == search
    assert sent["safetySettings"] == []


@pytest.mark.parametrize("name", ["contents", "model"])
def test_extra_may_not_set_what_is_the_clients(name: str) -> None:
    with pytest.raises(ValueError, match=f"extra may not set {name}"):
        option(extra={name: "x"})


DATA = {"mimeType": "image/png", "data": "AAE="}


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (ImageBlock(data=b"\0\1", media_type="image/png"), {"inlineData": DATA}),
        (
            ImageBlock(url="http://x/a.png?b=c"),
            {"fileData": {"mimeType": "image/png", "fileUri": "http://x/a.png?b=c"}},
        ),
        (
            ImageBlock(url="http://x/a", media_type="image/webp"),
            {"fileData": {"mimeType": "image/webp", "fileUri": "http://x/a"}},
        ),
        (ImageBlock(file_id="files/1"), {"fileData": {"fileUri": "files/1"}}),
        (
            ImageBlock(file_id="files/1", detail="low"),
            {
                "fileData": {"fileUri": "files/1"},
                "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"},
            },
        ),
        (AudioBlock(data=b"\0\1"), {"inlineData": DATA | {"mimeType": "audio/wav"}}),
        (
            AudioBlock(url="gs://x/a"),
            {"fileData": {"mimeType": "audio/wav", "fileUri": "gs://x/a"}},
        ),
        (VideoBlock(data=b"\0\1"), {"inlineData": DATA | {"mimeType": "video/mp4"}}),
        (
            VideoBlock(url="gs://x/a.webm"),
            {"fileData": {"mimeType": "video/webm", "fileUri": "gs://x/a.webm"}},
        ),
        (DocumentBlock(data=b"\0\1"), {"inlineData": DATA | {"mimeType": "application/pdf"}}),
        (
            DocumentBlock(url="gs://x/a"),
            {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://x/a"}},
        ),
        (DocumentBlock(file_id="files/1"), {"fileData": {"fileUri": "files/1"}}),
        (CodeBlock("1"), {"text": "```python\n1\n```"}),
        (DataBlock({"b": 1, "a": 2}), {"text": '{"a":2,"b":1}'}),
        (ErrorBlock("x", "no"), {"text": "x: no"}),
    ],
    ids=str,
)
def test_every_block_has_its_part(block: ContentBlock, part: dict[str, Any]) -> None:
    assert parts(block) == [part]


def test_a_detail_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnsupportedOption, match="no detail 'extreme'"):
        parts(ImageBlock(url="http://x", detail="extreme"))


def test_media_in_a_system_message_are_refused() -> None:
    with pytest.raises(UnsupportedOption, match="no image block here"):
        encoded(ChatMessage("system", [ImageBlock(url="http://x")]))


def test_a_role_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnsupportedOption, match="no role 'critic'"):
        encoded(ChatMessage("critic", [TextBlock("hi")]))


def test_a_turn_of_nothing_holds_an_empty_text() -> None:
    assert parts(role="assistant") == [{"text": ""}]


def test_what_the_provider_signed_goes_back_to_it_as_it_came() -> None:
    own: list[ContentBlock] = [
        ThinkingBlock("hm", "s1", provider="us"),
        TextBlock("", signature="s2", provider="us"),
        UnknownBlock({"executableCode": {"code": "1"}, "thoughtSignature": "s3"}, provider="us"),
        ToolUseBlock("gemini_call_r_0", "f", {"a": "b"}, signature="s4", provider="us"),
        ImageBlock(file_id="files/1"),
        UnknownBlock({"thoughtSignature": "s5"}, provider="us"),
        UnknownBlock({"groundingMetadata": {"x": 1}}, provider="us"),
    ]

    assert parts(*own, role="assistant") == [
        {"text": "hm", "thought": True, "thoughtSignature": "s1"},
        {"text": "", "thoughtSignature": "s2"},
        {"executableCode": {"code": "1"}, "thoughtSignature": "s3"},
        {"functionCall": {"name": "f", "args": {"a": "b"}}, "thoughtSignature": "s4"},
        {"fileData": {"fileUri": "files/1"}, "thoughtSignature": "s5"},
    ]


def test_what_another_provider_signed_is_not_sent() -> None:
    foreign: list[ContentBlock] = [
        ThinkingBlock("hm", "s1", provider="them"),
        TextBlock("hi", signature="s2", provider="them"),
        UnknownBlock({"x": 1}, provider="them"),
        ThinkingBlock("hm"),
    ]

    assert parts(*foreign, role="assistant") == [{"text": "hi"}]


def test_a_call_made_elsewhere_has_its_id_and_is_marked_where_signatures_are_wanted() -> None:
    calls = [ToolUseBlock("c1", "f", {}), ToolUseBlock("c2", "f", {})]
    plain: dict[str, Any] = {"functionCall": {"name": "f", "args": {}, "id": "c1"}}

    first, second = parts(*calls, role="assistant")
    assert first == plain | {"thoughtSignature": SKIP}
    assert "thoughtSignature" not in second
    assert parts(*calls, role="assistant", model=EARLY)[0] == plain


def test_the_results_of_one_turns_calls_are_one_turn() -> None:
    calls = ChatMessage("assistant", [ToolUseBlock("c1", "f"), ToolUseBlock("gemini_call_0", "g")])
    one = ChatMessage("tool", [ToolResultBlock("c1", "", [TextBlock("1")])])
    other = ChatMessage("tool", [ToolResultBlock("gemini_call_0", "", [TextBlock("no")], True)])

    _, turn = encoded(calls, one, other)["contents"]

    assert turn["role"] == "user"
    assert [part["functionResponse"] for part in turn["parts"]] == [
        {"name": "f", "id": "c1", "response": {"output": "1"}},
        {"name": "g", "response": {"error": "no"}},
    ]


def test_a_result_that_is_data_is_sent_as_data_and_media_follow_it() -> None:
    image = ImageBlock(data=b"\0\1", media_type="image/png")
    content: list[ContentBlock] = [DataBlock({"a": 1}), image]
    result = ChatMessage("tool", [ToolResultBlock("c1", "f", content)])

    turns = encoded(result, ChatMessage("user", [TextBlock("so?")]))["contents"]

    assert turns[0]["parts"][0]["functionResponse"]["response"] == {"output": {"a": 1}}
    assert turns[1] == {"role": "user", "parts": [{"inlineData": DATA}]}
    assert turns[2]["parts"] == [{"text": "so?"}]


def test_a_result_of_a_tool_without_a_name_is_refused() -> None:
    with pytest.raises(UnsupportedOption, match="result by the tool's name; that of 'c1'"):
        encoded(ChatMessage("tool", [ToolResultBlock("c1")]))


def test_a_count_is_asked_for_with_the_instruction_where_there_is_one() -> None:
    user, system = ChatMessage("user", [TextBlock("a")]), ChatMessage("system", [TextBlock("b")])
    contents = [{"role": "user", "parts": [{"text": "a"}]}]
    whole = {"systemInstruction": {"parts": [{"text": "b"}]}, "contents": contents}

    assert encode_count([user], model="m", sender="us") == {"contents": contents}
    assert encode_count([system, user], model="m", sender="us") == {
        "generateContentRequest": {"model": "models/m", **whole}
    }
