"""Recorded chat-completions answers, through the codec and through the client.

What an official SDK read otherwise, and why we do not:

    tool calls with one index and two ids   two calls; the SDK glues ids, names and arguments
    id and name in every fragment           one call; the SDK repeats both
    content as a list of parts              reasoning is kept; the SDK loses it
    first chunk without an id               the first id that is one; the SDK keeps the empty one
    a stream cut short                      an error; the SDK gives the part as if it were all
    a success that is no answer             an error; the SDK gives an object without choices
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import pytest

from agentkit.core.contracts.content import (
    ChatMessage,
    ContentBlock,
    ErrorBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from agentkit.core.contracts.errors import ProviderAuthError, ProviderError
from agentkit.core.contracts.llm import (
    CompletionEvent,
    LLMStreamEvent,
    ModelUsage,
    ReasoningDelta,
    TextDelta,
)
from agentkit.core.contracts.types import RAW_ARGUMENTS
from agentkit.models.codecs import error_from_response
from agentkit.models.codecs.chat_completions import ResponseDecoder
from agentkit.models.providers import OpenAICompatibleLLM

Exchange = dict[str, Any]
Outcome = list[LLMStreamEvent] | ProviderError


@pytest.mark.parametrize("chunking", ["whole", "bytes", "random"])
def test_the_codec_reads_what_the_oracle_read(exchange: Exchange, chunking: str) -> None:
    body = exchange["response"]["body"].encode()
    for chunks in _chunkings(body, chunking):
        _check(exchange["expected"], _decoded(exchange, chunks))


def test_the_client_reads_what_the_oracle_read(exchange: Exchange) -> None:
    outcome = asyncio.run(_over_http(exchange))

    _check(exchange["expected"], outcome)


def _chunkings(body: bytes, kind: str) -> Iterator[list[bytes]]:
    if kind == "whole":
        yield [body]
    elif kind == "bytes":
        yield [body[at : at + 1] for at in range(len(body))]
    else:
        draw = random.Random(len(body))  # noqa: S311 - the same cuts every time
        for _ in range(20):
            yield list(_cut(body, draw))


def _cut(body: bytes, draw: random.Random) -> Iterator[bytes]:
    while body:
        size = draw.choice([1, 3, 17, 100, 1000])
        yield body[:size]
        body = body[size:]


def _decoded(exchange: Exchange, chunks: list[bytes]) -> Outcome:
    response = exchange["response"]
    if response["status"] != 200:
        body = b"".join(chunks)
        return error_from_response(response["status"], body, headers=response["headers"], now=2e9)
    decoder = ResponseDecoder(provider="them", now=2e9)
    seen: list[LLMStreamEvent] = [event for chunk in chunks for event in decoder.feed(chunk)]
    try:
        return [*seen, *decoder.close()]
    except ProviderError as error:
        return error


async def _over_http(exchange: Exchange) -> Outcome:
    async with _server(exchange["response"]) as (url, requests):
        llm = OpenAICompatibleLLM(
            api_key="a-key", base_url=url, default_model="m", streaming=exchange["stream"]
        )
        async with llm:
            stream = llm.generate_stream([ChatMessage("user", [TextBlock("hello")])])
            try:
                return [event async for event in stream]
            except ProviderError as error:
                return error
            finally:
                assert len(requests) == 1


@asynccontextmanager
async def _server(response: dict[str, Any]) -> AsyncGenerator[tuple[str, list[bytes]]]:
    requests: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        headers = "".join(f"{name}: {value}\r\n" for name, value in response["headers"].items())
        writer.write(
            f"HTTP/1.1 {response['status']} X\r\n{headers}connection: close\r\n\r\n".encode()
        )
        for piece in _cut(response["body"].encode(), random.Random(1)):  # noqa: S311
            writer.write(piece)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}/v1", requests


def _check(expected: dict[str, Any], outcome: Outcome) -> None:
    if expected["kind"] == "success":
        assert isinstance(outcome, list), outcome
        assert _read(outcome) == _wanted(expected)
        return
    assert isinstance(outcome, ProviderError), outcome
    if expected["kind"] == "error":
        assert _error_facts(outcome) == _wanted_error(expected)
        assert expected["message"] in str(outcome) or expected.get("truncated")
    else:
        assert outcome.error_class == "permanent"


def _read(events: list[LLMStreamEvent]) -> dict[str, Any]:
    """Give what the events say, once it is sure that the deltas and the completion agree."""
    *deltas, last = events
    assert isinstance(last, CompletionEvent)
    text = _text(last.content, TextBlock)
    reasoning = _text(last.content, ThinkingBlock)
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == text
    assert "".join(d.text for d in deltas if isinstance(d, ReasoningDelta)) == reasoning
    thoughts = [block for block in last.content if isinstance(block, ThinkingBlock)]
    return {
        "text": text,
        "reasoning": reasoning,
        "refusal": "".join(b.message for b in last.content if isinstance(b, ErrorBlock)),
        "tool_calls": [_call(block) for block in last.content if isinstance(block, ToolUseBlock)],
        "finish_reason": last.finish_reason,
        "reasoning_details": [i for b in thoughts for i in b.opaque.get("reasoning_details", ())],
        "usage": last.usage,
    }


def _text(blocks: list[ContentBlock], kind: type[TextBlock | ThinkingBlock]) -> str:
    return "".join(block.text for block in blocks if isinstance(block, kind))


def _call(block: ToolUseBlock) -> tuple[str, str, dict[str, Any]]:
    assert block.call_id
    return block.call_id, block.tool_name, dict(block.arguments)


def _wanted(expected: dict[str, Any]) -> dict[str, Any]:
    cut = expected["finish_reason"] == "length"
    return {
        "text": expected["text"],
        "reasoning": expected["reasoning"] or "",
        "refusal": expected["refusal"] or "",
        "tool_calls": [_wanted_call(call, cut=cut) for call in expected["tool_calls"]],
        "finish_reason": expected["finish_reason"],
        "reasoning_details": expected.get("reasoning_details", []),
        "usage": _AnyCost(_wanted_usage(expected["usage"] or expected.get("usage_x_groq"))),
    }


def _wanted_call(call: dict[str, Any], *, cut: bool) -> tuple[object, str, dict[str, Any]]:
    arguments = call["arguments"]
    if arguments is None:
        raw = call["arguments_raw"] or ""
        arguments = {RAW_ARGUMENTS: raw} if raw or cut else {}
    return call["id"] or _Anything(), call["name"], arguments


class _Anything:
    """Equal to all: for an id that the provider left out."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


