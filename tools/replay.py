"""Replaying recorded exchanges: bytes in any chunking, an answer over HTTP, what it is held to."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, TypeVar

import pytest

from agentkit.core.contracts.content import (
    ChatMessage,
    ContentBlock,
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
from agentkit.models.codecs import error_from_response
from agentkit.models.codecs._decoding import Decoder
from agentkit.models.providers._http_llm import HttpLLM

Exchange = dict[str, Any]
Outcome = list[LLMStreamEvent] | ProviderError
Read = Callable[[CompletionEvent], dict[str, Any]]
Wanted = Callable[[dict[str, Any]], dict[str, Any]]
B = TypeVar("B", bound=ContentBlock)
CHUNKINGS = ("whole", "bytes", "random")
NOW = 2e9


def chunkings(body: bytes, kind: str) -> Iterator[list[bytes]]:
    """Give *body* in pieces: one way, or twenty of them."""
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


def decoded(exchange: Exchange, kind: str, decoder: Callable[..., Decoder]) -> Iterator[Outcome]:
    """Give what a codec makes of the recorded answer in each chunking of *kind*."""
    for chunks in chunkings(exchange["response"]["body"].encode(), kind):
        yield _decoded(exchange["response"], chunks, decoder(provider="them", now=NOW))


def _decoded(response: dict[str, Any], chunks: list[bytes], decoder: Decoder) -> Outcome:
    if response["status"] != HTTPStatus.OK:
        body = b"".join(chunks)
        return error_from_response(response["status"], body, headers=response["headers"], now=NOW)
    seen: list[LLMStreamEvent] = [event for chunk in chunks for event in decoder.feed(chunk)]
    try:
        return [*seen, *decoder.close()]
    except ProviderError as error:
        return error


def over_http(exchange: Exchange, of: Callable[..., HttpLLM]) -> Outcome:
    """Give what a client *of* the API makes of the recorded answer."""
    return asyncio.run(_over_http(exchange, of))


async def _over_http(exchange: Exchange, of: Callable[..., HttpLLM]) -> Outcome:
    settings = {"api_key": "a-key", "default_model": "m", "streaming": exchange["stream"]}
    async with server(exchange["response"]) as (url, requests), of(base_url=url, **settings) as llm:
        stream = llm.generate_stream([ChatMessage("user", [TextBlock("hello")])])
        try:
            return [event async for event in stream]
        except ProviderError as error:
            return error
        finally:
            if len(requests) != 1:
                raise AssertionError(f"one call is one request; got {len(requests)}")


@asynccontextmanager
async def server(response: dict[str, Any]) -> AsyncGenerator[tuple[str, list[bytes]]]:
    """Answer every request on the loopback interface with *response*, in pieces."""
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

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as serving:
        host, port = serving.sockets[0].getsockname()
        yield f"http://{host}:{port}/v1", requests


def answer_in(exchange: Exchange, decode: Callable[..., CompletionEvent]) -> ChatMessage:
    """Give the recorded answer as a turn to send back; the test is skipped where there is none."""
    if exchange["expected"]["kind"] != "success":
        pytest.skip("there is no answer")
    return ChatMessage(
        "assistant", decode(exchange["response"]["body"].encode(), provider="us").content
    )


def found(outcome: Outcome, read: Read) -> dict[str, Any]:
    """Give what an outcome says: an error, or what every API's answer has and what *read* finds."""
    if isinstance(outcome, ProviderError):
        return error_facts(outcome) | {"message": str(outcome)}
    *deltas, last = outcome
    if not isinstance(last, CompletionEvent):
        raise TypeError(f"the last event is the completion; got {last}")
    calls = blocks_of(last, ToolUseBlock)
    return {
        "text": _joined(blocks_of(last, TextBlock)),
        "text_told": _joined([delta for delta in deltas if isinstance(delta, TextDelta)]),
        "reasoning": _joined(blocks_of(last, ThinkingBlock)),
        "reasoning_told": _joined([delta for delta in deltas if isinstance(delta, ReasoningDelta)]),
        "tool_calls": [(c.call_id, c.tool_name, dict(c.arguments)) for c in calls],
        "has_all_ids": all(call.call_id for call in calls),
        "finish_reason": last.finish_reason,
        "usage": last.usage,
        **read(last),
    }


def wanted(expected: dict[str, Any], more: Wanted) -> dict[str, Any]:
    """Give what `found` should be by what the oracle read, of which *more* is one API's."""
    if expected["kind"] == "malformed":
        return dict.fromkeys([*ERROR_FACTS, "message"], Anything()) | {"error_class": "permanent"}
    if expected["kind"] == "error":
        message = Anything() if expected.get("truncated") else Containing(expected["message"])
        return wanted_error(expected) | {"message": message}
    reasoning = expected["reasoning"] or ""
    return {
        "text": expected["text"],
        "text_told": expected["text"],
        "reasoning": reasoning,
        "reasoning_told": reasoning,
        "tool_calls": [
            (call["id"] or Anything(), call["name"], call["arguments"])
            for call in expected["tool_calls"]
        ],
        "has_all_ids": True,
        "finish_reason": expected["finish_reason"],
        **more(expected),
    }


def _joined(pieces: Sequence[TextBlock | ThinkingBlock | TextDelta | ReasoningDelta]) -> str:
    return "".join(piece.text for piece in pieces)


def blocks_of(last: CompletionEvent, kind: type[B]) -> list[B]:
    """Give the blocks of a *kind* in an answer."""
    return [block for block in last.content if isinstance(block, kind)]


ERROR_FACTS = (
    "status",
    "error_class",
    "error_type",
    "error_code",
    "retry_after",
    "partial_text",
    "output_started",
)


def error_facts(error: ProviderError) -> dict[str, Any]:
    """Give what an error says, in the corpus' words."""
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


def wanted_error(expected: dict[str, Any]) -> dict[str, Any]:
    """Give what `error_facts` should be."""
    in_stream = expected["in_stream"]
    code, partial = expected["error_code"], expected.get("partial_text")
    header, body = expected["retry_after"], expected.get("retry_after_body")
    return {
        "status": expected.get("status_in_frame") if in_stream else expected["status"],
        "error_class": expected["error_class"],
        "error_type": expected["error_type"],
        "error_code": None if code is None else str(code),
        "retry_after": body if header is None else header,
        "partial_text": Anything() if in_stream and partial is None else partial or "",
        "output_started": Anything() if in_stream else False,
    }


class Anything:
    """Equal to all: for what the provider left out."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Containing:
    """Equal to every text that holds its own."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return f"… {self._text} …"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self._text in other

    __hash__ = None  # type: ignore[assignment]


_TOKENS = (
    "input_tokens",
    "cached_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
    "reasoning_tokens",
)


class AnyCost:
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
    return [*(getattr(usage, name) for name in _TOKENS), usage.provenance]
