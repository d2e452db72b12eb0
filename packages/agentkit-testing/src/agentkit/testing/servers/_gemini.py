"""Google's `generateContent`, as a scripted provider speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.types import ToolCall
from agentkit.core.testing import Turn
from agentkit.testing.servers._wires import (
    EVENTS,
    Answer,
    Asked,
    event,
    json_bytes,
    pieces,
    raw_arguments,
    refusal,
    usage_of,
    words_in,
)

__all__ = ["Gemini"]

_ENDS = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}
_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


class Gemini:
    """The generateContent API; *model* is what answers call themselves.

    Arguments are JSON on this wire: what is none becomes a string.
    """

    def __init__(self, *, model: str = "scripted") -> None:
        self._model = model

    def answer(self, turn: Turn, asked: Asked) -> Answer:
        """Give *turn* as chunks of which the last has a reason, or as one body."""
        if "stream" not in asked.path:
            whole = self._body(turn, list(_parts(turn)), ends=True)
            return Answer(frames=[json_bytes(whole)])
        cut = list(_pieces(turn))
        bodies = [self._body(turn, [part], ends=False) for part in cut]
        frames = [event(each) for each in [*bodies, self._body(turn, [], ends=True)]]
        return Answer(frames=frames, headers=EVENTS)

    def failure(self, error: ProviderError, asked: Asked, *, after: str) -> Answer:
        """Give the error body, or the error in a chunk behind some text."""
        status = error.status or 500
        told: dict[str, Any] = {
            "code": status,
            "message": str(error),
            "status": error.error_type or _STATUSES.get(status, "UNKNOWN"),
        }
        if error.retry_after is not None:
            kind = "type.googleapis.com/google.rpc.RetryInfo"
            told["details"] = [{"@type": kind, "retryDelay": f"{error.retry_after:g}s"}]
        if not after or "stream" not in asked.path:
            return refusal({"error": told}, error)
        said = [self._body(Turn(), [{"text": piece}], ends=False) for piece in pieces(after)]
        return Answer(frames=[event(each) for each in [*said, {"error": told}]], headers=EVENTS)

    def aside(self, asked: Asked) -> Answer | None:
        """Count tokens where that is asked."""
        if not asked.path.endswith(":countTokens"):
            return None
        return Answer(frames=[json_bytes({"totalTokens": words_in(asked)})])

    def _body(self, turn: Turn, parts: list[dict[str, Any]], *, ends: bool) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
        if ends:
            finish = turn.finish_reason or "stop"
            candidate["finishReason"] = _ENDS.get(finish, finish)
        usage = usage_of(turn)
        prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        return {
            "candidates": [candidate],
            "usageMetadata": {
                "promptTokenCount": prompt,
                "cachedContentTokenCount": usage.cache_read_tokens,
                "candidatesTokenCount": usage.output_tokens,
                "totalTokenCount": prompt + usage.output_tokens,
            },
            "modelVersion": self._model,
            "responseId": "r1",
        }


def _parts(turn: Turn) -> Iterator[dict[str, Any]]:
    if turn.reasoning:
        yield {"text": turn.reasoning, "thought": True}
    if turn.content:
        yield {"text": turn.content}
    for call in turn.tool_calls:
        yield {"functionCall": {"id": call.id, "name": call.name, "args": _arguments(call)}}


def _pieces(turn: Turn) -> Iterator[dict[str, Any]]:
    for part in _parts(turn):
        for piece in pieces(part["text"]) if "text" in part else [""]:
            yield {**part, "text": piece} if "text" in part else part


def _arguments(call: ToolCall) -> Any:
    try:
        return json.loads(raw_arguments(call))
    except ValueError:
        return call.raw_arguments
