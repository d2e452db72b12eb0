"""Ollama's `/api/chat`, as a scripted provider speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.types import ToolCall
from agentkit.core.testing import Turn
from agentkit.testing.servers._wires import (
    Answer,
    Asked,
    json_bytes,
    pieces,
    raw_arguments,
    refusal,
    usage_of,
)

__all__ = ["OllamaChat"]

_LINES = {"content-type": "application/x-ndjson"}


class OllamaChat:
    """Ollama's own chat API, a JSON object a line; *model* is what answers call themselves.

    It counts no cached tokens, and arguments are JSON: what is none becomes a string.
    """

    def __init__(self, *, model: str = "scripted") -> None:
        self._model = model

    def answer(self, turn: Turn, asked: Asked) -> Answer:
        """Give *turn* as lines of which the last is done, or as one body."""
        if not asked.body.get("stream", True):
            whole = {name: part[name] for part in _parts(turn) for name in part}
            return Answer(frames=[json_bytes(self._line(whole) | _end(turn))])
        lines = [self._line(part) for part in _pieces(turn)] + [self._line({}) | _end(turn)]
        return Answer(frames=[_ended(line) for line in lines], headers=_LINES)

    def failure(self, error: ProviderError, asked: Asked, *, after: str) -> Answer:
        """Give the error body, or the error in a line behind some text."""
        told = {"error": str(error)}
        if not after or not asked.body.get("stream", True):
            return refusal(told, error)
        said = [self._line({"content": piece}) for piece in pieces(after)]
        return Answer(frames=[_ended(each) for each in [*said, told]], headers=_LINES)

    def aside(self, asked: Asked) -> Answer | None:  # noqa: ARG002 - everything is a model call
        """Give None."""
        return None

    def _line(self, part: dict[str, Any]) -> dict[str, Any]:
        message = {"role": "assistant", "content": "", **part}
        head = {"model": self._model, "created_at": "2025-01-01T00:00:00Z"}
        return {**head, "message": message, "done": False}


def _end(turn: Turn) -> dict[str, Any]:
    usage = usage_of(turn)
    reason = turn.finish_reason or "stop"
    return {
        "done": True,
        "done_reason": "stop" if reason == "tool_calls" else reason,
        "prompt_eval_count": usage.input_tokens + usage.cache_read_tokens,
        "eval_count": usage.output_tokens,
    }


def _parts(turn: Turn) -> Iterator[dict[str, Any]]:
    if turn.reasoning:
        yield {"thinking": turn.reasoning}
    if turn.content:
        yield {"content": turn.content}
    if turn.tool_calls:
        yield {"tool_calls": [_call(call) for call in turn.tool_calls]}


def _pieces(turn: Turn) -> Iterator[dict[str, Any]]:
    for part in _parts(turn):
        for name, value in part.items():
            for piece in pieces(value) if isinstance(value, str) else [value]:
                yield {name: piece}


def _call(call: ToolCall) -> dict[str, Any]:
    try:
        arguments = json.loads(raw_arguments(call))
    except ValueError:
        arguments = call.raw_arguments
    return {"id": call.id, "function": {"name": call.name, "arguments": arguments}}


def _ended(line: dict[str, Any]) -> bytes:
    return json_bytes(line) + b"\n"
