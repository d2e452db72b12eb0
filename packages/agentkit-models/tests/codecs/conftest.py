"""What the tests of the codecs share."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.core.contracts.llm import CompletionEvent
from agentkit.models.codecs.chat_completions import decode_response

Frames = Callable[..., bytes]


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
