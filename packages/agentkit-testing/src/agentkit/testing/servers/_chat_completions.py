"""The chat-completions API, as a scripted provider speaks it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.types import ToolCall, Usage
from agentkit.core.testing import Turn
from agentkit.testing.servers._wires import (
    EVENTS,
    Answer,
    Asked,
    error_type,
    event,
    json_bytes,
    pieces,
    raw_arguments,
    refusal,
    usage_of,
)

__all__ = ["ChatCompletions"]


class ChatCompletions:
    """The chat-completions API; *model* is what answers call themselves."""

    def __init__(self, *, model: str = "scripted") -> None:
        self._model = model

    def answer(self, turn: Turn, asked: Asked) -> Answer:
        """Give *turn* as chunks with `[DONE]`, or as one body."""
        if not asked.body.get("stream"):
            return Answer(frames=[json_bytes(self._whole(turn))])
        frames = [event(chunk) for chunk in self._chunks(turn)]
        return Answer(frames=[*frames, b"data: [DONE]\n\n"], headers=EVENTS)

    def failure(self, error: ProviderError, asked: Asked, *, after: str) -> Answer:
        """Give the error body, or the error frame behind some text."""
        told = {"message": str(error), "type": error_type(error), "code": error.code}
        frame = {"error": {name: value for name, value in told.items() if value is not None}}
        if after and asked.body.get("stream"):
            said = [event(self._chunk({"content": piece})) for piece in pieces(after)]
            return Answer(frames=[*said, event(frame)], headers=EVENTS)
        return refusal(frame, error)

    def aside(self, asked: Asked) -> Answer | None:  # noqa: ARG002 - everything is a model call
        """Give None."""
        return None

    def _whole(self, turn: Turn) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": turn.content or None}
        if turn.reasoning:
            message["reasoning_content"] = turn.reasoning
        if turn.tool_calls:
            message["tool_calls"] = [_call(call) for call in turn.tool_calls]
        choice = {"index": 0, "message": message, "finish_reason": _finish(turn)}
        head = self._head("chat.completion")
        return {**head, "choices": [choice], "usage": _usage(usage_of(turn))}

    def _chunks(self, turn: Turn) -> Iterator[dict[str, Any]]:
        yield self._chunk({"role": "assistant", "content": ""})
        for piece in pieces(turn.reasoning):
            yield self._chunk({"reasoning_content": piece})
        for piece in pieces(turn.content):
            yield self._chunk({"content": piece})
        for fragment in _fragments(turn.tool_calls):
            yield self._chunk({"tool_calls": [fragment]})
        yield self._chunk({}, finish_reason=_finish(turn))
        yield {**self._chunk({}), "choices": [], "usage": _usage(usage_of(turn))}

    def _chunk(self, delta: dict[str, Any], **facts: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": None, **facts}
        return {**self._head("chat.completion.chunk"), "choices": [choice]}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": self._model}


def _fragments(calls: Sequence[ToolCall]) -> Iterator[dict[str, Any]]:
    """Give the pieces of *calls*, the arguments of all of them interleaved."""
    for index, call in enumerate(calls):
        head = {"name": call.name, "arguments": ""}
        yield {"index": index, "id": call.id, "type": "function", "function": head}
    cut = [pieces(raw_arguments(call)) for call in calls]
    for nth in range(max(map(len, cut), default=0)):
        for index, parts in enumerate(cut):
            if nth < len(parts):
                yield {"index": index, "function": {"arguments": parts[nth]}}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": raw_arguments(call)}
    return {"id": call.id, "type": "function", "function": function}


def _finish(turn: Turn) -> str:
    return turn.finish_reason or ("tool_calls" if turn.tool_calls else "stop")


def _usage(usage: Usage) -> dict[str, Any]:
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output_tokens,
        "total_tokens": prompt + usage.output_tokens,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
    }
