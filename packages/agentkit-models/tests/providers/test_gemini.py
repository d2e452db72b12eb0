"""Gemini's client over real HTTP: both contracts, one request, the provider's own count."""

import asyncio
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.content import ChatMessage, TextBlock
from agentkit.core.contracts.errors import ProviderAuthError, ProviderError
from agentkit.core.contracts.llm import GenerationOptions, LLMClient, LLMResponse
from agentkit.core.contracts.ports import LLMPort
from agentkit.core.contracts.types import Delta, Message, ToolSchema
from agentkit.models.providers import GeminiLLM, gemini

Ask = Callable[..., Any]
HELLO = [ChatMessage("user", [TextBlock("hello")])]
USAGE = {"promptTokenCount": 3, "candidatesTokenCount": 2}
FRAME: dict[str, Any] = {
    "candidates": [{"content": {"parts": [{"text": "hi"}]}, "finishReason": "STOP"}],
    "usageMetadata": USAGE,
    "modelVersion": "served",
    "responseId": "r1",
}
WHOLE = json.dumps(FRAME, indent=2).encode()
STREAM = f"data: {json.dumps(FRAME)}\r\n\r\n".encode()
SCHEMA = {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}


@pytest.fixture
def ask_gemini(ask: Ask) -> Ask:
    """Give what asks Gemini; it answers with a stream unless told otherwise."""
    return lambda *args, **how: ask(*args, **{"of": GeminiLLM, "chunks": (STREAM,), **how})


def test_it_is_both_a_client_and_a_port() -> None:
    llm = gemini(api_key=None, model="gemini-2.5-flash")

    assert isinstance(llm, LLMClient)
    assert isinstance(llm, LLMPort)
    assert (llm.model, llm.provider) == ("gemini-2.5-flash", "gemini")
    assert "generativelanguage.googleapis.com" in repr(llm)


def test_generate_gives_the_whole_response(ask_gemini: Ask) -> None:
    response: LLMResponse = ask_gemini().value

    assert (response.content, response.stop_kind) == ([TextBlock("hi")], "stop")
    assert (response.usage.input_tokens, response.usage.output_tokens) == (3, 2)


def test_a_whole_answer_and_a_streamed_one_give_the_same(ask_gemini: Ask) -> None:
    streamed, whole = ask_gemini(), ask_gemini(chunks=(WHOLE,), streaming=False)

    assert whole.value == streamed.value
    assert whole.provider.heads[0].startswith("post /v1/models/m:generatecontent http")


def test_the_key_is_in_a_header_and_not_in_the_url(ask_gemini: Ask) -> None:
    [head] = ask_gemini().provider.heads

    assert head.startswith("post /v1/models/m:streamgeneratecontent?alt=sse http")
    assert "x-goog-api-key: sk-canary" in head
    assert "authorization" not in head


def test_vertex_is_a_base_url_and_a_header(ask_gemini: Ask) -> None:
    async def use(_: Any, provider: Any) -> Any:
        url = f"{provider.url}/projects/p/locations/l/publishers/google"
        headers = {"authorization": "Bearer token"}
        async with GeminiLLM(
            api_key=None, base_url=url, default_model="m", extra_headers=headers
        ) as llm:
            await llm.generate(HELLO)

    [head] = ask_gemini(use=use).provider.heads

    way = "models/m:streamgeneratecontent?alt=sse"
    assert head.startswith(f"post /v1/projects/p/locations/l/publishers/google/{way} ")
    assert ("authorization: bearer token" in head, "x-goog-api-key" in head) == (True, False)


def test_a_base_urls_query_stays(ask_gemini: Ask) -> None:
    async def use(_: Any, provider: Any) -> Any:
        url = f"{provider.url}?api-version=v1"
        async with GeminiLLM(api_key=None, base_url=url, default_model="m") as llm:
            await llm.generate(HELLO)

    [head] = ask_gemini(use=use).provider.heads

    assert "?api-version=v1&alt=sse http" in head


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("tunedModels/mine", "/v1/tunedmodels/mine:"),
        ("models/m", "/v1/models/m:"),
        ("google/m", "/v1/models/m:"),
        ("m:x?key=1", "/v1/models/m%3ax%3fkey%3d1:"),
    ],
)
def test_a_model_is_a_name_or_a_resource(ask_gemini: Ask, model: str, path: str) -> None:
    [head] = ask_gemini(default_model=model).provider.heads

    assert head.startswith(f"post {path}streamgeneratecontent")


