"""Wire formats in which a scripted provider speaks: what a dialect must know, and one of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.types import ToolCall, Usage
from agentkit.core.testing import Turn

__all__ = [
    "Answer",
    "Asked",
    "ChatCompletions",
    "WireDialect",
    "error_type",
    "pieces",
    "raw_arguments",
]

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}

_USAGE = Usage(10, 5)
_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it came: its path with the query, its headers in lower case, its JSON."""

    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An HTTP answer, its body in the *frames* in which a provider would send it."""

    frames: Sequence[bytes]
    headers: Mapping[str, str] = field(default_factory=lambda: dict(JSON))
    status: int = 200


class WireDialect(Protocol):
    """How a provider says things; every method is told what was asked, streamed or not."""

    def answer(self, turn: Turn, asked: Asked) -> Answer:
        """Give *turn* as the provider would send it."""
        ...

    def failure(self, error: ProviderError, asked: Asked, *, after: str) -> Answer:
        """Give *error* as an answer, or as a frame of one in which text comes first: *after*."""
        ...

    def aside(self, asked: Asked) -> Answer | None:
        """Give the answer to what is no model call, such as counting tokens, or None."""
        ...


class ChatCompletions:
    """The chat-completions API; *model* is what answers call themselves."""

    def __init__(self, *, model: str = "scripted") -> None:
        self._model = model

    def answer(self, turn: Turn, asked: Asked) -> Answer:
        """Give *turn* as chunks with `[DONE]`, or as one body."""
        if not asked.body.get("stream"):
            return Answer(frames=[_json(self._whole(turn))])
        frames = [_event(chunk) for chunk in self._chunks(turn)]
        return Answer(frames=[*frames, b"data: [DONE]\n\n"], headers=EVENTS)

    def failure(self, error: ProviderError, asked: Asked, *, after: str) -> Answer:
        """Give the error body, or the error frame behind some text."""
        told = {"message": str(error), "type": error_type(error), "code": error.code}
        frame = {"error": {name: value for name, value in told.items() if value is not None}}
        if after and asked.body.get("stream"):
            said = [_event(self._chunk({"content": piece})) for piece in pieces(after)]
            return Answer(frames=[*said, _event(frame)], headers=EVENTS)
        waits = {} if error.retry_after is None else {"retry-after": f"{error.retry_after:g}"}
        return Answer(frames=[_json(frame)], headers=JSON | waits, status=error.status or 500)

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
        return {**head, "choices": [choice], "usage": _usage(turn.usage or _USAGE)}

    def _chunks(self, turn: Turn) -> Iterator[dict[str, Any]]:
        yield self._chunk({"role": "assistant", "content": ""})
        for piece in pieces(turn.reasoning):
            yield self._chunk({"reasoning_content": piece})
        for piece in pieces(turn.content):
            yield self._chunk({"content": piece})
        for fragment in _fragments(turn.tool_calls):
            yield self._chunk({"tool_calls": [fragment]})
        yield self._chunk({}, finish_reason=_finish(turn))
        yield {**self._chunk({}), "choices": [], "usage": _usage(turn.usage or _USAGE)}

    def _chunk(self, delta: dict[str, Any], **facts: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": None, **facts}
        return {**self._head("chat.completion.chunk"), "choices": [choice]}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": self._model}


def pieces(text: str) -> list[str]:
    """Cut *text* into the pieces that a stream brings: short ones, but not very many."""
    size = max(3, len(text) // 500)
    return [text[at : at + size] for at in range(0, len(text), size)]


def error_type(error: ProviderError) -> str:
    """Give the provider's type of *error*: the one it has, or what goes with its status."""
    usual = _TYPES.get(error.status or 500, "server_error")
    return error.error_type or usual


def raw_arguments(call: ToolCall) -> str:
    """Give the arguments of *call* as text, which is no JSON where the call says so."""
    raw = call.raw_arguments
    return json.dumps(call.arguments, ensure_ascii=False) if raw is None else raw


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


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _event(value: Any) -> bytes:
    return b"data: " + _json(value) + b"\n\n"
