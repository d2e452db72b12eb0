"""The neutral blocks of an answer, each with what only its provider can read back."""

import json
from typing import Any
from uuid import uuid4

from agentkit.core.contracts.content import (
    ContentBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    UnknownBlock,
)
from agentkit.models._arguments import parse_arguments
from agentkit.models.codecs._errors import kept
from agentkit.models.codecs._json import as_list, as_text
from agentkit.models.codecs._pairs import joined
from agentkit.models.codecs.anthropic_messages._growing import GrowingBlock

__all__ = ["blocks_of"]

_JSON = "partial_json"
_INPUT = "input"


def blocks_of(
    growing: list[GrowingBlock], *, provider: str, response_id: str, cut: bool
) -> list[ContentBlock]:
    """Give the blocks of an answer, in order; text without a word in it is none.

    *cut* says that the answer ended before the model was done: its last block may be half of one.
    """
    blocks: list[ContentBlock] = []
    taken: set[str] = set()
    for position, block in enumerate(growing):
        is_cut = cut and position == len(growing) - 1
        if block.kind == "tool_use":
            fallback = f"call_{response_id or uuid4().hex}_{position}"
            blocks.append(_tool_use(block, provider, taken, fallback=fallback, cut=is_cut))
        elif block.kind == "text":
            blocks += _text(block, provider)
        elif block.kind == "thinking":
            blocks.append(_thinking(block, provider))
        elif block.kind == "redacted_thinking":
            blocks.append(_redacted(block, provider))
        else:
            blocks.append(UnknownBlock(_raw(block, cut=is_cut), provider=provider))
    return blocks


def _text(block: GrowingBlock, provider: str) -> list[ContentBlock]:
    extra = _extra(block, "text")
    citations = [*as_list(extra.get("citations")), *block.values.get("citation", ())]
    if citations:
        extra["citations"] = citations
    text = block.text("text")
    if not extra:
        return [TextBlock(text)] if text else []
    return [TextBlock(text, signature=json.dumps(extra), provider=provider)]


def _thinking(block: GrowingBlock, provider: str) -> ContentBlock:
    is_signed = "signature" in block.start or "signature" in block.pieces
    return ThinkingBlock(
        block.text("thinking"),
        block.text("signature") if is_signed else None,
        provider=provider,
        opaque=_extra(block, "thinking", "signature"),
    )


def _redacted(block: GrowingBlock, provider: str) -> ContentBlock:
    extra = _extra(block, "data")
    return ThinkingBlock("", block.text("data"), redacted=True, provider=provider, opaque=extra)


def _tool_use(
    block: GrowingBlock,
    provider: str,
    taken: set[str],
    *,
    fallback: str,
    cut: bool,
) -> ContentBlock:
    call_id = as_text(block.start.get("id"))
    if not call_id or call_id in taken:
        call_id = fallback
    taken.add(call_id)
    extra = _extra(block, "id", "name", _INPUT)
    return ToolUseBlock(
        call_id,
        as_text(block.start.get("name")),
        _arguments(block, cut=cut),
        signature=json.dumps(extra) if extra else None,
        provider=provider if extra else "",
    )


def _arguments(block: GrowingBlock, *, cut: bool) -> dict[str, Any]:
    """Give the input of a call; where it is empty and the answer was cut, it is not known."""
    text = joined(block.pieces.get(_JSON, ()))
    return parse_arguments(text or block.start.get(_INPUT) or "", cut=cut)


def _extra(block: GrowingBlock, *known: str) -> dict[str, Any]:
    """Give what the provider attached to a block beside its *known* fields."""
    names = {"type", *known}
    start = block.start.items()
    return {name: kept(value) for name, value in start if value and name not in names}


def _raw(block: GrowingBlock, *, cut: bool) -> dict[str, Any]:
    """Give a block that is the provider's alone, as a whole body would have it."""
    raw = dict(kept(block.start))
    for name in block.pieces:
        if name != _JSON:
            raw[name] = block.text(name)
    for name, values in block.values.items():
        raw[name] = values[-1]
    if any(block.pieces.get(_JSON, ())):
        raw[_INPUT] = _arguments(block, cut=cut)
    return raw
