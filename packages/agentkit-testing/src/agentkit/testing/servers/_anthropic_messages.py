"""Anthropic's messages API, as a scripted provider speaks it."""

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
    error_type,
    event,
    json_bytes,
    pieces,
    raw_arguments,
    refusal,
    usage_of,
    words_in,
)

__all__ = ["AnthropicMessages"]

_ENDS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
_SIGNATURE = "c2lnbmVk"


class AnthropicMessages:
    """The messages API; *model* is what answers call themselves.

    Whole answers carry arguments as JSON, so what is none can be told by a stream only.
    """

    def __init__(self, *, model: str = "scripted") -> None:
        self._model = model

    def answer(self, turn: Turn, asked: Asked) -> Answer:
        """Give *turn* as events up to `message_stop`, or as one body."""
        if not asked.body.get("stream"):
            blocks = [block | filled for block, filled, _ in _blocks(turn)]
            return Answer(frames=[json_bytes(self._message(turn, content=blocks))])
        return Answer(frames=[_named(each) for each in self._events(turn)], headers=EVENTS)

    def failure(self, error: ProviderError, asked: Asked, *, after: str) -> Answer:
        """Give the error body, or the error event behind some text."""
        inner = {"type": error_type(error), "message": str(error)}
        told = {"type": "error", "error": inner, "request_id": "req_1"}
        if not after or not asked.body.get("stream"):
            return refusal(told, error)
        said = list(self._events(Turn(after)))[:-3]  # up to the end of the block
        return Answer(frames=[_named(each) for each in [*said, told]], headers=EVENTS)

    def aside(self, asked: Asked) -> Answer | None:
        """Count tokens where that is asked."""
        if not asked.path.endswith("/count_tokens"):
            return None
        return Answer(frames=[json_bytes({"input_tokens": words_in(asked)})])

    def _events(self, turn: Turn) -> Iterator[dict[str, Any]]:
        begun = self._message(turn, content=[], stop_reason=None)
        yield {"type": "message_start", "message": begun}
        for index, (block, _, deltas) in enumerate(_blocks(turn)):
            yield {"type": "content_block_start", "index": index, "content_block": block}
            for delta in deltas:
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        ended = {"stop_reason": _end(turn), "stop_sequence": None}
        usage = {"output_tokens": usage_of(turn).output_tokens}
        yield {"type": "message_delta", "delta": ended, "usage": usage}
        yield {"type": "message_stop"}

    def _message(self, turn: Turn, **facts: Any) -> dict[str, Any]:
        usage = usage_of(turn)
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "stop_reason": _end(turn),
            "stop_sequence": None,
            "usage": {
                "input_tokens": usage.input_tokens,
                "cache_read_input_tokens": usage.cache_read_tokens,
                "cache_creation_input_tokens": usage.cache_write_tokens,
                "output_tokens": usage.output_tokens,
            },
            **facts,
        }


Block = tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]
"""A block as it begins, what it has when it is whole, and the deltas that come between."""


def _blocks(turn: Turn) -> Iterator[Block]:
    if turn.reasoning:
        thought = [{"type": "thinking_delta", "thinking": each} for each in pieces(turn.reasoning)]
        signed = {"type": "signature_delta", "signature": _SIGNATURE}
        whole = {"thinking": turn.reasoning, "signature": _SIGNATURE}
        yield {"type": "thinking", "thinking": "", "signature": ""}, whole, [*thought, signed]
    if turn.content:
        said = [{"type": "text_delta", "text": each} for each in pieces(turn.content)]
        yield {"type": "text", "text": ""}, {"text": turn.content}, said
    for call in turn.tool_calls:
        parts = pieces(raw_arguments(call)) if call.arguments else [""]
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        begun: dict[str, Any] = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        yield begun, {"input": _input(call)}, deltas


def _input(call: ToolCall) -> Any:
    try:
        return json.loads(raw_arguments(call))
    except ValueError:
        return call.raw_arguments


def _end(turn: Turn) -> str:
    finish = turn.finish_reason or ("tool_calls" if turn.tool_calls else "stop")
    return _ENDS.get(finish, finish)


def _named(value: dict[str, Any]) -> bytes:
    return event(value, name=value["type"])
