"""One answer as far as it has come: a whole body and the chunks of a stream add up alike."""

from typing import Any

from agentkit.core.contracts.content import ContentBlock, ToolUseBlock, UnknownBlock
from agentkit.core.contracts.llm import (
    CompletionEvent,
    ModelUsage,
    ReasoningDelta,
    StopKind,
    TextDelta,
)
from agentkit.core.contracts.types import LLMResult
from agentkit.models.codecs._errors import kept
from agentkit.models.codecs._json import as_dict, as_list, as_text
from agentkit.models.codecs._partial import partial_of
from agentkit.models.codecs._stop_words import is_cut, stop_kind
from agentkit.models.codecs.gemini._drafts import Drafts
from agentkit.models.codecs.gemini._usage import usage_from

__all__ = ["BESIDE", "Answer"]

BESIDE = ("groundingMetadata", "citationMetadata", "urlContextMetadata")
"""What a candidate says beside its parts: the keys of an unknown block that is not sent back."""

_STOP_KINDS: dict[str, StopKind] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "MODEL_ARMOR": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
}
# The two services that speak this API number their reasons differently from the sixth on.
_NUMBERED = {1: "STOP", 2: "MAX_TOKENS", 3: "SAFETY", 4: "RECITATION", 5: "OTHER"}


class Answer:
    """The first candidate of a response, its usage, and what the provider calls it."""

    def __init__(self, *, provider: str) -> None:
        self.provider = provider
        self.model = ""
        self.response_id = ""
        self.finish_reason: str | None = None
        self.finish_message = ""
        self.block_reason = ""
        self.usage = ModelUsage()
        self.parts = Drafts()
        self.beside: dict[str, Any] = {}

    @property
    def stop_kind(self) -> StopKind | None:
        """Why the model stopped, in our words, where that can be told."""
        return self._stop_kind(has_calls=any(isinstance(b, ToolUseBlock) for b in self._blocks()))

    def read_facts(self, frame: dict[str, Any]) -> None:
        """Take from a chunk or a body what is said of the response as a whole."""
        self.model = as_text(frame.get("modelVersion")) or self.model
        self.response_id = self.response_id or as_text(frame.get("responseId"))
        feedback = as_dict(frame.get("promptFeedback"))
        self.block_reason = _word(feedback.get("blockReason")) or self.block_reason
        if raw := frame.get("usageMetadata"):
            usage = usage_from(raw)
            self.usage = self.usage if usage.provenance == "unknown" else usage

    def add(self, candidate: dict[str, Any]) -> list[TextDelta | ReasoningDelta]:
        """Add what *candidate* brings, and give what of it a reader sees."""
        parts = as_list(as_dict(candidate.get("content")).get("parts"))
        seen = [self.parts.add(as_dict(part), provider=self.provider) for part in parts]
        self.finish_reason = finish_word(candidate) or self.finish_reason
        self.finish_message = as_text(candidate.get("finishMessage")) or self.finish_message
        self.beside |= {name: kept(candidate[name]) for name in BESIDE if candidate.get(name)}
        return [delta for delta in seen if delta is not None]

    def completion(self) -> CompletionEvent:
        """Give the whole answer."""
        facts = {
            "model": self.model,
            "response_id": self.response_id,
            "provider": self.provider,
            "finish_message": self.finish_message,
            "block_reason": self.block_reason,
        }
        return CompletionEvent(
            self._blocks(),
            self.usage,
            {name: fact for name, fact in facts.items() if fact},
            finish_reason=self.finish_reason,
            stop_kind=self.stop_kind,
        )

    def partial(self) -> LLMResult | None:
        """Give what has come of an answer that will not be finished, or None when nothing has."""
        if not self.parts:
            return None
        return partial_of(
            self._blocks(),
            self.usage,
            model=self.model,
            provider=self.provider,
            finish_reason=self.finish_reason,
        )

    def _stop_kind(self, *, has_calls: bool) -> StopKind | None:
        if self.block_reason:
            return "content_filter"
        return stop_kind(self.finish_reason, _STOP_KINDS, has_calls=has_calls)

    def _blocks(self) -> list[ContentBlock]:
        cut = is_cut(self._stop_kind(has_calls=False))
        blocks = self.parts.blocks(provider=self.provider, response_id=self.response_id, cut=cut)
        if self.beside:
            blocks.append(UnknownBlock(self.beside, provider=self.provider))
        return blocks


def finish_word(candidate: dict[str, Any]) -> str:
    """Give why *candidate* ended, in the provider's word, or nothing while it has not."""
    reason = candidate.get("finishReason")
    word = _NUMBERED.get(reason, "") if type(reason) is int else ""
    word = word or _word(reason)
    return "" if word == "FINISH_REASON_UNSPECIFIED" else word


def _word(value: Any) -> str:
    """Give a value of an enumeration, which comes by name or by number; zero is none."""
    return str(value) if type(value) is int and value else as_text(value)
