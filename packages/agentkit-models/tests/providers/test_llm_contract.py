"""What the LLM contract says, of every client; `test_specification` has its statements."""

import ast
import asyncio
import inspect
import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import httpx
import pytest

import agentkit.core.contracts.llm as contract
from agentkit.core.contracts.content import (
    ChatMessage,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from agentkit.core.contracts.llm import (
    CompletionEvent,
    EmbeddingClient,
    EmbeddingResult,
    GenerationOptions,
    LLMClient,
    LLMResponse,
    ModelUsage,
    ReasoningDelta,
    TextDelta,
)
from agentkit.core.contracts.types import ToolSchema
from agentkit.models.providers import (
    AnthropicLLM,
    GeminiEmbeddings,
    GeminiLLM,
    OllamaEmbeddings,
    OllamaLLM,
    OpenAICompatibleEmbeddings,
    OpenAICompatibleLLM,
)

FUNCTION = {"name": "f", "arguments": '{"a": 1}'}
CALL: dict[str, Any] = {"index": 0, "id": "c", "function": FUNCTION}
READ = {"input_tokens": 7, "cache_read_input_tokens": 2}
CHAT: list[Any] = [
    {"choices": [{"index": 0, "delta": {"reasoning_content": "so"}}]},
    {"choices": [{"index": 0, "delta": {"content": "fo"}}]},
    {"choices": [{"index": 0, "delta": {"content": "ur"}}]},
    {"choices": [{"index": 0, "delta": {"tool_calls": [CALL]}}]},
    {
        "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}],
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": 4,
            "prompt_tokens_details": {"cached_tokens": 2},
            "completion_tokens_details": {"reasoning_tokens": 1},
        },
    },
]
BLOCKS: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    (
        {"type": "thinking", "thinking": "", "signature": ""},
        [{"type": "thinking_delta", "thinking": "so"}],
    ),
    (
        {"type": "text", "text": ""},
        [{"type": "text_delta", "text": "fo"}, {"type": "text_delta", "text": "ur"}],
    ),
    (
        {"type": "tool_use", "id": "c", "name": "f", "input": {}},
        [{"type": "input_json_delta", "partial_json": '{"a": 1}'}],
    ),
]
MESSAGES: list[Any] = [
    {
        "type": "message_start",
        "message": {"usage": {"input_tokens": 7, "cache_read_input_tokens": 2}},
    },
    *[
        frame
        for at, (block, deltas) in enumerate(BLOCKS)
        for frame in (
            {"type": "content_block_start", "index": at, "content_block": block},
            *[{"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas],
            {"type": "content_block_stop", "index": at},
        )
    ],
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use"},
        "usage": {"output_tokens": 4, "output_tokens_details": {"thinking_tokens": 1}},
    },
    {"type": "message_stop"},
]
PARTS: list[dict[str, Any]] = [
    {"text": "so", "thought": True},
    {"text": "fo"},
    {"text": "ur"},
    {"functionCall": {"id": "c", "name": "f", "args": {"a": 1}}},
]
GEMINI: list[Any] = [
    *[{"candidates": [{"content": {"parts": [part]}}]} for part in PARTS],
    {
        "candidates": [{"finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": 9,
            "cachedContentTokenCount": 2,
            "candidatesTokenCount": 3,
            "thoughtsTokenCount": 1,
        },
    },
]
OLLAMA: list[Any] = [
    {"message": {"thinking": "so"}, "done": False},
    {"message": {"content": "fo"}, "done": False},
    {"message": {"content": "ur"}, "done": False},
    {
        "message": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {"a": 1}}}]},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 9,
        "eval_count": 4,
    },
]
ANSWERS: dict[Any, list[Any]] = {
    OpenAICompatibleLLM: CHAT,
    AnthropicLLM: MESSAGES,
    GeminiLLM: GEMINI,
    OllamaLLM: OLLAMA,
}
LLMS = list(ANSWERS)
VECTORS: dict[Any, dict[str, Any]] = {
    OpenAICompatibleEmbeddings: {
        "data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [2.0]}],
        "usage": {"prompt_tokens": 5},
    },
    GeminiEmbeddings: {
        "embeddings": [{"values": [1.0]}, {"values": [2.0]}],
        "usageMetadata": {"promptTokenCount": 5},
    },
    OllamaEmbeddings: {"embeddings": [[1.0], [2.0]], "prompt_eval_count": 5},
}
HELLO = [ChatMessage("user", [TextBlock("2 + 2?")])]

