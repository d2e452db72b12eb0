"""Ollama's client over real HTTP: both contracts, one request, no key needed."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.core.contracts.content import ChatMessage, TextBlock
from agentkit.core.contracts.llm import LLMClient, LLMResponse, TextDelta
from agentkit.core.contracts.ports import LLMPort
from agentkit.models.providers import OllamaLLM, ollama

Ask = Callable[..., Any]
HELLO = [ChatMessage("user", [TextBlock("hello")])]
END = {"model": "m", "done": True, "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 2}
PIECES = [
    {"model": "m", "message": {"content": "hi"}, "done": False},
    {**END, "message": {"content": ""}},
]
STREAM = "".join(json.dumps(piece) + "\n" for piece in PIECES).encode()
WHOLE = json.dumps({**END, "message": {"content": "hi"}}).encode()


@pytest.fixture
def ask_ollama(ask: Ask) -> Ask:
    """Give what asks Ollama; it answers with a stream unless told otherwise."""
    return lambda *args, **how: ask(*args, **{"of": OllamaLLM, "chunks": (STREAM,), **how})


def test_it_is_both_a_client_and_a_port() -> None:
    assert isinstance(ollama(), LLMClient)
    assert isinstance(ollama(), LLMPort)


def test_generate_gives_the_whole_response(ask_ollama: Ask) -> None:
    response: LLMResponse = ask_ollama().value

    assert (response.content, response.stop_kind) == ([TextBlock("hi")], "stop")
    assert (response.usage.input_tokens, response.usage.cost) == (3, None)


def test_text_comes_before_the_end(ask_ollama: Ask) -> None:
    async def use(llm: OllamaLLM, _: Any) -> Any:
        return [event async for event in llm.generate_stream(HELLO)]

    first, _ = ask_ollama(use).value

    assert first == TextDelta("hi")


def test_a_whole_answer_and_a_streamed_one_give_the_same(ask_ollama: Ask) -> None:
    whole = ask_ollama(chunks=(WHOLE,), streaming=False)

    assert whole.value == ask_ollama().value
    assert whole.provider.bodies[0]["stream"] is False


def test_a_request_goes_below_the_base(ask_ollama: Ask) -> None:
    asked = ask_ollama(api_key=None, keep_alive="10m")

    assert asked.provider.heads[0].startswith("post /v1/api/chat http/1.1")
    assert "authorization" not in asked.provider.heads[0]
    assert asked.provider.bodies[0]["keep_alive"] == "10m"


def test_a_key_for_the_cloud_is_sent(ask_ollama: Ask) -> None:
    assert "authorization: bearer sk-canary" in ask_ollama().provider.heads[0]


def test_a_cut_stream_is_an_error_with_what_had_come(ask_ollama: Ask) -> None:
    error = ask_ollama(chunks=(STREAM[:60],), then="break").error

    assert (error.error_type, error.provider) == ("incomplete_stream", "ollama")


def test_a_model_that_is_not_there_is_an_error(ask_ollama: Ask) -> None:
    error = ask_ollama(chunks=(b'{"error": "model \'m\' not found"}',), status=404).error

    assert (error.status, error.error_class) == (404, "permanent")
    assert "model 'm' not found" in str(error)


def test_tokens_are_estimated() -> None:
    assert asyncio.run(ollama().count_tokens(HELLO)) == 5


def test_the_preset_is_the_ollama_of_this_machine() -> None:
    llm = ollama(model="llama3.2")

    assert (llm.provider, llm.model) == ("ollama", "llama3.2")
    assert "http://localhost:11434" in repr(llm)
