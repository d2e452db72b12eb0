"""Recorded answers of the messages API, through the codec and through the client.

What an official SDK read otherwise, and why we do not:

    input cut off at `max_tokens`     kept as text, never run; the SDK gives the half that parses
    an error as the first event       an error as any other; the SDK's has the status 200
    a stream cut short                an error; the SDK gives the part as if it were all
    `[DONE]` at the end               read over; the SDK raises JSONDecodeError
"""

import json
from decimal import Decimal
from typing import Any

import pytest
from replay import (
    CHUNKINGS,
    AnyCost,
    Exchange,
    answer_in,
    blocks_of,
    decoded,
    found,
    over_http,
    wanted,
)

from agentkit.core.contracts.content import ContentBlock, ThinkingBlock, UnknownBlock
from agentkit.core.contracts.llm import CompletionEvent, ModelUsage
from agentkit.core.contracts.types import RAW_ARGUMENTS
from agentkit.models.codecs.anthropic_messages import (
    ResponseDecoder,
    decode_response,
    encode_request,
)
from agentkit.models.providers import AnthropicLLM


@pytest.mark.parametrize("chunking", CHUNKINGS)
def test_the_codec_reads_what_the_oracle_read(exchange: Exchange, chunking: str) -> None:
    for outcome in decoded(exchange, chunking, ResponseDecoder):
        assert found(outcome, _read) == wanted(exchange["expected"], _more)


def test_the_client_reads_what_the_oracle_read(exchange: Exchange) -> None:
    outcome = over_http(exchange, AnthropicLLM)

    assert found(outcome, _read) == wanted(exchange["expected"], _more)


def test_an_answer_goes_back_as_it_came_signatures_and_all(exchange: Exchange) -> None:
    body, answer = exchange["response"]["body"], answer_in(exchange, decode_response)

    turns = encode_request([answer], model="m", sender="us")["messages"]

    assert [part for turn in turns for part in turn["content"]] == _parts_of(body)


def _parts_of(body: str) -> list[dict[str, Any]]:
    """Give the content as one body has it; empty text, which cannot be sent, is none."""
    parts = json.loads(body)["content"] if body.startswith("{") else _put_together(body)
    return [_without_empty_lists(part) for part in parts if part.get("text") != ""]


def _put_together(body: str) -> list[dict[str, Any]]:
    parts: dict[int, dict[str, Any]] = {}
    for line in body.splitlines():
        frame: dict[str, Any] = json.loads(line[5:]) if line.startswith("data: {") else {}
        if frame.get("type") == "content_block_start":
            parts[frame["index"]] = frame["content_block"]
        elif frame.get("type") == "content_block_delta":
            _put(parts[frame["index"]], frame["delta"])
    for part in parts.values():
        text = part.pop("partial_json", "")
        part.update({"input": _input(text)} if text else {})
    return list(parts.values())


def _put(part: dict[str, Any], delta: dict[str, Any]) -> None:
    for name, value in delta.items():
        if name == "citation":
            part["citations"] = [*part.get("citations", []), value]
        elif name != "type":
            part[name] = part.get(name, "") + value


def _input(text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except ValueError:
        return {RAW_ARGUMENTS: text}


def _without_empty_lists(part: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name != "citations" or value}


def _read(last: CompletionEvent) -> dict[str, Any]:
    return {
        "reasoning_blocks": [_thought(block) for block in blocks_of(last, ThinkingBlock)],
        "server_tool_calls": _server_calls(blocks_of(last, UnknownBlock)),
        "block_types": [kind for kind in map(_type, last.content) if kind != "text"],
        "stop_kind": last.stop_kind,
        "stop_sequence": last.metadata.get("stop_sequence"),
        "stop_details": json.loads(last.metadata.get("stop_details", "null")),
        "response_id": last.metadata.get("response_id"),
    }


def _thought(block: ThinkingBlock) -> dict[str, Any]:
    assert block.provider
    if block.redacted:
        return {"type": "redacted_thinking", "data": block.signature}
    return {"type": "thinking", "thinking": block.text, "signature": block.signature}


def _server_calls(blocks: list[UnknownBlock]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (block.raw["id"], block.raw["name"], dict(block.raw["input"]))
        for block in blocks
        if block.raw["type"].endswith("tool_use")
    ]


def _type(block: ContentBlock) -> str:
    if isinstance(block, UnknownBlock):
        assert block.provider
        return str(block.raw["type"])
    if isinstance(block, ThinkingBlock):
        return "redacted_thinking" if block.redacted else "thinking"
    return block.type


def _more(expected: dict[str, Any]) -> dict[str, Any]:
    return {
        "reasoning_blocks": expected.get("reasoning_blocks", []),
        "tool_calls": [_wanted_call(call) for call in expected["tool_calls"]],
        "server_tool_calls": [_wanted_call(c) for c in expected.get("server_tool_calls", [])],
        "block_types": [kind for kind in expected["block_types"] if kind != "text"],
        "stop_kind": _STOP_KINDS[expected["finish_reason"]],
        "stop_sequence": expected.get("stop_sequence"),
        "stop_details": expected.get("stop_details"),
        "response_id": expected["response_id"],
        "usage": AnyCost(_wanted_usage(expected["usage"])),
    }


_STOP_KINDS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_use",
    "refusal": "refusal",
}


def _wanted_call(call: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    arguments = call["arguments"]
    if arguments is None:
        arguments = {RAW_ARGUMENTS: call["arguments_raw"]}
    return call["id"], call["name"], arguments


# ModelUsage from the raw fields. The API counts what it read from a cache and what it wrote there
# beside `input_tokens`, we count them in. Its split of what was written may be older than the sum:
# what is missing from it lives for five minutes.
def _wanted_usage(raw: dict[str, Any]) -> ModelUsage:
    read = raw.get("cache_read_input_tokens") or 0
    written = raw.get("cache_creation_input_tokens") or 0
    split: dict[str, int] = raw.get("cache_creation") or {}
    details: dict[str, int] = raw.get("output_tokens_details") or {}
    hours = split.get("ephemeral_1h_input_tokens", 0)
    cost = raw.get("cost")
    return ModelUsage(
        input_tokens=raw["input_tokens"] + read + written,
        cached_tokens=read,
        cache_write_5m_tokens=written - hours,
        cache_write_1h_tokens=hours,
        output_tokens=raw["output_tokens"],
        reasoning_tokens=details.get("thinking_tokens", 0),
        cost=None if cost is None else Decimal(str(cost)),
        provenance="reported",
    )