Use = Callable[[Any], Any]


class Provider:
    """Answers as the provider of the client *of* it would, and keeps what it was asked."""

    def __init__(self, of: Any) -> None:
        self.of = of
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(json.loads(request.content))
        if self.of in VECTORS:
            return httpx.Response(200, json=VECTORS[self.of])
        if request.url.path.endswith(("count_tokens", ":countTokens")):
            return httpx.Response(200, json={"input_tokens": 3, "totalTokens": 3})
        start, end = ("", "\n") if self.of is OllamaLLM else ("data: ", "\n\n")
        text = "".join(f"{start}{json.dumps(frame)}{end}" for frame in ANSWERS[self.of])
        return httpx.Response(200, text=text)


async def _asked(of: Any, use: Use, provider: Provider) -> Any:
    name = "model" if of in VECTORS else "default_model"
    async with httpx.AsyncClient(transport=httpx.MockTransport(provider)) as client:
        settings: dict[str, Any] = {name: "m", "client": client}
        return await use(of(api_key="a-key", base_url="http://x", **settings))


def asked(of: Any, use: Use) -> Any:
    """Give what comes of *use* of a client *of* a provider."""
    return asyncio.run(_asked(of, use, Provider(of)))


async def generate(llm: LLMClient) -> LLMResponse:
    return await llm.generate(HELLO)


async def stream(llm: LLMClient) -> list[Any]:
    return [event async for event in llm.generate_stream(HELLO)]


async def count(llm: LLMClient) -> int:
    return await llm.count_tokens(HELLO)


