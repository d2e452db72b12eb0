"""The parts of an answer in the order in which they came, and the blocks that they make."""

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from agentkit.core.contracts.content import (
    AudioBlock,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    UnknownBlock,
    VideoBlock,
)
from agentkit.core.contracts.llm import ReasoningDelta, TextDelta
from agentkit.models._arguments import parse_arguments
from agentkit.models.codecs._errors import frozen, kept
from agentkit.models.codecs._json import as_dict, as_text
from agentkit.models.codecs._pairs import joined

__all__ = ["MADE_ID", "SIGNATURE", "Drafts"]

MADE_ID = "gemini_call_"
"""What the id of a call begins with that came without one; such an id is not sent back."""
SIGNATURE = "thoughtSignature"
"""The field, and the unknown block's one key, that holds what belongs to the part before."""

_SPOKEN = frozenset({"text", "thought", SIGNATURE})
_SHOWN = frozenset({"inlineData", SIGNATURE})


@dataclass(slots=True)
class _Speech:
    """Text or thought that goes on; a signed part is a piece of its own, to be sent back so."""

    is_thought: bool
    signature: str
    pieces: list[str]

    def takes(self, *, is_thought: bool, signature: str) -> bool:
        """Whether such a part goes on with it."""
        return self.is_thought == is_thought and not self.signature and not signature

    def block(self, provider: str) -> ContentBlock:
        """Give it as a block; only what *provider* wants back is tagged with it."""
        text, signature = joined(self.pieces), self.signature or None
        if self.is_thought:
            return ThinkingBlock(text, signature, provider=provider)
        return TextBlock(text, signature=signature, provider=provider if signature else "")


@dataclass(slots=True)
class _Call:
    """A call of a function; most come without an id."""

    fields: dict[str, Any]
    signature: str

    def block(self, made_id: str, provider: str, *, cut: bool) -> ToolUseBlock:
        """Give it as a block; arguments that came in part are no arguments."""
        arguments = self.fields.get("args")
        if arguments is None:
            arguments = self.fields.get("partialArgs")
        return ToolUseBlock(
            as_text(self.fields.get("id")) or made_id,
            as_text(self.fields.get("name")),
            parse_arguments(frozen(arguments), cut=cut),
            signature=self.signature or None,
            provider=provider if self.signature else "",
        )


class Drafts:
    """Takes parts one by one and gives blocks, in the same order and with nothing left out."""

    def __init__(self) -> None:
        self._drafts: list[_Speech | _Call | ContentBlock] = []
        self._salt = uuid4().hex

    def __bool__(self) -> bool:
        return bool(self._drafts)

    def add(self, part: dict[str, Any], *, provider: str) -> TextDelta | ReasoningDelta | None:
        """Add *part*, and give what of it a reader sees."""
        signature = as_text(part.get(SIGNATURE))
        text = part.get("text")
        if isinstance(text, str) and part.keys() <= _SPOKEN:
            return self._speak(text, signature, is_thought=part.get("thought") is True)
        if call := as_dict(part.get("functionCall")):
            self._drafts.append(_Call(call, signature))
        elif part.keys() <= _SHOWN and (media := _media(as_dict(part.get("inlineData")))):
            self._drafts.append(media)
            if signature:
                self._drafts.append(UnknownBlock({SIGNATURE: signature}, provider=provider))
        elif part:
            self._drafts.append(UnknownBlock(kept(part), provider=provider))
        return None

    def blocks(self, *, provider: str, response_id: str, cut: bool) -> list[ContentBlock]:
        """Give the blocks so far; *cut* says that the model was not done."""
        blocks: list[ContentBlock] = []
        calls = 0
        for draft in self._drafts:
            if isinstance(draft, _Speech):
                blocks.append(draft.block(provider))
            elif isinstance(draft, _Call):
                made_id = f"{MADE_ID}{response_id or self._salt}_{calls}"
                blocks.append(draft.block(made_id, provider, cut=cut))
                calls += 1
            else:
                blocks.append(draft)
        return blocks

    def _speak(
        self, text: str, signature: str, *, is_thought: bool
    ) -> TextDelta | ReasoningDelta | None:
        if not text and not signature:
            return None
        last = self._drafts[-1] if self._drafts else None
        if isinstance(last, _Speech) and last.takes(is_thought=is_thought, signature=signature):
            last.pieces.append(text)
        else:
            self._drafts.append(_Speech(is_thought, signature, [text]))
        if not text:
            return None
        return ReasoningDelta(text) if is_thought else TextDelta(text)


_MEDIA: dict[str, Callable[[bytes, str], ContentBlock]] = {
    "image": lambda data, kind: ImageBlock(data=data, media_type=kind),
    "audio": lambda data, kind: AudioBlock(data=data, media_type=kind),
    "video": lambda data, kind: VideoBlock(data=data, media_type=kind),
    "application": lambda data, kind: DocumentBlock(data=data, media_type=kind),
}


def _media(inline: dict[str, Any]) -> ContentBlock | None:
    """Give the block of data that a model made, or None where it cannot be told what they are."""
    kind = as_text(inline.get("mimeType"))
    make = _MEDIA.get(kind.partition("/")[0])
    try:
        data = base64.b64decode(as_text(inline.get("data")), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return make(data, kind) if make and data else None
