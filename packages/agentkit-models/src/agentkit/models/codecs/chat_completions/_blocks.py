"""The neutral blocks of an answer."""

import base64
import binascii
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from agentkit.core.contracts.content import (
    ContentBlock,
    ErrorBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    UnknownBlock,
)
from agentkit.models._arguments import parse_arguments
from agentkit.models.codecs._json import as_dict, as_text
from agentkit.models.codecs._pairs import joined

if TYPE_CHECKING:
    from agentkit.models.codecs.chat_completions._answer import Answer

__all__ = ["FIELD", "FUNCTION_CALL", "REFUSAL", "blocks_of"]

REFUSAL = "refusal"
"""The `error_type` of the block that holds a model's refusal."""
FUNCTION_CALL = "function_call"
"""The type of the unknown block that holds a call in the form before tools."""
FIELD = "field"
"""The key in a thinking block's `opaque` that names the wire field its text came in."""


def blocks_of(answer: "Answer", *, cut: bool) -> list[ContentBlock]:
    """Give the blocks of *answer*: reasoning, text, refusal, other parts, tool calls.

    *cut* says that the answer ended before the model was done.
    """
    blocks: list[ContentBlock] = []
    if answer.reasoning or answer.details or answer.opaque:
        blocks.append(_thinking(answer))
    if text := joined(answer.text):
        blocks.append(TextBlock(text))
    if refusal := joined(answer.refusal):
        blocks.append(ErrorBlock(REFUSAL, refusal, recoverable=False))
    blocks.extend(_part(part, answer.provider) for part in answer.parts)
    if answer.function:
        raw = {"type": FUNCTION_CALL, **answer.function}
        blocks.append(UnknownBlock(raw, provider=answer.provider))
    blocks.extend(_calls(answer, cut=cut))
    return blocks


def _calls(answer: "Answer", *, cut: bool) -> Iterator[ToolUseBlock]:
    """Give the calls; an id that is missing or taken is replaced by a new one."""
    taken: set[str] = set()
    for position, call in enumerate(answer.fragments.calls):
        call_id = call.id or f"call_{answer.response_id or uuid4().hex}_{position}"
        while call_id in taken:
            call_id = f"{call_id}_{position}"
        taken.add(call_id)
        yield ToolUseBlock(
            call_id,
            call.name,
            parse_arguments(call.raw_arguments, cut=cut),
            signature=json.dumps(call.extra) if call.extra else None,
            provider=answer.provider if call.extra else "",
        )


def _thinking(answer: "Answer") -> ThinkingBlock:
    opaque: dict[str, Any] = dict(answer.opaque)
    if answer.details:
        opaque["reasoning_details"] = answer.details
    if answer.reasoning_field:
        opaque[FIELD] = answer.reasoning_field
    text = joined(answer.reasoning)
    return ThinkingBlock(text, redacted=not text, provider=answer.provider, opaque=opaque)


def _part(part: dict[str, Any], provider: str) -> ContentBlock:
    """Give a part that is neither text nor reasoning: an image, or what it is to its provider."""
    if part.get("type") == "image_url" and (url := _url(part)):
        return _image(url)
    return UnknownBlock(part, provider=provider)


def _url(part: dict[str, Any]) -> str:
    image = part.get("image_url")
    return as_text(image) or as_text(as_dict(image).get("url"))


def _image(url: str) -> ImageBlock:
    head, _, data = url.partition(";base64,")
    if not head.startswith("data:") or not data:
        return ImageBlock(url=url)
    try:
        return ImageBlock(data=base64.b64decode(data, validate=True), media_type=head[5:])
    except binascii.Error:
        return ImageBlock(url=url)
