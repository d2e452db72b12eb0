"""Neutral messages to the contents of a request."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Any

from agentkit.core.contracts.content import (
    ChatMessage,
    ContentBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.models.codecs.gemini._drafts import SIGNATURE
from agentkit.models.codecs.gemini._encode_parts import (
    Part,
    encode_part,
    is_media,
    result_part,
    text_of,
)

__all__ = ["encode_contents", "system_texts"]

_SYSTEM_ROLES = frozenset({"system", "developer"})
# What the API takes for the signature of a call that no Gemini made.
_NO_SIGNATURE = b64encode(b"skip_thought_signature_validator").decode()


def system_texts(messages: Iterable[ChatMessage]) -> list[str]:
    """Give the texts of the system messages, which the API has outside of the contents.

    Raises:
        UnsupportedOption: One holds what is no text.

    """
    return [
        "".join(map(text_of, message.content))
        for message in messages
        if message.role in _SYSTEM_ROLES
    ]


def encode_contents(
    messages: Sequence[ChatMessage], *, sender: str, wants_signatures: bool
) -> list[dict[str, Any]]:
    """Give the turns of *messages*; the results of one turn's calls are in one turn as well.

    With *wants_signatures* the first call of a turn that has none is marked as made elsewhere. The
    API has no name for who speaks.

    Raises:
        UnsupportedOption: The API has no part for a block, or a result is of no known tool.

    """
    contents: list[dict[str, Any]] = []
    media: list[Part] = []
    names: dict[str, str] = {}
    for message in messages:
        if message.role in _SYSTEM_ROLES:
            continue
        results = [block for block in message.content if isinstance(block, ToolResultBlock)]
        rest = [block for block in message.content if not isinstance(block, ToolResultBlock)]
        names |= {b.call_id: b.tool_name for b in rest if isinstance(b, ToolUseBlock)}
        for result in results:
            _put(contents, "user", [result_part(result, name=_name_of(result, names))])
            media += [encode_part(b, sender=sender) or {} for b in result.content if is_media(b)]
        if results and not rest:
            continue
        _put_media(contents, media)
        parts = _parts(rest, sender=sender)
        if message.role == "assistant":
            _mark(parts, wants_signatures=wants_signatures)
        contents.append({"role": _role(message), "parts": parts or [{"text": ""}]})
    _put_media(contents, media)
    return contents


def _put(contents: list[dict[str, Any]], role: str, parts: list[Part]) -> None:
    """Put the result of a tool beside those that are there already."""
    last: list[Part] = contents[-1]["parts"] if contents else []
    if last and all("functionResponse" in part for part in last):
        last.extend(parts)
    else:
        contents.append({"role": role, "parts": parts})


def _put_media(contents: list[dict[str, Any]], media: list[Part]) -> None:
    """Put the media that tools gave into a turn of their own, since a result holds none."""
    if media:
        contents.append({"role": "user", "parts": list(media)})
        media.clear()


def _parts(blocks: Iterable[ContentBlock], *, sender: str) -> list[Part]:
    parts: list[Part] = []
    for block in blocks:
        part = encode_part(block, sender=sender)
        if part is None:
            continue
        if parts and part.keys() == {SIGNATURE}:
            parts[-1] |= part
        else:
            parts.append(part)
    return parts


def _mark(parts: list[Part], *, wants_signatures: bool) -> None:
    first = next((part for part in parts if "functionCall" in part), None)
    if wants_signatures and first is not None:
        first.setdefault(SIGNATURE, _NO_SIGNATURE)


def _role(message: ChatMessage) -> str:
    if message.role == "assistant":
        return "model"
    if message.role in {"user", "tool"}:
        return "user"
    raise UnsupportedOption(f"Gemini has no role {message.role!r}", option="role")


def _name_of(result: ToolResultBlock, names: dict[str, str]) -> str:
    name = result.name or names.get(result.call_id, "")
    if not name:
        raise UnsupportedOption(
            f"Gemini takes a tool's result by the tool's name; that of {result.call_id!r} has "
            "none, and its call is not among the messages",
            option="tool_result",
        )
    return name
