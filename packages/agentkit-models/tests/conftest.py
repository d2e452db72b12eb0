"""What the tests share: frames of a stream, and a provider on the loopback interface."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from agentkit.core.contracts.content import ChatMessage, TextBlock
from agentkit.core.contracts.llm import CompletionEvent
from agentkit.models.codecs.chat_completions import decode_response
from agentkit.models.providers import OpenAICompatibleLLM, _listed_prices

Frames = Callable[..., bytes]


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Be without the extra `prices`, so that prices are those of the table."""
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    _listed_prices.library.cache_clear()
    yield
    _listed_prices.library.cache_clear()


@pytest.fixture
def stream() -> Frames:
    """Give what makes an event stream of frames; a text is a frame as it is."""

    def make(*frames: dict[str, Any] | str, done: bool = True) -> bytes:
        texts = [frame if isinstance(frame, str) else json.dumps(frame) for frame in frames]
        return "".join(f"data: {text}\n\n" for text in (*texts, *["[DONE]"][: int(done)])).encode()

    return make


@pytest.fixture
def delta() -> Callable[..., dict[str, Any]]:
    """Give what makes the chunk of one delta."""

    def make(finish_reason: str | None = None, index: int = 0, **fields: Any) -> dict[str, Any]:
        choice = {"index": index, "delta": fields, "finish_reason": finish_reason}
        return {"id": "r1", "model": "m", "choices": [choice]}

    return make


@pytest.fixture
def read(stream: Frames) -> Callable[..., CompletionEvent]:
    """Give what decodes an event stream of frames."""
    return lambda *frames, **how: decode_response(stream(*frames, **how), provider="them")


HELLO = [ChatMessage("user", [TextBlock("hello")])]
DELTA = b'data: {"model": "served", "choices": [{"index": 0, "delta": {"content": "hi"}}]}\n\n'
END = (
    b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    b'data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}\n\n'
    b"data: [DONE]\n\n"
)


@dataclass(frozen=True)
class Reply:
    """What the provider answers: chunks, and what *then* comes.

    That is the end, or what is no end: the connection breaks, silence, or the last chunk for ever.
    """

    chunks: tuple[bytes, ...] = (DELTA, END)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    then: str = "end"


class Provider:
    """Answers every request alike, keeps the requests, and knows who hung up."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.heads: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.connections = 0
        self.url = ""
        self.received = asyncio.Event()
        self.hung_up = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                await self._answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.hung_up.set()
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        size = head.partition("content-length:")[2].split("\r\n")[0]
        self.heads.append(head)
        self.bodies.append(json.loads(await reader.readexactly(int(size))))
        self.received.set()
        headers = {"transfer-encoding": "chunked", **self.reply.headers}
        lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
        writer.write(f"HTTP/1.1 {self.reply.status} X\r\n{''.join(lines)}\r\n".encode())
        for chunk in self.reply.chunks:
            await _send(writer, chunk)
        while self.reply.then == "endless":
            await _send(writer, self.reply.chunks[-1])
            await asyncio.sleep(0)
        if self.reply.then == "break":
            raise ConnectionResetError
        if self.reply.then == "silence":
            await reader.readexactly(1)
        writer.write(b"0\r\n\r\n")


async def _send(writer: asyncio.StreamWriter, chunk: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
    await writer.drain()


@dataclass(frozen=True)
class Asked:
    """What came of it: a value or an error, and the provider that was asked."""

    value: Any
    error: Any
    provider: Provider


Use = Callable[[Any, Provider], Awaitable[Any]]


class LeapingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock can be set forward: what waits for a time then waits no more."""

    leapt = 0.0

    def time(self) -> float:
        return super().time() + self.leapt

    def leap(self) -> None:
        """Let a day pass as soon as everybody waits who is going to."""
        self.call_soon(self._leap)

    def _leap(self) -> None:
        self.leapt += 24 * 60 * 60


async def generate(llm: Any, _: Provider) -> Any:
    return await llm.generate(HELLO)


async def _ask(
    reply: Reply, use: Use, settings: dict[str, Any], *, of: Callable[..., Any]
) -> Asked:
    provider = Provider(reply)
    async with await asyncio.start_server(provider.serve, "127.0.0.1", 0) as server:
        provider.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        defaults: dict[str, Any] = {"api_key": "sk-canary", "base_url": provider.url}
        settings = defaults | {"default_model": "m"} | settings
        value = error = None
        async with of(**settings) as llm:
            try:
                value = await use(llm, provider)
            except Exception as caught:  # noqa: BLE001 - the tests look at what came
                error = caught
        return Asked(value, error, provider)


@pytest.fixture
def ask() -> Callable[..., Asked]:
    """Give what asks a provider through the client *of* it, in the way that *use* does.

    The keywords are fields of the reply, or settings of the client.
    """

    def run(
        use: Use = generate, *, of: Callable[..., Any] = OpenAICompatibleLLM, **how: Any
    ) -> Asked:
        answer = {name: how.pop(name) for name in list(how) if name in Reply.__annotations__}
        with asyncio.Runner(loop_factory=LeapingLoop) as runner:
            return runner.run(_ask(Reply(**answer), use, how, of=of))

    return run
