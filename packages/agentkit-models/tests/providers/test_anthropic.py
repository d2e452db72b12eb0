"""Anthropic's client over real HTTP: both contracts, one request, the provider's own count."""

import asyncio
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.content import ChatMessage, TextBlock
from agentkit.core.contracts.errors import (
    ErrorClass,
    ProviderAuthError,
    ProviderError,
    UnsupportedOption,
)
from agentkit.core.contracts.llm import GenerationOptions, LLMClient, LLMResponse
from agentkit.core.contracts.ports import LLMPort
from agentkit.core.contracts.types import Message
from agentkit.models.codecs.anthropic_messages import Dialect
from agentkit.models.providers import AnthropicLLM, claude

Ask = Callable[..., Any]
HELLO = [ChatMessage("user", [TextBlock("hello")])]
USAGE = {"input_tokens": 3, "output_tokens": 2, "cache_read_input_tokens": 10}
FRAMES: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"id": "msg_1", "model": "claude-haiku-4-5-20251001"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": USAGE},
    {"type": "message_stop"},
]
STREAM = "".join(f"event: {f['type']}\ndata: {json.dumps(f)}\n\n" for f in FRAMES).encode()
WHOLE = json.dumps(
    {
        "type": "message",
        "id": "msg_1",
        "model": "claude-haiku-4-5-20251001",
        "content": [{"type": "text", "text": "hi"}],
        "stop_reason": "end_turn",
        "usage": USAGE,
    }
).encode()
SCHEMA = {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}


@pytest.fixture
def ask_claude(ask: Ask) -> Ask:
    """Give what asks Anthropic; it answers with a stream unless told otherwise."""
    return lambda *args, **how: ask(*args, **{"of": AnthropicLLM, "chunks": (STREAM,), **how})


def test_it_is_both_a_client_and_a_port() -> None:
    llm = claude(api_key=None)

    assert isinstance(llm, LLMClient)
    assert isinstance(llm, LLMPort)


def test_generate_gives_the_whole_response(ask_claude: Ask) -> None:
    response: LLMResponse = ask_claude().value

    assert (response.content, response.stop_kind) == ([TextBlock("hi")], "stop")
    assert (response.usage.input_tokens, response.usage.cached_tokens) == (13, 10)


def test_the_cost_is_that_of_the_model_that_served(ask_claude: Ask) -> None:
    assert ask_claude().value.usage.cost == Decimal("0.0000112")


def test_a_whole_answer_and_a_streamed_one_give_the_same(ask_claude: Ask) -> None:
    whole = ask_claude(chunks=(WHOLE,), streaming=False)

    assert whole.value == ask_claude().value
    assert "stream" not in whole.provider.bodies[0]


def test_a_request_goes_below_the_base_with_key_version_and_headers(ask_claude: Ask) -> None:
    asked = ask_claude(extra_headers={"Anthropic-Beta": "files"}, version="2024-01-01")
    [head] = asked.provider.heads

    assert head.startswith("post /v1/v1/messages http/1.1")
    assert "x-api-key: sk-canary" in head
    assert "anthropic-version: 2024-01-01" in head
    assert "anthropic-beta: files" in head


def test_without_a_key_none_is_sent(ask_claude: Ask) -> None:
    [head] = ask_claude(api_key=None).provider.heads

    assert "x-api-key" not in head


def test_the_ceiling_of_the_client_is_sent_where_none_is_asked_for(ask_claude: Ask) -> None:
    [body] = ask_claude(default_max_tokens=99).provider.bodies

    assert body["max_tokens"] == 99


