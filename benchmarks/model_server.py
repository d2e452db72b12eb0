"""A provider that answers with bytes it rendered before: `python benchmarks/model_server.py`.

It prints its port. The path says what is asked for: `/chat/2000` or `/messages/2000` and whatever
a client puts behind that.
"""

import asyncio
import functools
import json
from typing import Any

CHAT = {"id": "chatcmpl-AbCdEf0123456789", "object": "chat.completion.chunk"} | {
    "created": 1750440714,
    "model": "gpt-4o-mini-2024-07-18",
    "service_tier": "default",
    "system_fingerprint": "fp_62a23a81ef",
}


def main() -> None:
    """Serve until the process is ended."""
    asyncio.run(_serve())


async def _serve() -> None:
    async with await asyncio.start_server(_answer, "127.0.0.1", 0) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            size = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            asked = json.loads(await reader.readexactly(int(size)))
            _, api, count, *_ = head.split(b" ", 2)[1].decode().split("/")
            writer.write(_rendered(api, int(count), is_stream=asked.get("stream", False)))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


@functools.cache
def _rendered(api: str, count: int, *, is_stream: bool) -> bytes:
    """Give the whole answer: a stream in one chunk of the transfer for each event."""
    if not is_stream:
        body = json.dumps(_whole(count)).encode()
        head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        return b"HTTP/1.1 200 OK\r\n" + head.encode() + body
    events = _chat(count) if api == "chat" else _messages(count)
    chunks = [b"%x\r\n%s\r\n" % (len(event), event) for event in events]
    head = "content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    return b"HTTP/1.1 200 OK\r\n" + head.encode() + b"".join(chunks) + b"0\r\n\r\n"


def _whole(count: int) -> dict[str, Any]:
    message = {"role": "assistant", "content": " word" * count, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return CHAT | {"object": "chat.completion", "choices": [choice], "usage": _usage(count)}


def _chat(count: int) -> list[bytes]:
    texts = [{"role": "assistant", "content": "", "refusal": None}]
    texts += [{"content": f" word{n}"} for n in range(count)]
    frames = [_chunk(delta, None) for delta in texts]
    frames += [_chunk({}, "stop"), CHAT | {"choices": [], "usage": _usage(count)}]
    return [*[f"data: {_json(frame)}\n\n".encode() for frame in frames], b"data: [DONE]\n\n"]


def _chunk(delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return CHAT | {"choices": [choice]}


def _usage(count: int) -> dict[str, int]:
    return {"prompt_tokens": 9, "completion_tokens": count, "total_tokens": count + 9}


def _messages(count: int) -> list[bytes]:
    usage = {"input_tokens": 9, "output_tokens": 1}
    message: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant"}
    message |= {"model": "claude-sonnet-4-6"}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    opened = {"type": "text", "text": ""}
    frames: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": opened},
    ]
    for n in range(count):
        delta = {"type": "text_delta", "text": f" word{n}"}
        frames.append({"type": "content_block_delta", "index": 0, "delta": delta})
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    frames += [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": count}},
        {"type": "message_stop"},
    ]
    return [f"event: {frame['type']}\ndata: {_json(frame)}\n\n".encode() for frame in frames]


def _json(frame: dict[str, Any]) -> str:
    return json.dumps(frame, separators=(",", ":"))


if __name__ == "__main__":
    main()
