"""Neutral messages to the system text and the turns of a request."""

from collections.abc import Sequence
from typing import Any

from agentkit.core.contracts.content import ChatMessage
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.models.codecs.anthropic_messages._encode_blocks import (
    assistant_part,
    text_of,
    user_part,
)

__all__ = ["encode_turns", "system_texts"]

_ROLES = {"user": "user", "tool": "user", "assistant": "assistant"}


def system_texts(messages: Sequence[ChatMessage]) -> list[str]:
    """Give the text of each system message.

    Raises:
        UnsupportedOption: One of them holds something else than text.

    """
    return [
        "".join(text_of(block) for block in message.content)
        for message in messages
        if message.role == "system"
    ]


def encode_turns(messages: Sequence[ChatMessage], *, sender: str) -> list[dict[str, Any]]:
    """Give the turns of all other messages, those of one speaker in a row as one.

    The results of parallel calls have to come in one turn, before anything else in it.

    Raises:
        UnsupportedOption: The API has no place for a role, a name or a block.

    """
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        role, parts = _role(message), _parts(message, sender)
        if role == "assistant" and not parts:
            continue  # what is left of it is empty, or another provider's own
        if turns and turns[-1]["role"] == role:
            parts = turns.pop()["content"] + parts
        turns.append({"role": role, "content": sorted(parts, key=_is_no_result)})
    return turns


def _role(message: ChatMessage) -> str:
    role = _ROLES.get(message.role)
    if role is None:
        raise UnsupportedOption(f"the messages API has no role {message.role!r}", option="role")
    if message.name is not None and message.role != "tool":
        raise UnsupportedOption(
            f"the messages API takes no name of a speaker; got {message.name!r}", option="name"
        )
    return role


def _parts(message: ChatMessage, sender: str) -> list[dict[str, Any]]:
    if message.role != "assistant":
        return [user_part(block, sender=sender) for block in message.content]
    parts = [assistant_part(block, sender=sender) for block in message.content]
    return [part for part in parts if part is not None]


def _is_no_result(part: dict[str, Any]) -> bool:
    return bool(part.get("type") != "tool_result")