@pytest.mark.parametrize("model", ["../../other", "models/../x"])
def test_a_model_that_leads_elsewhere_is_refused(ask_gemini: Ask, model: str) -> None:
    asked = ask_gemini(default_model=model)

    assert "a model is a name" in str(asked.error)
    assert asked.provider.connections == 0


def test_a_call_without_any_model_is_refused(ask_gemini: Ask) -> None:
    with pytest.raises(ValueError, match="no model"):
        raise ask_gemini(default_model=None).error


def test_the_port_streams_deltas_the_last_with_all_facts(ask_gemini: Ask) -> None:
    async def use(llm: GeminiLLM, _: Any) -> Any:
        return [d async for d in llm.stream(messages=[Message("user", "hello")], model="other")]

    asked = ask_gemini(use=use)
    first, last = asked.value

    assert first == Delta("hi")
    assert (last.text, last.model, last.provider) == ("", "served", "gemini")
    assert "/models/other:" in asked.provider.heads[0]


def test_thoughts_and_signed_text_are_told_once_each_by_the_port(ask_gemini: Ask) -> None:
    parts = [{"text": "hm", "thought": True}, {"text": "hi"}, {"text": "", "thoughtSignature": "s"}]
    frame = FRAME | {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}

    async def use(llm: GeminiLLM, _: Any) -> Any:
        return await llm.chat(messages=[Message("user", "hello")], model="m")

    result = ask_gemini(use=use, chunks=(json.dumps(frame).encode(),)).value

    assert (result.content, result.reasoning) == ("hi", "hm")
    assert result.blocks[-1] == TextBlock("", signature="s", provider=result.blocks[0].provider)


def test_the_provider_counts_the_tokens(ask_gemini: Ask) -> None:
    async def use(llm: GeminiLLM, _: Any) -> Any:
        return await llm.count_tokens(HELLO)

    asked = ask_gemini(use=use, chunks=(b'{"totalTokens": 31}',))

    assert asked.value == 31
    assert asked.provider.heads[0].startswith("post /v1/models/m:counttokens http")
    assert list(asked.provider.bodies[0]) == ["contents"]


@pytest.mark.parametrize("body", [b"[]", b'{"totalTokens": "many"}', b"<html>"])
def test_a_count_that_is_none_is_an_error(ask_gemini: Ask, body: bytes) -> None:
    async def use(llm: GeminiLLM, _: Any) -> Any:
        return await llm.count_tokens(HELLO)

    error = ask_gemini(use=use, chunks=(body,)).error

    assert isinstance(error, ProviderError)
    assert (error.error_type, error.provider) == ("malformed_response", "gemini")


def test_a_bad_key_is_told_without_the_key(ask_gemini: Ask) -> None:
    error = {"message": "sk-canary is bad", "details": [{"reason": "API_KEY_INVALID"}]}
    asked = ask_gemini(status=400, chunks=(json.dumps({"error": error}).encode(),))

    assert isinstance(asked.error, ProviderAuthError)
    assert "[secret] is bad" in str(asked.error)
    assert len(asked.provider.bodies) == 1


def test_a_format_beside_tools_is_asked_for_in_words_and_told_once(ask_gemini: Ask) -> None:
    options = GenerationOptions(tools=[ToolSchema("f")], response_format=SCHEMA)

    async def use(llm: GeminiLLM, _: Any) -> Any:
        for _ in range(2):
            await llm.generate(HELLO, options=options)

    with pytest.warns(UserWarning, match="gemini-2.5-flash has no JSON mode beside tools") as told:
        ask_gemini(use=use, default_model="gemini-2.5-flash")

    assert len(told) == 1


def test_the_served_model_is_priced(ask_gemini: Ask) -> None:
    def half(*_: object) -> Decimal:
        return Decimal("0.5")

    assert ask_gemini(pricing=half).value.usage.cost == Decimal("0.5")


def test_an_answer_without_a_mark_of_its_end_is_read_to_its_end(ask_gemini: Ask) -> None:
    async def use(llm: GeminiLLM, _: Any) -> Any:
        first = await llm.generate(HELLO)
        return first == await asyncio.wait_for(llm.generate(HELLO), 5)

    asked = ask_gemini(use=use, chunks=(STREAM[:20], STREAM[20:]))

    assert asked.value is True
    assert asked.provider.connections == 1
