"""Turns, answers and options in the two model contracts, word for word."""

from typing import Any

import pytest

from agentkit.core.contracts.content import (
    ChatMessage,
    ContentBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import CompletionEvent, GenerationOptions, ModelUsage
from agentkit.core.contracts.types import LLMResult, Message, ToolCall
from agentkit.core.execution._conversions import (
    cache_advice,
    chat_message,
    completion_of,
    messages_of,
    refuse_unportable,
    terminal_delta,
)

CALL = ToolCall("c", "f", {"a": 1})


@pytest.mark.parametrize(
    ("word", "calls", "kind"),
    [
        ("stop", (), "stop"),
        ("end_turn", (), "stop"),
        ("length", (), "length"),
        ("max_tokens", (), "length"),
        ("content_filter", (), "content_filter"),
        ("refusal", (), "refusal"),
        ("tired", (), "other"),
        ("", (), None),
        (None, (), None),
        ("stop", (CALL,), "tool_use"),
        (None, (CALL,), "tool_use"),
        ("length", (CALL,), "length"),
        ("max_tokens", (CALL,), "length"),
        ("content_filter", (CALL,), "content_filter"),
        ("MAX_TOKENS", (CALL,), "length"),
        ("SAFETY", (CALL,), "content_filter"),
        ("MALFORMED_FUNCTION_CALL", (CALL,), "other"),
        ("tool_calls", (CALL,), "tool_use"),
        ("tool_calls", (), "other"),
    ],
)
def test_why_a_model_stopped_is_read_from_its_word_and_calls(
    word: str | None, calls: tuple[ToolCall, ...], kind: str | None
) -> None:
    result = LLMResult("hi", finish_reason=word, tool_calls=calls)

    assert completion_of(result, counted=False).stop_kind == kind


@pytest.mark.parametrize(
    ("hint", "advice"), [("5m", "5m"), ("1h", "1h"), ("9h", "5m"), ({"a": 1}, "5m"), (None, None)]
)
def test_advice_on_caching_is_a_lifetime(hint: Any, advice: str | None) -> None:
    assert cache_advice(hint) == advice


def test_a_tools_turn_without_names_is_a_nameless_result() -> None:
    assert chat_message(Message("tool", "4")) == ChatMessage(
        "tool", [ToolResultBlock("", "", [TextBlock("4")])]
    )


def test_results_beside_words_are_turns_of_their_own() -> None:
    result = ToolResultBlock("c", "f", [TextBlock("4")])
    turns = messages_of(ChatMessage("user", [result, TextBlock("and now?")]))

    assert [(turn.role, turn.content) for turn in turns] == [("tool", "4"), ("user", "and now?")]


def test_a_turn_without_results_is_one_turn_even_when_it_is_empty() -> None:
    assert messages_of(ChatMessage("user", [])) == [Message("user")]


def test_a_call_names_its_block_as_the_message_does() -> None:
    block = ToolUseBlock("c", "old", {"a": 0}, signature="s")
    message = Message("assistant", tool_calls=(CALL,), blocks=(block, ThinkingBlock("hm")))

    assert chat_message(message).content == [
        ToolUseBlock("c", "f", {"a": 1}, signature="s"),
        ThinkingBlock("hm"),
    ]


def test_a_block_of_a_call_that_the_message_has_not_stays_as_it_is() -> None:
    block = ToolUseBlock("other", "g")

    assert chat_message(Message("assistant", tool_calls=(CALL,), blocks=(block,))).content == [
        block,
        ToolUseBlock("c", "f", {"a": 1}),
    ]


def test_an_option_that_no_port_has_is_named_in_the_error() -> None:
    with pytest.raises(UnsupportedOption, match="an LLMPort has no seed; got 0") as caught:
        refuse_unportable(GenerationOptions(seed=0))

    assert caught.value.option == "seed"


@pytest.mark.parametrize(
    ("streamed", "text", "reasoning"), [(False, "ab", "hmso"), (True, "", "")], ids=["none", "all"]
)
def test_the_last_delta_says_what_was_not_streamed(
    streamed: bool,  # noqa: FBT001
    text: str,
    reasoning: str,
) -> None:
    content: list[ContentBlock] = [
        ThinkingBlock("hm"),
        TextBlock("a"),
        ThinkingBlock("so"),
        TextBlock("b"),
    ]
    event = CompletionEvent(content, ModelUsage(1))
    delta = terminal_delta(event, model="m", text=streamed, reasoning=streamed)

    assert (delta.text, delta.reasoning, delta.blocks) == (text, reasoning, tuple(content))


def test_calls_that_share_an_id_all_stay() -> None:
    twins = (ToolCall("", "a"), ToolCall("", "b"))
    told = chat_message(Message("assistant", tool_calls=twins))

    assert [block.tool_name for block in told.content if isinstance(block, ToolUseBlock)] == [
        "a",
        "b",
    ]
