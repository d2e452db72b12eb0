"""What breaks after an answer is whole costs nothing but what was still to be told of its usage."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.models.providers import AnthropicLLM, GeminiLLM, OllamaLLM, OpenAICompatibleLLM

Ask = Callable[..., Any]

USAGE = {"prompt_tokens": 3, "completion_tokens": 2}
CHAT: list[dict[str, Any]] = [
    {"choices": [{"index": 0, "delta": {"content": "hi"}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": USAGE},
]
GEMINI: list[dict[str, Any]] = [
    {"candidates": [{"content": {"parts": [{"text": "hi"}]}}]},
    {
        "candidates": [{"finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2},
    },
]
CUT_FRAME = b'data: {"choices": [], "usa'


def events(*frames: dict[str, Any]) -> bytes:
    return b"".join(b"data: %s\n\n" % json.dumps(frame).encode() for frame in frames)


BREAKS: dict[str, dict[str, Any]] = {
    "broken": {"then": "break"},
    "broken within a frame": {"then": "break", "more": CUT_FRAME},
    "silent": {"then": "silence", "timeout": 0.1},
}


@pytest.mark.parametrize("how", BREAKS.values(), ids=BREAKS)
@pytest.mark.parametrize(("of", "frames"), [(OpenAICompatibleLLM, CHAT), (GeminiLLM, GEMINI)])
def test_a_connection_that_breaks_after_the_last_finish_reason_is_no_error(
    ask: Ask, *, of: Any, frames: list[dict[str, Any]], how: dict[str, Any]
) -> None:
    how = dict(how)
    asked = ask(of=of, chunks=(events(*frames), *filter(None, [how.pop("more", b"")])), **how)

    assert asked.error is None
    assert [block.text for block in asked.value.content] == ["hi"]
    assert (asked.value.finish_reason or "").lower() == "stop"
    assert (asked.value.usage.input_tokens, asked.value.usage.output_tokens) == (3, 2)
    assert asked.value.usage.provenance == "partial"


@pytest.mark.parametrize(("of", "frames"), [(OpenAICompatibleLLM, CHAT), (GeminiLLM, GEMINI)])
def test_a_stream_that_ends_there_by_itself_has_told_all_its_usage(
    ask: Ask, of: Any, frames: list[dict[str, Any]]
) -> None:
    assert ask(of=of, chunks=(events(*frames),)).value.usage.provenance == "reported"


def test_a_usage_that_was_still_to_come_is_unknown(ask: Ask) -> None:
    last: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    asked = ask(chunks=(events(CHAT[0], last),), then="break")

    assert (asked.value.usage.provenance, asked.value.usage.cost) == ("unknown", None)


def test_a_choice_that_has_not_finished_makes_a_broken_connection_an_error(ask: Ask) -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "ho"}}]}
    asked = ask(chunks=(events(CHAT[0], other, CHAT[1]),), then="break")

    assert (asked.error.error_type, asked.error.partial.content) == ("incomplete_stream", "hi")


@pytest.mark.parametrize("of", [AnthropicLLM, OllamaLLM])
def test_where_a_mark_is_owed_a_broken_connection_is_an_error(ask: Ask, of: Any) -> None:
    frames: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "h"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
    ]
    line = b'{"message": {"content": "h"}, "done": false, "done_reason": "stop"}\n'
    asked = ask(of=of, chunks=(line if of is OllamaLLM else events(*frames),), then="break")

    assert (asked.error.error_type, asked.error.partial.content) == ("incomplete_stream", "h")


@pytest.mark.parametrize("then", ["end", "break", "silence"])
def test_what_comes_after_done_is_not_read(ask: Ask, then: str) -> None:
    error = events({"error": {"message": "late", "type": "server_error"}})
    asked = ask(chunks=(events(*CHAT) + b"data: [DONE]\n\n" + error,), then=then)

    assert (asked.error, asked.value.usage.provenance) == (None, "reported")


@pytest.mark.parametrize(("of", "frames"), [(OpenAICompatibleLLM, CHAT), (GeminiLLM, GEMINI)])
def test_an_error_that_the_provider_tells_after_a_finish_reason_is_an_error(
    ask: Ask, of: Any, frames: list[dict[str, Any]]
) -> None:
    error = events({"error": {"message": "late", "type": "server_error"}})
    asked = ask(of=of, chunks=(events(*frames) + error,))

    assert (asked.error.error_type, asked.error.partial.content) == ("server_error", "hi")