# ModelUsage from the raw fields, whose dots go into an object. Of several the first that is there
# and not zero counts. What is cached or written is at most all of the input.
_FIELDS = {
    "input_tokens": ["prompt_tokens"],
    "cached_tokens": [
        "prompt_tokens_details.cached_tokens",
        "prompt_cache_hit_tokens",
        "cache_read_input_tokens",
        "cached_tokens",
    ],
    "cache_write_5m_tokens": [
        "cache_creation.ephemeral_5m_input_tokens",
        "prompt_tokens_details.cache_write_tokens",
        "cache_creation_input_tokens",
    ],
    "cache_write_1h_tokens": ["cache_creation.ephemeral_1h_input_tokens"],
    "output_tokens": ["completion_tokens"],
    "reasoning_tokens": ["completion_tokens_details.reasoning_tokens", "reasoning_tokens"],
}


def _wanted_usage(raw: dict[str, Any] | None) -> ModelUsage:
    if raw is None:
        return ModelUsage()
    counts: dict[str, int] = {
        name: next((count for path in paths if (count := _at(raw, path))), 0)
        for name, paths in _FIELDS.items()
    }
    counts["cached_tokens"] = min(counts["cached_tokens"], counts["input_tokens"])
    reasoning, output = counts["reasoning_tokens"], counts["output_tokens"]
    # Some count reasoning beside the completion: it is more, or the total is right only with it.
    if reasoning > output or raw["total_tokens"] == raw["prompt_tokens"] + output + reasoning:
        counts["output_tokens"] += reasoning
    return ModelUsage(**counts, cost=_cost(raw), provenance="reported")


def _cost(raw: dict[str, Any]) -> Decimal | None:
    cost = _at(raw, "cost.total_cost") if isinstance(raw.get("cost"), dict) else raw.get("cost")
    if cost is not None:
        return Decimal(str(cost))
    ticks = raw.get("cost_in_usd_ticks")
    return ticks * Decimal("1e-10") if ticks else None


def _at(raw: dict[str, Any], path: str) -> Any:
    value: Any = raw
    for name in path.split("."):
        value = _object(value).get(name)
    return value


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


class _AnyCost:
    """Equal to a usage of the same tokens; the cost counts where the usage itself names one."""

    def __init__(self, usage: ModelUsage) -> None:
        self._usage = usage

    def __repr__(self) -> str:
        return repr(self._usage)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModelUsage):
            return NotImplemented
        costs = self._usage.cost in {None, other.cost}
        return costs and _tokens(self._usage) == _tokens(other)

    __hash__ = None  # type: ignore[assignment]


def _tokens(usage: ModelUsage) -> list[object]:
    return [*(getattr(usage, name) for name in _FIELDS), usage.provenance]


def _error_facts(error: ProviderError) -> dict[str, Any]:
    is_auth = isinstance(error, ProviderAuthError)
    return {
        "status": error.status,
        "error_class": "auth" if is_auth else str(error.error_class),
        "error_type": error.error_type,
        "error_code": error.code,
        "retry_after": error.retry_after,
        "partial_text": "" if error.partial is None else error.partial.content,
        "output_started": error.partial is not None,
    }


def _wanted_error(expected: dict[str, Any]) -> dict[str, Any]:
    in_stream = expected["in_stream"]
    code, partial = expected["error_code"], expected.get("partial_text")
    return {
        "status": expected.get("status_in_frame") if in_stream else expected["status"],
        "error_class": expected["error_class"],
        "error_type": expected["error_type"],
        "error_code": None if code is None else str(code),
        "retry_after": expected["retry_after"],
        "partial_text": _Anything() if in_stream and partial is None else partial or "",
        "output_started": _Anything() if in_stream else False,
    }
