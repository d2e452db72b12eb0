"""What the fuzzing begins with: small answers of each API, and the words that matter in them."""

import json
from typing import Any


def _events(*frames: dict[str, Any] | str, named: bool = False) -> bytes:
    lines: list[str] = []
    for frame in frames:
        if named and isinstance(frame, dict):
            lines.append(f"event: {frame['type']}\n")
        lines.append(f"data: {frame if isinstance(frame, str) else json.dumps(frame)}\n\n")
    return "".join(lines).encode()


def _chunk(delta: dict[str, Any], reason: str | None = None, index: int = 0) -> dict[str, Any]:
    choice = {"index": index, "delta": delta, "finish_reason": reason}
    return {"id": "r1", "model": "m", "choices": [choice]}


_CALL = {"index": 0, "id": "c1", "function": {"name": "f", "arguments": '{"a": 1}'}}
_USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "cost": 0.1}
_ERROR = {"error": {"message": "busy", "type": "overloaded_error", "code": "429"}}

_CHAT = [
    _events(
        _chunk({"role": "assistant", "content": "a"}),
        _chunk({"content": "b"}),
        _chunk({"content": "\\u2028\ud83d\ude00"}),
        _chunk({}, "stop"),
        {"choices": [], "usage": _USAGE},
        "[DONE]",
    ),
    _events(_chunk({"reasoning_content": "t"}), _chunk({"tool_calls": [_CALL]}, "tool_calls")),
    _events(_chunk({"content": "a"}), _ERROR),
    json.dumps(
        {
            "choices": [{"message": {"content": "a", "tool_calls": [_CALL]}, "finish_reason": "x"}],
            "usage": _USAGE,
        }
    ).encode(),
    b": ping\r\n\r\ndata:{}\r\rdata\nevent: error\ndata: x\n\nnonsense\n",
]

_BLOCKS: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "text", "text": ""},
    {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
]
_DELTAS: list[dict[str, Any]] = [
    {"type": "thinking_delta", "thinking": "t"},
    {"type": "text_delta", "text": "a"},
    {"type": "input_json_delta", "partial_json": '{"a": 1}'},
]
_MESSAGES = [
    _events(
        {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 3}}},
        *[
            frame
            for n, (block, delta) in enumerate(zip(_BLOCKS, _DELTAS, strict=True))
            for frame in (
                {"type": "content_block_start", "index": n, "content_block": block},
                {"type": "content_block_delta", "index": n, "delta": delta},
                {"type": "content_block_delta", "index": n, "delta": delta},
                {"type": "content_block_stop", "index": n},
            )
        ],
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
        {"type": "message_stop"},
        named=True,
    ),
    _events({"type": "error", **_ERROR}, named=True),
    json.dumps({"content": _BLOCKS, "stop_reason": "end_turn", "usage": {}}).encode(),
]

_PARTS: list[dict[str, Any]] = [
    {"text": "t", "thought": True},
    {"text": "a", "thoughtSignature": "c2ln"},
    {"functionCall": {"name": "f", "args": {"a": 1}}},
    {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
]
_CANDIDATES: list[dict[str, Any]] = [
    {"candidates": [{"content": {"parts": [part], "role": "model"}}]} for part in _PARTS
]
_LAST: dict[str, Any] = {
    "candidates": [{"finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2},
}
_GEMINI = [
    _events(*_CANDIDATES, _LAST),
    json.dumps([*_CANDIDATES, _LAST], indent=1).encode(),
    json.dumps({**_CANDIDATES[0], "promptFeedback": {"blockReason": "SAFETY"}}).encode(),
    json.dumps([{"error": {"code": 503, "status": "UNAVAILABLE", "details": [{}]}}]).encode(),
]

_LINES: list[dict[str, Any]] = [
    {"model": "m", "message": {"thinking": "t"}, "done": False},
    {"message": {"content": "a", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}},
    {"done": True, "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 2},
]
_OLLAMA = [
    b"".join(json.dumps(line).encode() + b"\n" for line in _LINES),
    b'{"error": "no such model"}\r\n',
    json.dumps({**_LINES[1], **_LINES[2]}, indent=1).encode(),
]

_VECTORS = [
    b'{"data": [{"index": 1, "embedding": [1, 2.5]}, {"index": 0, "embedding": "AACAPw=="}]}',
    b'{"embeddings": [{"values": [1]}, {"values": [2]}], "meta": {"billed_units": {}}}',
    b'{"embeddings": {"float": [[1], [2]]}, "usage": {"prompt_tokens": 3}}',
]
_RETRY = {"@type": "google.rpc.RetryInfo", "retryDelay": "3s"}
_RESET = {"metadata": {"headers": {"X-RateLimit-Reset": "9"}}}
_ERRORS = [
    *[
        json.dumps(body).encode()
        for body in (
            _ERROR,
            [{"error": {"code": 429, "details": [_RETRY]}}],
            {"detail": [{"msg": "no"}], "request_id": "r"},
            {"errors": [{"message": "x"}], "error": _RESET},
        )
    ],
    b"<html>busy</html>",
]

SAMPLES = {
    "sse": _CHAT + _MESSAGES,
    "ndjson": _OLLAMA,
    "chat_completions": _CHAT,
    "anthropic_messages": _MESSAGES,
    "gemini": _GEMINI,
    "ollama_chat": _OLLAMA,
    "errors": _ERRORS,
    "embeddings": _VECTORS,
}
"""Answers to begin with, by parser."""

_MARKS = [
    "\n\n",
    "\r\n",
    "data: ",
    "event: error",
    "[DONE]",
    "null",
    "-1",
    "1e999",
    "\\ud83d",
    "{}",
]
_NAMES = (
    "refusal reasoning reasoning_details images function_call extra_content message detail "
    "error_code status arguments partialArgs"
)
TOKENS = sorted({*_MARKS, *_NAMES.split()})
"""Words that a random change seldom hits on."""
