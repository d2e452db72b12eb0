"""Whatever a provider sends, the answer can be stored."""

import json
from typing import Any

import pytest

from agentkit.core.contracts.content import content_block_to_dict
from agentkit.core.contracts.types import RAW_ARGUMENTS
from agentkit.models.codecs import anthropic_messages, chat_completions, gemini, ollama_chat

CHOICE = '{"choices": [{"finish_reason": "stop", "message": %s}]}'
CONTENT = '{"content": [%s], "stop_reason": "end_turn"}'
LINE = '{"done": true, "message": {"tool_calls": [%s]}}'
PARTS = '{"candidates": [{"finishReason": "STOP", "content": {"parts": [%s]}}]}'
CITED = '{"citations": [{"score": 1e999}], "type": "text", "text": "a"}'
CALL = '{"id": "c", "x": NaN, "function": {"name": "f", "arguments": "{}"}}'

OPAQUE: list[tuple[Any, str]] = [
    (chat_completions, CHOICE % '{"content": [{"type": "odd", "score": 1e999}]}'),
    (chat_completions, CHOICE % '{"content": "a", "reasoning_details": [{"score": NaN}]}'),
    (chat_completions, CHOICE % '{"content": "a", "reasoning_opaque": -Infinity}'),
    (chat_completions, CHOICE % f'{{"tool_calls": [{CALL}]}}'),
    (anthropic_messages, CONTENT % '{"type": "odd", "score": [1e999]}'),
    (anthropic_messages, CONTENT % CITED),
    (anthropic_messages, CONTENT % '{"type": "thinking", "thinking": "a", "x": NaN}'),
    (anthropic_messages, CONTENT % '{"type": "tool_use", "id": "c", "name": "f", "x": NaN}'),
    (gemini, PARTS % '{"text": "a", "score": 1e999}'),
    (gemini, (PARTS % '{"text": "a"}').replace("[{", '[{"citationMetadata": {"x": NaN},', 1)),
]


@pytest.mark.parametrize(("codec", "body"), OPAQUE)
def test_a_number_that_json_has_not_is_null_in_what_is_kept_as_it_is(codec: Any, body: str) -> None:
    content = codec.decode_response(body.encode()).content
    stored = json.dumps([content_block_to_dict(block) for block in content], allow_nan=False)

    assert "null" in stored
    assert not any("NaN" in (getattr(block, "signature", "") or "") for block in content)


ARGUMENTS: list[tuple[Any, str]] = [
    (anthropic_messages, CONTENT % '{"type": "tool_use", "name": "f", "input": {"a": 1e999}}'),
    (gemini, PARTS % '{"functionCall": {"name": "f", "args": {"a": 1e999}}}'),
    (ollama_chat, LINE % '{"function": {"name": "f", "arguments": {"a": NaN}}}'),
]


@pytest.mark.parametrize(("codec", "body"), ARGUMENTS)
def test_arguments_with_such_a_number_are_no_arguments(codec: Any, body: str) -> None:
    [call] = codec.decode_response(body.encode()).content

    assert list(call.arguments) == [RAW_ARGUMENTS]
