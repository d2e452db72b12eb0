"""Options as the messages API has them: honoured, or refused before anything is sent."""

from typing import Any

import pytest

from agentkit.core.contracts.content import ChatMessage, TextBlock
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import GenerationOptions
from agentkit.core.contracts.types import ToolSchema
from agentkit.models.codecs.anthropic_messages import Dialect, encode_request

TOOL = ToolSchema("f", "Does f.", {"type": "object", "properties": {"a": {"type": "string"}}})
WIRE_TOOL = {"name": "f", "description": "Does f.", "input_schema": TOOL.parameters}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
NATIVE = Dialect(has_json_schema=True, has_adaptive_thinking=True)


def option(dialect: Dialect = Dialect(), **options: Any) -> dict[str, Any]:  # noqa: B008
    body = encode_request(
        [ChatMessage("user", [TextBlock("hi")])],
        model="m",
        options=GenerationOptions(**options),
        dialect=dialect,
        stream=False,
    )
    return {key: value for key, value in body.items() if key not in {"model", "messages"}}


@pytest.mark.parametrize(
    ("options", "wire"),
    [
        ({"temperature": 0.0}, {"temperature": 0.0}),
        ({"max_tokens": 0}, {"max_tokens": 0}),
        ({"stop": []}, {"stop_sequences": []}),
        ({"stop": ["x"]}, {"stop_sequences": ["x"]}),
        ({"tools": []}, {"tools": []}),
        ({"tools": [TOOL]}, {"tools": [WIRE_TOOL]}),
        ({"system_instructions": "be kind"}, {"system": "be kind"}),
        ({"extra": {"top_k": 5}}, {"top_k": 5}),
        ({"tool_choice": "none"}, {}),
        ({"response_format": {"type": "text"}}, {}),
        ({"cache": "5m"}, {}),
    ],
    ids=str,
)
def test_an_option_that_is_set_is_sent(options: dict[str, Any], wire: dict[str, Any]) -> None:
    assert option(**options) == {"max_tokens": 4096, **wire}


def test_a_stream_is_asked_for_as_one() -> None:
    assert encode_request([], model="m")["stream"] is True


def test_a_tool_without_parameters_takes_an_empty_object() -> None:
    [tool] = option(tools=[ToolSchema("f", "Does f.", {})])["tools"]

    assert tool["input_schema"] == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("choice", "wire"),
    [
        ("auto", {"type": "auto"}),
        ("required", {"type": "any"}),
        ("none", {"type": "none"}),
        ("f", {"type": "tool", "name": "f"}),
        ({"type": "auto", "disable_parallel_tool_use": True},) * 2,
    ],
    ids=str,
)
def test_a_tool_choice_is_sent_in_the_words_of_the_api(choice: Any, wire: dict[str, Any]) -> None:
    assert option(tools=[TOOL], tool_choice=choice)["tool_choice"] == wire


@pytest.mark.parametrize("choice", ["required", "f", {"type": "any"}], ids=str)
def test_a_choice_among_no_tools_is_refused(choice: Any) -> None:
    with pytest.raises(UnsupportedOption, match="needs tools"):
        option(tool_choice=choice)


def test_a_choice_of_an_unknown_tool_is_refused() -> None:
    with pytest.raises(UnsupportedOption, match="'g' is none of the tools"):
        option(tools=[TOOL], tool_choice="g")


def test_tools_of_the_provider_join_the_others() -> None:
    search = {"type": "web_search_20250305", "name": "web_search"}

    sent = option(tools=[TOOL], tool_choice="web_search", extra={"tools": [search]})

    assert sent["tools"] == [WIRE_TOOL, search]
    assert sent["tool_choice"] == {"type": "tool", "name": "web_search"}


def test_a_seed_is_refused() -> None:
    with pytest.raises(UnsupportedOption, match="no seed; got 0"):
        option(seed=0)


@pytest.mark.parametrize("key", ["messages", "stream", "system"])
def test_extra_may_not_set_what_is_the_clients(key: str) -> None:
    with pytest.raises(ValueError, match=f"extra may not set {key}"):
        option(extra={key: 1})


@pytest.mark.parametrize(
    ("cache", "mark"),
    [
        ("5m", {"type": "ephemeral"}),
        ("yes", {"type": "ephemeral"}),
        ("1h", {"type": "ephemeral", "ttl": "1h"}),
    ],
)
def test_a_cache_hint_marks_the_system_text(cache: str, mark: dict[str, Any]) -> None:
    [block] = option(system_instructions="be kind", cache=cache)["system"]

    assert block == {"type": "text", "text": "be kind", "cache_control": mark}