def test_the_contract_itself_does_nothing() -> None:
    tree = ast.parse(Path(inspect.getfile(contract)).read_text("utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    foreign = {name for name in imported if not (name or "").startswith("agentkit.core.contracts")}

    assert foreign <= {"collections.abc", "dataclasses", "datetime", "typing", "uuid"}


class Shape:
    """A client that inherits nothing."""

    model = "shape"

    async def generate(self, messages: Any, *, options: Any = None, ctx: Any = None) -> Any:
        """Answer."""

    def generate_stream(self, messages: Any, *, options: Any = None, ctx: Any = None) -> Any:
        """Answer in increments."""

    async def count_tokens(self, messages: Any) -> Any:
        """Count."""


class VectorShape:
    """A client of vectors that inherits nothing."""

    async def embed(self, texts: list[str]) -> Any:
        """Give vectors."""

    async def embed_single(self, text: str) -> Any:
        """Give a vector."""


def test_a_shape_is_enough() -> None:
    assert isinstance(Shape(), LLMClient)
    assert not isinstance(VectorShape(), LLMClient)


def test_a_shape_is_enough_for_vectors() -> None:
    assert isinstance(VectorShape(), EmbeddingClient)
    assert not isinstance(Shape(), EmbeddingClient)


@pytest.mark.parametrize("of", LLMS)
def test_every_client_fits_the_contract(of: Any) -> None:
    assert isinstance(of(api_key=None, base_url="http://x"), LLMClient)


@pytest.mark.parametrize("of", LLMS)
def test_model_is_a_plain_text(of: Any) -> None:
    assert vars(of(api_key=None, base_url="http://x", default_model="served"))["model"] == "served"


@pytest.mark.parametrize("of", LLMS)
def test_both_ways_take_the_same_arguments(of: Any) -> None:
    whole, streamed = inspect.signature(of.generate), inspect.signature(of.generate_stream)

    assert str(whole).partition("->")[0] == str(streamed).partition("->")[0]
    assert whole.parameters["options"].default == GenerationOptions()
    assert whole.parameters["ctx"].default is None


@pytest.mark.parametrize("of", LLMS)
def test_a_call_without_options_is_valid(of: Any) -> None:
    assert isinstance(asked(of, generate), LLMResponse)


@pytest.mark.parametrize("of", LLMS)
def test_generate_gives_content_and_usage(of: Any) -> None:
    response = asked(of, generate)
    thought, text, call = response.content

    assert (type(thought), type(text), type(call)) == (ThinkingBlock, TextBlock, ToolUseBlock)
    assert (thought.text, text.text, call.tool_name, call.arguments) == (
        "so",
        "four",
        "f",
        {"a": 1},
    )
    assert (call.call_id, response.stop_kind) == ("c", "tool_use")


@pytest.mark.parametrize("of", LLMS)
def test_usage_is_broken_out(of: Any) -> None:
    usage: ModelUsage = asked(of, generate).usage
    told = (usage.cached_tokens, usage.reasoning_tokens)

    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (9, 4, 13)
    assert told == ((0, 0) if of is OllamaLLM else (2, 1))  # whose API tells neither


@pytest.mark.parametrize("of", LLMS)
def test_the_deltas_come_first_and_the_completion_last(of: Any) -> None:
    *deltas, last = asked(of, stream)

    assert {type(delta) for delta in deltas} == {TextDelta, ReasoningDelta}
    assert isinstance(last, CompletionEvent)


@pytest.mark.parametrize("of", LLMS)
def test_the_completion_is_what_generate_gives(of: Any) -> None:
    last, response = asked(of, stream)[-1], asked(of, generate)

    assert (last.content, last.usage) == (response.content, response.usage)
    assert (last.finish_reason, last.stop_kind) == (response.finish_reason, response.stop_kind)


@pytest.mark.parametrize("of", LLMS)
def test_the_deltas_add_up_to_the_content(of: Any) -> None:
    *deltas, _ = asked(of, stream)

    assert [delta.text for delta in deltas] == ["so", "fo", "ur"]


@pytest.mark.parametrize("of", LLMS)
def test_tokens_are_counted(of: Any) -> None:
    assert asked(of, count) > 0


@pytest.mark.parametrize("of", LLMS)
def test_all_roles_and_blocks_are_sent(of: Any) -> None:
    turns = [
        ChatMessage("system", [TextBlock("SYSTEM")]),
        ChatMessage("user", [TextBlock("USER"), ImageBlock(data=b"x", media_type="image/png")]),
        ChatMessage("assistant", [ToolUseBlock("c1", "f", {"a": "CALL"})]),
        ChatMessage("tool", [ToolResultBlock("c1", "f", [TextBlock("RESULT")])]),
    ]
    provider = Provider(of)
    asyncio.run(_asked(of, lambda llm: llm.generate(turns), provider))

    sent = json.dumps(provider.bodies)
    assert [word for word in ("SYSTEM", "USER", "CALL", "RESULT") if word not in sent] == []
    assert "eA==" in sent


@pytest.mark.parametrize("of", LLMS)
def test_every_client_reads_the_same_options(of: Any) -> None:
    options = GenerationOptions(
        tools=[ToolSchema("TOOL", "does", {"type": "object"})],
        system_instructions="SYSTEM",
        temperature=0.125,
        max_tokens=77,
        stop=["STOP"],
        extra={"EXTRA": 1},
    )
    provider = Provider(of)
    asyncio.run(_asked(of, lambda llm: llm.generate(HELLO, options=options), provider))

    sent = json.dumps(provider.bodies)
    words = ("TOOL", "SYSTEM", "0.125", "77", "STOP", "EXTRA")
    assert [word for word in words if word not in sent] == []


@pytest.mark.parametrize("of", LLMS)
def test_the_same_code_runs_with_every_client(of: Any) -> None:
    async def agent(llm: LLMClient) -> str:
        said = (await llm.generate(HELLO)).content
        return "".join(block.text for block in said if isinstance(block, TextBlock))

    assert asked(of, agent) == "four"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (GenerationOptions(), "temperature"),
        (LLMResponse([], ModelUsage()), "content"),
        (EmbeddingResult([[1.0]], "m"), "embeddings"),
    ],
)
def test_the_values_are_frozen(value: Any, name: str) -> None:
    with pytest.raises(FrozenInstanceError, match=name):
        setattr(value, name, None)


@pytest.mark.parametrize("of", VECTORS)
def test_many_texts_are_one_call(of: Any) -> None:
    provider = Provider(of)
    result = asyncio.run(_asked(of, lambda client: client.embed(["a", "b"]), provider))

    assert (result.embeddings, result.model, result.usage_tokens) == ([[1.0], [2.0]], "m", 5)
    assert len(provider.bodies) == 1


@pytest.mark.parametrize("of", VECTORS)
def test_one_text_gives_one_vector(of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    one = {OpenAICompatibleEmbeddings: {"data": [{"embedding": [1.0]}]}}
    monkeypatch.setitem(VECTORS, of, one.get(of, {"embeddings": [{"values": [1.0]}]}))

    assert asked(of, lambda client: client.embed_single("a")) == [1.0]
