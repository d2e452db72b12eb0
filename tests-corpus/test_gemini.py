"""Recorded Gemini answers, through the codec and through the client.

What an official SDK read otherwise, and why we do not:

    a stream cut short                an error; the SDK gives the part as if it were all
    a finish reason by its number     the reason's name, as without `enum-encoding=int`; it raises
    a list in the place of events     read; the SDK raises for its own request's framing
    a bad key, answered with 400      the credential's fault, as the error's details say
"""

import json
from typing import Any

import pytest
from replay import (
    CHUNKINGS,
    AnyCost,
    Anything,
    Exchange,
    answer_in,
    blocks_of,
    decoded,
    found,
    over_http,
    wanted,
)

from agentkit.core.contracts.content import (
    ContentBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    UnknownBlock,
)
from agentkit.core.contracts.llm import CompletionEvent, ModelUsage
from agentkit.models.codecs.gemini import ResponseDecoder, decode_response, encode_request
from agentkit.models.providers import GeminiLLM


@pytest.mark.parametrize("chunking", CHUNKINGS)
def test_the_codec_reads_what_the_oracle_read(exchange: Exchange, chunking: str) -> None:
    for outcome in decoded(exchange, chunking, ResponseDecoder):
        assert found(outcome, _read) == wanted(_expected(exchange), _more)


def test_the_client_reads_what_the_oracle_read(exchange: Exchange) -> None:
    outcome = over_http(exchange, GeminiLLM)

    assert found(outcome, _read) == wanted(_expected(exchange), _more)


def test_an_answer_goes_back_as_it_came_signatures_and_all(exchange: Exchange) -> None:
    body, answer = exchange["response"]["body"], answer_in(exchange, decode_response)

    sent = encode_request([answer], model="gemini-2.5-flash", sender="us")

    assert sent["contents"][0]["parts"] == _parts_of(body)


def _parts_of(body: str) -> list[dict[str, Any]]:
    """Give the parts of the first candidate; text that goes on is one part, no text is none."""
    parts: list[dict[str, Any]] = []
    for frame in _frames_of(body):
        candidates = [c for c in frame.get("candidates", []) if not c.get("index")]
        found: list[dict[str, Any]] = (
            candidates[0].get("content", {}).get("parts", []) if candidates else []
        )
        for part in found:
            if parts and _is_speech(part) and _is_speech(parts[-1], like=part):
                parts[-1]["text"] += part["text"]
            elif part != {"text": ""}:
                parts.append(part)
    return parts or [{"text": ""}]


def _frames_of(body: str) -> list[dict[str, Any]]:
    if body.startswith("data:"):
        return [json.loads(line[5:]) for line in body.split("\n") if line.startswith("data:")]
    value: Any = json.loads(body)
    return [*value] if isinstance(value, list) else [value]


def _is_speech(part: dict[str, Any], like: dict[str, Any] | None = None) -> bool:
    is_plain = part.keys() <= {"text", "thought"}
    return is_plain and (like is None or part.get("thought") == like.get("thought"))


def _expected(exchange: Exchange) -> dict[str, Any]:
    """Give what the oracle read; a refused key is one, whatever its status."""
    expected: dict[str, Any] = exchange["expected"]
    is_auth = expected.get("semantic", {}).get("error_class") == "auth"
    return expected | {"error_class": "auth"} if is_auth else expected


def _read(last: CompletionEvent) -> dict[str, Any]:
    return {
        "call_signatures": [block.signature for block in blocks_of(last, ToolUseBlock)],
        "blocked": last.metadata.get("block_reason"),
        "finish_message": last.metadata.get("finish_message"),
        "signatures": _signatures(last.content),
        "part_kinds": _part_kinds(last.content),
    }


def _signatures(blocks: list[ContentBlock]) -> list[str]:
    found = [
        block.raw.get("thoughtSignature") if isinstance(block, UnknownBlock) else block.signature
        for block in blocks
        if isinstance(block, UnknownBlock | TextBlock | ThinkingBlock | ToolUseBlock)
    ]
    return [signature for signature in found if signature]


def _part_kinds(blocks: list[ContentBlock]) -> list[str]:
    """Give what an answer is made of, by the wire's names and without repetition."""
    named: dict[type, str] = {
        TextBlock: "text",
        ThinkingBlock: "text",
        ToolUseBlock: "functionCall",
    }
    kinds = {named[type(block)] for block in blocks if type(block) in named}
    raw = {name for block in blocks if isinstance(block, UnknownBlock) for name in block.raw}
    return sorted(kinds | (raw & _TOOL_PARTS))


_TOOL_PARTS = {"executableCode", "codeExecutionResult", "toolCall", "toolResponse"}


def _more(expected: dict[str, Any]) -> dict[str, Any]:
    reason = expected["finish_reason"]
    shown = expected["text"] or expected["reasoning"] or expected.get("thought_signatures")
    kinds = expected.get("part_kinds", [])
    return {
        "tool_calls": [_wanted_call(call) for call in expected["tool_calls"]],
        "call_signatures": [call.get("thought_signature") for call in expected["tool_calls"]],
        "finish_reason": _REASONS.get(reason, reason),
        "blocked": expected.get("prompt_feedback", {}).get("blockReason"),
        "finish_message": expected.get("finish_message"),
        "signatures": expected.get("thought_signatures", []),
        "part_kinds": kinds if shown else [kind for kind in kinds if kind != "text"],
        "usage": AnyCost(_wanted_usage(expected["usage"])),
    }


_REASONS = {1: "STOP", 2: "MAX_TOKENS", 3: "SAFETY", 4: "RECITATION", 5: "OTHER"}


def _wanted_call(call: dict[str, Any]) -> tuple[object, str, dict[str, Any]]:
    return call["id"] or Anything(), call["name"], call["arguments"] or {}


# ModelUsage from the raw fields: what tools put into the prompt is beside the prompt, what was
# thought is beside the candidates, and a count of zero is left out.
_FIELDS = {
    "input_tokens": ["promptTokenCount", "toolUsePromptTokenCount"],
    "cached_tokens": ["cachedContentTokenCount"],
    "output_tokens": ["candidatesTokenCount", "thoughtsTokenCount"],
    "reasoning_tokens": ["thoughtsTokenCount"],
}


def _wanted_usage(raw: dict[str, Any] | None) -> ModelUsage:
    if raw is None:
        return ModelUsage()
    counts: dict[str, Any] = {
        name: sum(raw.get(path, 0) for path in paths) for name, paths in _FIELDS.items()
    }
    assert counts["input_tokens"] + counts["output_tokens"] == raw["totalTokenCount"]
    return ModelUsage(**counts, provenance="reported")