def test_a_cache_hint_without_system_text_marks_the_last_tool() -> None:
    first, last = option(tools=[TOOL, TOOL], cache="1h")["tools"]

    assert first == WIRE_TOOL
    assert last == {**WIRE_TOOL, "cache_control": {"type": "ephemeral", "ttl": "1h"}}


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"type": "json_object"}, "Answer with one JSON object and nothing else."),
        (SCHEMA, 'It conforms to this JSON Schema:\n{"type": "object"}'),
    ],
    ids=["object", "schema"],
)
def test_a_structure_is_asked_for_in_words(wanted: dict[str, Any], words: str) -> None:
    system = option(system_instructions="be kind", response_format=wanted)["system"]

    assert system.startswith("be kind\n\nAnswer with one JSON object")
    assert system.endswith(words)


def test_a_schema_is_sent_where_there_is_a_mode_for_it() -> None:
    sent = option(NATIVE, response_format=SCHEMA, reasoning_effort="max")

    format_ = {"type": "json_schema", "schema": {"type": "object"}}
    assert sent["output_config"] == {"format": format_, "effort": "max"}
    assert "system" not in sent


@pytest.mark.parametrize(
    "wanted",
    [{"type": "xml"}, {}, {"type": "json_schema"}, {"type": "json_schema", "json_schema": {}}],
    ids=str,
)
def test_a_structure_of_no_known_form_is_refused(wanted: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="response_format"):
        option(response_format=wanted)


@pytest.mark.parametrize(
    ("options", "budget", "ceiling"),
    [
        ({"reasoning_effort": "minimal"}, 1024, 5120),
        ({"reasoning_effort": "high"}, 24576, 28672),
        ({"reasoning_effort": "high", "max_tokens": 10_000}, 8000, 10_000),
        ({"reasoning_effort": "low", "max_tokens": 1025}, 1024, 1025),
        ({"reasoning_effort": "low", "max_tokens": 64_000}, 2048, 64_000),
    ],
)
def test_an_effort_is_a_budget_that_the_ceiling_leaves_room_for(
    options: dict[str, Any], budget: int, ceiling: int
) -> None:
    sent = option(**options)

    assert sent["thinking"] == {"type": "enabled", "budget_tokens": budget}
    assert sent["max_tokens"] == ceiling


def test_a_budget_of_the_callers_own_has_room_too() -> None:
    thinking = {"type": "enabled", "budget_tokens": 5000}

    assert option(extra={"thinking": thinking})["max_tokens"] == 9096


def test_no_effort_turns_thinking_off() -> None:
    assert option(reasoning_effort="none", temperature=0.5)["thinking"] == {"type": "disabled"}


def test_an_effort_is_sent_as_it_is_where_the_model_takes_it() -> None:
    sent = option(NATIVE, reasoning_effort="high")

    assert sent["thinking"] == {"type": "adaptive"}
    assert (sent["output_config"], sent["max_tokens"]) == ({"effort": "high"}, 4096)


@pytest.mark.parametrize(
    ("dialect", "options", "why"),
    [
        (Dialect(), {"reasoning_effort": "huge"}, "'huge' is none of minimal"),
        (NATIVE, {"reasoning_effort": "minimal"}, "'minimal' is none of high"),
        (Dialect(), {"reasoning_effort": "low", "max_tokens": 1024}, "leaves no room"),
        (Dialect(), {"reasoning_effort": "low", "temperature": 0}, "no temperature but 1"),
        (
            NATIVE,
            {"reasoning_effort": "low", "tools": [TOOL], "tool_choice": "f"},
            "no forced tool; got tool_choice 'f'",
        ),
    ],
    ids=["word", "adaptive word", "room", "temperature", "choice"],
)
def test_an_effort_that_cannot_be_honoured_is_refused(
    dialect: Dialect, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(UnsupportedOption, match=why) as caught:
        option(dialect, **options)

    assert caught.value.option == "reasoning_effort"


def test_thinking_goes_with_a_temperature_of_one_and_a_free_choice() -> None:
    sent = option(reasoning_effort="low", temperature=1, tools=[TOOL], tool_choice="auto")

    assert (sent["temperature"], sent["tool_choice"]) == (1, {"type": "auto"})
