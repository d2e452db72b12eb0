"""Recorded answers of Ollama's chat API, through the codec and through the client.

What an official SDK read otherwise, and why we do not:

    ids of tool calls       kept; the SDK drops them
    a stream cut short      an error; the SDK gives the part as if it were all
"""

import asyncio
import json
from typing import Any

import pytest
from replay import (
    CHUNKINGS,
    NOW,
    AnyCost,
    Anything,
    Exchange,
    Outcome,
    chunkings,
    decoded,
    error_facts,
    over_http,
    wanted_error,
)

from agentkit.core.contracts.content import (
    ChatMessage,
    ContentBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.llm import (
    CompletionEvent,
    LLMStreamEvent,
    ModelUsage,
    ReasoningDelta,
    TextDelta,
)
from agentkit.models.codecs.ollama_chat import ResponseDecoder, decode_response, encode_request
from agentkit.models.providers import OllamaLLM


@pytest.mark.parametrize("chunking", CHUNKINGS)
def test_the_codec_reads_what_the_oracle_read(exchange: Exchange, chunking: str) -> None:
    for chunks in chunkings(exchange["response"]["body"].encode(), chunking):
        decoder = ResponseDecoder(provider="them", now=NOW)
        _check(exchange["expected"], decoded(exchange, chunks, decoder))


def test_the_client_reads_what_the_oracle_read(exchange: Exchange) -> None:
    def client(url: str) -> OllamaLLM:
        return OllamaLLM(base_url=url, default_model="m", streaming=exchange["stream"])

    _check(exchange["expected"], asyncio.run(over_http(exchange, client)))


def test_an_answer_goes_back_as_it_came(exchange: Exchange) -> None:
    if exchange["expected"]["kind"] != "success":
        pytest.skip("there is no answer")
    body = exchange["response"]["body"]
    answer = ChatMessage("assistant", decode_response(body.encode(), provider="us").content)

    [sent] = encode_request([answer], model="m", sender="us")["messages"]

    assert _without_made_up_ids(sent, body) == _put_together(body)


def _put_together(body: str) -> dict[str, Any]:
    """Give the message as one body has it, with a number for each call."""
    whole: dict[str, Any] = {"role": "assistant", "content": ""}
    for line in filter(None, body.split("\n")):
        for name, value in json.loads(line)["message"].items():
            if name == "tool_calls":
                whole.setdefault(name, []).extend(value)
            elif name != "role" and (value or name == "content"):
                whole[name] = whole.get(name, "") + value
    for index, call in enumerate(whole.get("tool_calls", [])):
        call["function"]["index"] = index
    return whole


def _without_made_up_ids(sent: dict[str, Any], body: str) -> dict[str, Any]:
    for call in sent.get("tool_calls", []):
        if call["id"] not in body:
            del call["id"]
    return sent


def _check(expected: dict[str, Any], outcome: Outcome) -> None:
    if expected["kind"] == "success":
        assert isinstance(outcome, list), outcome
        assert _read(outcome) == _wanted(expected)
        return
    assert isinstance(outcome, ProviderError), outcome
    assert error_facts(outcome) == wanted_error(expected)
    assert expected["message"] in str(outcome) or expected.get("truncated")


def _read(events: list[LLMStreamEvent]) -> dict[str, Any]:
    """Give what the events say, once it is sure that the deltas and the completion agree."""
    *deltas, last = events
    assert isinstance(last, CompletionEvent)
    text, reasoning = _text(last.content, TextBlock), _text(last.content, ThinkingBlock)
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == text
    assert "".join(d.text for d in deltas if isinstance(d, ReasoningDelta)) == reasoning
    return {
        "text": text,
        "reasoning": reasoning,
        "tool_calls": [_call(block) for block in last.content if isinstance(block, ToolUseBlock)],
        "finish_reason": last.finish_reason,
        "stop_kind": last.stop_kind,
        "usage": last.usage,
    }


def _text(blocks: list[ContentBlock], kind: type[TextBlock | ThinkingBlock]) -> str:
    return "".join(block.text for block in blocks if isinstance(block, kind))


def _call(block: ToolUseBlock) -> tuple[str, str, dict[str, Any]]:
    assert block.call_id
    return block.call_id, block.tool_name, dict(block.arguments)


def _wanted(expected: dict[str, Any]) -> dict[str, Any]:
    calls, reason = expected["tool_calls"], expected["finish_reason"]
    return {
        "text": expected["text"],
        "reasoning": expected["reasoning"] or "",
        "tool_calls": [_wanted_call(call) for call in calls],
        "finish_reason": reason,
        "stop_kind": "tool_use" if calls and reason == "stop" else reason,
        "usage": AnyCost(_wanted_usage(expected["usage"])),
    }


def _wanted_call(call: dict[str, Any]) -> tuple[object, str, dict[str, Any]]:
    return call["id"] or Anything(), call["name"], call["arguments"]


# ModelUsage from the raw fields: two counts, and of a cached prompt the first is left out.
def _wanted_usage(raw: dict[str, Any]) -> ModelUsage:
    return ModelUsage(
        input_tokens=raw.get("prompt_eval_count", 0),
        output_tokens=raw.get("eval_count", 0),
        provenance="reported",
    )