def test_the_port_hands_down_the_cache_hint(ask_claude: Ask) -> None:
    messages = [Message("system", "be kind"), Message("user", "hello")]

    async def use(llm: AnthropicLLM, _: Any) -> Any:
        return await llm.chat(messages=messages, model="other", cache_hint="1h")

    asked = ask_claude(use)

    [block] = asked.provider.bodies[0]["system"]
    assert block["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert (asked.value.content, asked.value.usage.cache_read_tokens) == ("hi", 10)


def test_a_structure_is_asked_for_in_words_and_told_once(ask_claude: Ask) -> None:
    options = GenerationOptions(response_format=SCHEMA)

    async def use(llm: AnthropicLLM, _: Any) -> Any:
        await llm.generate(HELLO, options=options)
        await llm.generate(HELLO, options=options)

    with pytest.warns(UserWarning, match="sent as an instruction") as told:
        ask_claude(use)

    assert len(told) == 1


def test_a_schema_is_sent_as_one_where_the_model_takes_it(ask_claude: Ask) -> None:
    async def use(llm: AnthropicLLM, _: Any) -> Any:
        await llm.generate(HELLO, options=GenerationOptions(response_format=SCHEMA))

    [body] = ask_claude(use, dialect=Dialect(has_json_schema=True)).provider.bodies

    assert body["output_config"]["format"]["schema"] == {"type": "object"}


def test_an_option_that_cannot_be_honoured_is_refused_before_anything_is_sent(
    ask_claude: Ask,
) -> None:
    async def use(llm: AnthropicLLM, _: Any) -> Any:
        await llm.generate(HELLO, options=GenerationOptions(seed=1))

    asked = ask_claude(use)

    assert isinstance(asked.error, UnsupportedOption)
    assert asked.provider.connections == 0


@pytest.mark.parametrize(
    ("status", "said", "verdict"),
    [
        (529, "overloaded_error", (ProviderError, ErrorClass.TRANSIENT)),
        (401, "authentication_error", (ProviderAuthError, ErrorClass.PERMANENT)),
        (400, "invalid_request_error", (ProviderError, ErrorClass.PERMANENT)),
    ],
)
def test_a_status_is_one_request_and_one_error(
    ask_claude: Ask, *, status: int, said: str, verdict: tuple[type, ErrorClass]
) -> None:
    body = json.dumps({"type": "error", "error": {"type": said, "message": "sk-canary!"}}).encode()
    asked = ask_claude(chunks=(body,), status=status, headers={"request-id": "req_1"})

    assert (type(asked.error), asked.error.error_class) == verdict
    assert (asked.error.status, asked.error.error_type) == (status, said)
    assert (asked.error.request_id, asked.error.provider) == ("req_1", "anthropic")
    assert len(asked.provider.bodies) == 1
    assert "sk-canary" not in str(asked.error)


def test_an_error_in_the_stream_has_the_request_id_of_the_answer(ask_claude: Ask) -> None:
    frame = b'data: {"type": "error", "error": {"type": "api_error", "message": "no"}}\n\n'
    error = ask_claude(chunks=(STREAM[:-150], frame), headers={"request-id": "req_1"}).error

    assert (error.request_id, error.partial.content) == ("req_1", "hi")


async def count(llm: AnthropicLLM, _: Any) -> int:
    return await llm.count_tokens([ChatMessage("system", [TextBlock("be kind")]), *HELLO])


def test_tokens_are_counted_by_the_provider(ask_claude: Ask) -> None:
    asked = ask_claude(count, chunks=(b'{"input_tokens": 21}',))

    assert asked.value == 21
    assert asked.provider.heads[0].startswith("post /v1/v1/messages/count_tokens ")
    assert asked.provider.bodies[0].keys() == {"model", "messages", "system"}


@pytest.mark.parametrize(
    ("how", "error_type"),
    [
        ({"chunks": (b"{}",)}, "malformed_response"),
        ({"chunks": (b"oops",)}, "malformed_response"),
        ({"chunks": (b'{"error": {"type": "overloaded_error"}}',)}, "overloaded_error"),
        (
            {"chunks": (b'{"error": {"type": "not_found_error"}}',), "status": 404},
            "not_found_error",
        ),
    ],
    ids=["no count", "no json", "an error in a success", "no endpoint"],
)
def test_a_count_that_fails_is_an_error(
    ask_claude: Ask, how: dict[str, Any], error_type: str
) -> None:
    error = ask_claude(count, headers={"request-id": "r1"}, **how).error

    assert (error.error_type, error.provider) == (error_type, "anthropic")
    assert error.request_id == "r1"


def test_a_count_without_any_model_is_refused() -> None:
    with pytest.raises(ValueError, match="no model"):
        asyncio.run(claude(api_key=None, model=None).count_tokens(HELLO))


def test_the_preset_knows_its_provider_and_model() -> None:
    llm = claude(api_key="k", base_url="http://x/anthropic")

    assert (llm.provider, llm.model) == ("anthropic", "claude-sonnet-4-6")
    assert repr(llm) == "AnthropicLLM(model='claude-sonnet-4-6', base='http://x')"


def test_an_empty_key_is_refused() -> None:
    with pytest.raises(ValueError, match="api_key is empty"):
        claude(api_key="")
