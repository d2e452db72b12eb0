"""Counting tokens roughly, without a tokenizer."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from agentkit.core.contracts.types import Message
from agentkit.core.serialization.canonical import canonical_json

__all__ = ["ApproxTokenCounter", "TokenCounter"]

_PER_MESSAGE: Final = 4


class TokenCounter(Protocol):
    """Counts what messages take of a model's window."""

    def count(self, messages: Iterable[Message]) -> int:
        """Give the number of tokens."""
        ...


@dataclass(frozen=True, slots=True)
class ApproxTokenCounter:
    """Counts characters, at *chars_per_token* each, and a few tokens per message and call."""

    chars_per_token: float = 4.0

    def count(self, messages: Iterable[Message]) -> int:
        """Give the estimate."""
        return sum(self._tokens_of(message) for message in messages)

    def _tokens_of(self, message: Message) -> int:
        chars = len(message.content) + len(message.name or "") + len(message.tool_call_id or "")
        for call in message.tool_calls:
            chars += len(call.id) + len(call.name) + len(canonical_json(call.arguments))
        overhead = _PER_MESSAGE * (1 + len(message.tool_calls))
        return math.ceil(chars / self.chars_per_token) + overhead
