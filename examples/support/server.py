"""A small server that speaks the chat-completions wire format over loopback HTTP.

It streams what the scripted model says the way providers do: in fragments, with tool calls
interleaved and their arguments cut anywhere. `python -m support.server --fault 401` serves a fault.
"""

import argparse
import asyncio
import json
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from support.detective import Json, Reply, reply_to

FAULTS = ("401", "429", "500", "cut", "error-frame", "bad-arguments", "unknown-tool")
PIECE = 9
MODEL = "detective-1"


@asynccontextmanager
async def serving(*, pause_s: float = 0.0, fault: str | None = None) -> AsyncGenerator[str, None]:
    """Serve on a free loopback port until the end of the block, and give the base URL."""
    scripted = _Scripted(pause_s, fault)
    server = await asyncio.start_server(scripted.handle, "127.0.0.1", 0)
    async with server:
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        finally:
            server.close()
            await scripted.hang_up()


class _Scripted:
    def __init__(self, pause_s: float, fault: str | None) -> None:
        self._pause_s = pause_s
        self._fault = fault
        self._open: dict[asyncio.Task[Any] | None, StreamWriter] = {}

    async def hang_up(self) -> None:
        """Close every connection, and return once nobody answers on them any more."""
        handlers = [handler for handler in self._open if handler is not None]
        for writer in self._open.values():
            writer.close()
        await asyncio.gather(*handlers, return_exceptions=True)

    async def handle(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Answer the requests of one connection, until it is closed."""
        self._open[asyncio.current_task()] = writer
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while body := await _request_body(reader):
                if not await self._respond(body, writer):
                    break
        writer.close()
        self._open.pop(asyncio.current_task())

    async def _respond(self, body: bytes, writer: StreamWriter) -> bool:
        """Answer one request; say whether the connection may go on."""
        if self._fault in {"401", "429", "500"}:
            writer.write(_refusal(int(self._fault)))
            await writer.drain()
            return True
        writer.write(
            b"HTTP/1.1 200 OK\r\n"
            b"content-type: text/event-stream\r\n"
            b"transfer-encoding: chunked\r\n\r\n"
        )
        for number, event in enumerate(self._events(json.loads(body))):
            if number == 3 and self._fault == "cut":  # noqa: PLR2004 - somewhere in the middle
                return False
            await self._send(writer, event)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _send(self, writer: StreamWriter, event: str) -> None:
        data = f"data: {event}\n\n".encode()
        for half in (data[: len(data) // 3], data[len(data) // 3 :]):
            writer.write(f"{len(half):x}\r\n".encode() + half + b"\r\n")
            await writer.drain()
        if self._pause_s:
            await asyncio.sleep(self._pause_s)

    def _events(self, request: Json) -> Iterator[str]:
        messages: list[Json] = request["messages"]
        reply = self._mistaken(messages) or reply_to(messages)
        yield _chunk({"role": "assistant", "content": ""})
        if self._fault == "error-frame":
            yield json.dumps({"error": {"type": "overloaded_error", "message": "Overloaded"}})
            return
        for piece in _pieces(reply.text):
            yield _chunk({"content": piece})
        for fragment in _fragments(reply, turn=len(messages)):
            yield _chunk({"tool_calls": [fragment]})
        yield _chunk({}, finish_reason="tool_calls" if reply.calls else "stop")
        yield json.dumps(_head() | {"choices": [], "usage": _usage(request, reply)})
        yield "[DONE]"

    def _mistaken(self, messages: list[Json]) -> Reply | None:
        """Give a first reply that calls a tool wrongly, where that is the fault to show."""
        if any(m["role"] == "tool" for m in messages):
            return None
        if self._fault == "bad-arguments":
            return Reply("Let me search.", [("search_logs", {"file": 3, "patern": "ERROR"})])
        if self._fault == "unknown-tool":
            return Reply("Let me look.", [("grep", {"pattern": "ERROR"})])
        return None


async def _request_body(reader: StreamReader) -> bytes:
    """Read one HTTP request and give its body; nothing at the end of the connection."""
    head = await reader.readuntil(b"\r\n\r\n")
    headers = dict(
        line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line
    )
    return await reader.readexactly(int(headers.get(b"content-length", b"0")))


def _refusal(status: int) -> bytes:
    reasons = {401: "Unauthorized", 429: "Too Many Requests", 500: "Internal Server Error"}
    told = {"error": {"type": "test_fault", "message": f"{reasons[status]} (a fault on purpose)"}}
    body = json.dumps(told).encode()
    wait = "retry-after: 600\r\n" if status == 429 else ""  # noqa: PLR2004 - that very status
    head = (
        f"HTTP/1.1 {status} {reasons[status]}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n{wait}\r\n"
    )
    return head.encode() + body


def _fragments(reply: Reply, *, turn: int) -> Iterator[Json]:
    """Give the tool calls as providers do: named first, then their arguments bit by bit."""
    for index, (name, _) in enumerate(reply.calls):
        function = {"name": name, "arguments": ""}
        yield {
            "index": index,
            "id": f"call_{turn}_{index}",
            "type": "function",
            "function": function,
        }
    cut = [list(_pieces(json.dumps(arguments))) for _, arguments in reply.calls]
    for step in range(max((len(pieces) for pieces in cut), default=0)):
        for index, pieces in enumerate(cut):
            if step < len(pieces):
                yield {"index": index, "function": {"arguments": pieces[step]}}


def _pieces(text: str) -> Iterator[str]:
    for at in range(0, len(text), PIECE):
        yield text[at : at + PIECE]


def _chunk(delta: Json, finish_reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return json.dumps(_head() | {"choices": [choice]})


def _head() -> Json:
    return {
        "id": "chatcmpl-local",
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": MODEL,
    }


def _usage(request: Json, reply: Reply) -> dict[str, Any]:
    """Count four characters as a token, as a rule of thumb has it."""
    prompt = len(json.dumps(request)) // 4
    completion = (len(reply.text) + len(json.dumps(reply.calls))) // 4
    total = prompt + completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}


async def _serve_forever(fault: str | None, pause_s: float) -> None:
    async with serving(fault=fault, pause_s=pause_s) as url:
        print(url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Serve the scripted model until interrupted.")
    parser.add_argument("--fault", choices=FAULTS)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between two events")
    options = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve_forever(options.fault, options.pause))
