"""Neutral blocks to the content blocks of a request."""

import re
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from agentkit.core.contracts.content import (
    CodeBlock,
    ContentBlock,
    DataBlock,
    DocumentBlock,
    ErrorBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownBlock,
)
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.serialization import canonical_json, stable_hash
from agentkit.models.codecs._json import as_dict, load

__all__ = ["assistant_part", "refuse", "text_of", "user_part"]

_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_PDF = "application/pdf"
_CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
_TEXTUAL = TextBlock | CodeBlock | DataBlock | ErrorBlock


def user_part(block: ContentBlock, *, sender: str) -> dict[str, Any]:
    """Give *block* as the user, or a tool, says it.

    Raises:
        UnsupportedOption: The API has no place for it.

    """
    if isinstance(block, ToolResultBlock):
        return _result(block, sender)
    if isinstance(block, UnknownBlock) and block.provider and block.provider == sender:
        return dict(block.raw)
    encode = _PARTS.get(type(block))
    return encode(block) if encode else refuse(block)


def assistant_part(block: ContentBlock, *, sender: str) -> dict[str, Any] | None:
    """Give *block* as the model said it, or None for what is empty or another provider's own.

    Raises:
        UnsupportedOption: The API has no place for it.

    """
    if isinstance(block, ThinkingBlock | UnknownBlock):
        if not block.provider or block.provider != sender:
            return None
        return dict(block.raw) if isinstance(block, UnknownBlock) else _thinking(block)
    if isinstance(block, ToolUseBlock):
        return _tool_use(block, sender)
    if not isinstance(block, _TEXTUAL):
        return refuse(block)
    text = text_of(block)
    attached = _attached(block, sender) if isinstance(block, TextBlock) else {}
    # The API refuses text without a word in it, which models do produce.
    return {"type": "text", "text": text, **attached} if text.strip() or attached else None


def text_of(block: ContentBlock) -> str:
    """Give the text of *block*.

    Raises:
        UnsupportedOption: It has none.

    """
    if isinstance(block, TextBlock):
        return block.text
    if isinstance(block, DataBlock):
        return canonical_json(block.data)
    if isinstance(block, CodeBlock | ErrorBlock):
        return block.to_text_repr()
    return str(refuse(block))


def refuse(block: ContentBlock, what: str = "") -> dict[str, Any]:
    """Give nothing.

    Raises:
        UnsupportedOption: Always.

    """
    raise UnsupportedOption(
        f"the messages API takes no {what or block.type + ' block'} here", option=block.type
    )


def _text(block: ContentBlock) -> dict[str, Any]:
    return {"type": "text", "text": text_of(block)}


def _image(block: ImageBlock) -> dict[str, Any]:
    if block.detail != "auto":
        return refuse(block, f"image in {block.detail!r} detail")
    if block.data is not None and block.media_type not in _IMAGES:
        return refuse(block, f"image as {block.media_type}")
    return {"type": "image", "source": _source(block)}


def _document(block: DocumentBlock) -> dict[str, Any]:
    document: dict[str, Any] = {"type": "document"}
    if block.data is None or block.media_type == _PDF:
        document["source"] = _source(block)
    elif block.media_type.startswith("text/"):
        text = block.data.decode(errors="replace")
        document["source"] = {"type": "text", "media_type": "text/plain", "data": text}
    else:
        return refuse(block, f"document as {block.media_type}")
    if block.filename is not None:
        document["title"] = block.filename
    return document


def _source(block: ImageBlock | DocumentBlock) -> dict[str, Any]:
    if block.url is not None:
        return {"type": "url", "url": block.url}
    if block.file_id is not None:
        return {"type": "file", "file_id": block.file_id}
    data = b64encode(block.data or b"").decode()
    return {"type": "base64", "media_type": block.media_type, "data": data}


def _result(block: ToolResultBlock, sender: str) -> dict[str, Any]:
    """Give a tool's result without blank text, which the API refuses, as it does a bare error."""
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": _wire_id(block.call_id)}
    content: list[dict[str, Any]] = []
    for part in block.content:
        if isinstance(part, ToolResultBlock):
            return refuse(part, "tool result inside a tool result")
        if not isinstance(part, TextBlock) or part.text.strip():
            content.append(user_part(part, sender=sender))
    if block.is_error:
        result["is_error"] = True
        content = content or [{"type": "text", "text": "The tool failed and said nothing."}]
    if content:
        result["content"] = content
    return result


def _thinking(block: ThinkingBlock) -> dict[str, Any]:
    """Give reasoning as it came, byte for byte."""
    if block.redacted:
        return {"type": "redacted_thinking", "data": block.signature or "", **block.opaque}
    thought: dict[str, Any] = {"type": "thinking", "thinking": block.text, **block.opaque}
    if block.signature is not None:
        thought["signature"] = block.signature
    return thought


def _tool_use(block: ToolUseBlock, sender: str) -> dict[str, Any]:
    return {
        "type": "tool_use",
        "id": _wire_id(block.call_id),
        "name": block.tool_name,
        "input": block.arguments,
        **_attached(block, sender),
    }


def _attached(block: TextBlock | ToolUseBlock, sender: str) -> dict[str, Any]:
    """Give what the provider attached to *block*, if it is the one that is spoken to."""
    if not block.signature or block.provider != sender:
        return {}
    return as_dict(load(block.signature))


def _wire_id(call_id: str) -> str:
    """Give *call_id* in the letters that the API takes: other providers' ids may have others."""
    return call_id if _CALL_ID.fullmatch(call_id) else f"call_{stable_hash(call_id)}"


_PARTS: dict[type, Callable[[Any], dict[str, Any]]] = {
    TextBlock: _text,
    CodeBlock: _text,
    DataBlock: _text,
    ErrorBlock: _text,
    ImageBlock: _image,
    DocumentBlock: _document,
}
