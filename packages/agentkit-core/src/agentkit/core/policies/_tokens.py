"""The one estimate of how many tokens a transcript is."""

from collections.abc import Iterable

from agentkit.core.contracts._checks import shown
from agentkit.core.contracts.types import Message, ToolCall
from agentkit.core.serialization._kinds import is_a
from agentkit.core.serialization.canonical import canonical_json

__all__ = ["estimate_message_tokens"]

_CHARS_PER_TOKEN = 4
_TOKENS_PER_PART = 4


def estimate_message_tokens(messages: Iterable[Message]) -> int:
    """Estimate the tokens of *messages*: a quarter of their characters, and 4 per message and call.

    Nothing is 0. Raises `TypeError` for what is no `Message`.
    """
    chars = parts = 0
    for message in messages:
        if not is_a(message, Message):
            raise TypeError(f"messages is a list of Message; got one that is {shown(message)}")
        chars += len(message.content) + len(message.name or "") + len(message.tool_call_id or "")
        chars += sum(_chars_of(call) for call in message.tool_calls)
        parts += 1 + len(message.tool_calls)
    return chars // _CHARS_PER_TOKEN + _TOKENS_PER_PART * parts


def _chars_of(call: ToolCall) -> int:
    return len(call.id) + len(call.name) + len(canonical_json(call.arguments))
