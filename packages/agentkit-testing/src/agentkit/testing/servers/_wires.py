"""What a wire format must know of saying things, and what those of this package share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.types import ToolCall, Usage
from agentkit.core.testing import Turn

__all__ = [
    "EVENTS",
    "Answer",
    "Asked",
    "WireDialect",
    "error_type",
    "event",
    "json_bytes",
    "pieces",
    "raw_arguments",
    "refusal",
    "usage_of",
    "words_in",
]

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}

_USAGE = Usage(10, 5)
_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it came: its path with the query, its headers in lower case, its JSON."""

    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An HTTP answer, its body in the *frames* in which a provider would send it."""

    frames: Sequence[bytes]
    headers: Mapping[str, str] = field(default_factory=lambda: dict(JSON))
    status: int = 200


class WireDialect(Protocol):
    """How a provider says things; every method is told what was asked, streamed or not."""

    def answer(self, turn: Turn, asked: Asked) -> Answer:
        """Give *turn* as the provider would send it."""
        ...

    def failure(self, error: ProviderError, asked: Asked, *, after: str) -> Answer:
        """Give *error* as an answer, or as a frame of one in which text comes first: *after*."""
        ...

    def aside(self, asked: Asked) -> Answer | None:
        """Give the answer to what is no model call, such as counting tokens, or None."""
        ...


def pieces(text: str) -> list[str]:
    """Cut *text* into the pieces that a stream brings: short ones, but not very many."""
    size = max(3, len(text) // 500)
    return [text[at : at + size] for at in range(0, len(text), size)]


def error_type(error: ProviderError) -> str:
    """Give the provider's type of *error*: the one it has, or what goes with its status."""
    usual = _TYPES.get(error.status or 500, "server_error")
    return error.error_type or usual


def raw_arguments(call: ToolCall) -> str:
    """Give the arguments of *call* as text, which is no JSON where the call says so."""
    raw = call.raw_arguments
    return json.dumps(call.arguments, ensure_ascii=False) if raw is None else raw


def usage_of(turn: Turn) -> Usage:
    """Give what *turn* says that it cost, or what every other costs."""
    return turn.usage or _USAGE


def refusal(body: Any, error: ProviderError) -> Answer:
    """Give *body* as the answer that tells *error*, with when to come back."""
    waits = {} if error.retry_after is None else {"retry-after": f"{error.retry_after:g}"}
    return Answer(frames=[json_bytes(body)], headers=JSON | waits, status=error.status or 500)


def words_in(asked: Asked) -> int:
    """Give a count of tokens that grows with what was asked."""
    return 1 + len(json.dumps(asked.body)) // 4


def json_bytes(value: Any) -> bytes:
    """Give *value* as JSON."""
    return json.dumps(value).encode()


def event(value: Any, *, name: str = "") -> bytes:
    """Give *value* as one server-sent event."""
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json_bytes(value) + b"\n\n"
