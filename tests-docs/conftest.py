"""A model provider on the loopback address, so that the documentation's programs can ask one."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

CALL = {"name": "thermometer", "arguments": '{"city": "Rome"}'}
CALLS: dict[str, Any] = {
    "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": CALL}]
}
ANSWER: dict[str, Any] = {"content": '{"city": "Rome", "celsius": 21}'}
USAGE = {"prompt_tokens": 40, "completion_tokens": 10, "total_tokens": 50}


class Provider(BaseHTTPRequestHandler):
    """Speaks the chat-completions wire format: first it wants the tool, then it answers."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        has_result = body["messages"][-1]["role"] == "tool"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self._say({"delta": ANSWER if has_result else CALLS})
        self._say({"delta": {}, "finish_reason": "stop" if has_result else "tool_calls"})
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""

    def _say(self, choice: dict[str, Any]) -> None:
        chunk = {"id": "r1", "model": "m", "choices": [{"index": 0, **choice}], "usage": USAGE}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())


@pytest.fixture(scope="session")
def provider() -> Iterator[dict[str, str]]:
    """The environment in which a program finds the provider."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield {
            "OPENAI_API_KEY": "not-a-key",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}",
        }
        server.shutdown()
