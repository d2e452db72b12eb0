"""A scripted provider answers what it is told to, in its wire format, and fails as it is told."""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from agentkit.core.contracts.types import RAW_ARGUMENTS, ToolCall, Usage
from agentkit.core.testing import Turn
from agentkit.testing import Cut, failing
from agentkit.testing.servers import (
    AnthropicMessages,
    Gemini,
    OllamaChat,
    ScriptedProvider,
    WireDialect,
)

CALLS = (ToolCall("c1", "look", {"q": "é"}), ToolCall("c2", "look", {RAW_ARGUMENTS: "{"}))


@pytest.fixture
def provider() -> Iterator[ScriptedProvider]:
    with ScriptedProvider() as started:
        yield started


def connect(provider: ScriptedProvider) -> closing[http.client.HTTPConnection]:
    return closing(http.client.HTTPConnection(provider.url.removeprefix("http://"), timeout=10))


def ask(
    provider: ScriptedProvider, *, stream: bool = False, path: str = "/v1/chat"
) -> tuple[http.client.HTTPResponse, str]:
    with connect(provider) as connection:
        connection.request("POST", path, json.dumps({"stream": stream}))
        response = connection.getresponse()
        return response, response.read().decode()


def chunks(text: str) -> list[Any]:
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]


def test_it_answers_one_turn_after_the_other_and_repeats_the_last(
    provider: ScriptedProvider,
) -> None:
    provider.play([Turn("one"), Turn("two")])

    answers = [json.loads(ask(provider)[1])["choices"][0]["message"] for _ in range(3)]
    assert [answer["content"] for answer in answers] == ["one", "two", "two"]


def test_it_keeps_what_it_was_asked(provider: ScriptedProvider) -> None:
    ask(provider, stream=True)

    [asked] = provider.requests
    assert (asked.path, asked.body) == ("/v1/chat", {"stream": True})


def test_a_stream_brings_text_in_pieces_and_ends_with_its_mark(provider: ScriptedProvider) -> None:
    provider.play([Turn("hello world", reasoning="hm", usage=Usage(3, 4, 0.0, 2, 1))])

    response, text = ask(provider, stream=True)
    deltas = [choice["delta"] for chunk in chunks(text) for choice in chunk["choices"]]
    assert "".join(delta.get("content", "") for delta in deltas) == "hello world"
    assert chunks(text)[-1]["usage"]["prompt_tokens"] == 6
    assert text.endswith("data: [DONE]\n\n")
    assert response.headers["content-type"] == "text/event-stream"


def test_arguments_of_parallel_calls_are_interleaved(provider: ScriptedProvider) -> None:
    provider.play([Turn(tool_calls=CALLS)])

    deltas = [
        c["delta"] for chunk in chunks(ask(provider, stream=True)[1]) for c in chunk["choices"]
    ]
    parts = [part for delta in deltas for part in delta.get("tool_calls", ())]
    assert [part["index"] for part in parts][:4] == [0, 1, 0, 1]
    for index, wanted in enumerate(['{"q": "é"}', "{"]):
        given = (p["function"]["arguments"] for p in parts if p["index"] == index)
        assert "".join(given) == wanted


def test_a_failure_has_its_status_and_when_to_come_back(provider: ScriptedProvider) -> None:
    provider.play([failing(429, message="slow down", code="limit", retry_after=7)])

    response, text = ask(provider)
    assert (response.status, response.headers["retry-after"]) == (429, "7")
    assert json.loads(text)["error"] == {
        "message": "slow down", "type": "rate_limit_error", "code": "limit",
    }  # fmt: skip


def test_a_failure_after_output_is_a_frame_of_the_stream(provider: ScriptedProvider) -> None:
    provider.play([failing(503, after="so far")])

    response, text = ask(provider, stream=True)
    assert response.status == 200
    assert "error" in chunks(text)[-1]


def test_a_cut_ends_the_connection_at_its_byte(provider: ScriptedProvider) -> None:
    provider.play([Cut(turn=Turn("hello world"), after=40)])

    with pytest.raises(http.client.IncompleteRead) as raised:
        ask(provider, stream=True)
    assert len(raised.value.partial) == 40


def test_a_cut_may_end_in_order(provider: ScriptedProvider) -> None:
    provider.play([Cut(turn=Turn("hello world"), after=40, then="close")])

    assert len(ask(provider, stream=True)[1]) == 40


def test_a_hanging_answer_is_over_when_its_reader_leaves(provider: ScriptedProvider) -> None:
    provider.play([Cut(turn=Turn("hello world"), after=40, then="hang")])

    with connect(provider) as connection:
        connection.request("POST", "/", "{}")
        connection.getresponse().read(1)
        assert provider.unfinished(patience=0) == 1
    assert provider.unfinished() == 0


def test_broken_off_it_is_not_there_and_restored_it_is(provider: ScriptedProvider) -> None:
    provider.break_off()
    with pytest.raises(OSError, match="refused"):
        ask(provider)
    provider.restore()

    assert ask(provider)[0].status == 200


def test_a_script_has_an_answer(provider: ScriptedProvider) -> None:
    with pytest.raises(ValueError, match="at least one answer"):
        provider.play([])


@pytest.mark.parametrize(
    ("dialect", "path", "end"),
    [
        (AnthropicMessages(), "/v1/messages", "message_stop"),
        (Gemini(), "/v1beta/models/m:streamGenerateContent?alt=sse", "finishReason"),
        (OllamaChat(), "/api/chat", '"done": true'),
    ],
    ids=["anthropic", "gemini", "ollama"],
)
def test_other_wire_formats_have_their_own_end(dialect: WireDialect, path: str, end: str) -> None:
    with ScriptedProvider(dialect) as provider:
        provider.play([Turn("hello world", reasoning="hm", tool_calls=CALLS)])

        text = ask(provider, stream=True, path=path)[1]
    assert end in text[-400:]


@pytest.mark.parametrize(
    ("dialect", "path"),
    [(AnthropicMessages(), "/v1/messages/count_tokens"), (Gemini(), "/v1beta/m:countTokens")],
    ids=["anthropic", "gemini"],
)
def test_counting_tokens_is_no_model_call(dialect: WireDialect, path: str) -> None:
    with ScriptedProvider(dialect) as provider:
        answer = json.loads(ask(provider, path=path)[1])

    assert next(iter(answer.values())) > 0
    assert provider.requests == ()
