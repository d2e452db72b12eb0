"""One answer as far as it has come: a whole message and the events of a stream add up alike."""

import json
from typing import Any

from agentkit.core.contracts.errors import ErrorClass
from agentkit.core.contracts.llm import (
    CompletionEvent,
    ModelUsage,
    ReasoningDelta,
    StopKind,
    TextDelta,
)
from agentkit.core.contracts.types import LLMResult
from agentkit.models.codecs._errors import kept, stream_error
from agentkit.models.codecs._json import as_dict, as_text
from agentkit.models.codecs._partial import partial_of
from agentkit.models.codecs._refrain import MoreText
from agentkit.models.codecs._stop_words import is_cut, stop_kind
from agentkit.models.codecs.anthropic_messages._blocks import blocks_of
from agentkit.models.codecs.anthropic_messages._growing import GrowingBlock
from agentkit.models.codecs.anthropic_messages._usage import usage_from

__all__ = ["Answer"]

_STOP_KINDS: dict[str, StopKind] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_use",
    "refusal": "refusal",
}


class Answer:
    """The blocks of a message, its usage, and what the provider calls it."""

    def __init__(self, *, provider: str) -> None:
        self.provider = provider
        self.model = ""
        self.response_id = ""
        self.finish_reason: str | None = None
        self.blocks: list[GrowingBlock] = []
        self._open: dict[int, GrowingBlock] = {}
        self._usage: dict[str, Any] = {}
        self._facts: dict[str, str] = {}

    @property
    def usage(self) -> ModelUsage:
        """The tokens as last told."""
        return usage_from(self._usage)

    @property
    def stop_kind(self) -> StopKind | None:
        """Why the model stopped, in our words, where that can be told."""
        has_calls = any(block.kind == "tool_use" for block in self.blocks)
        return stop_kind(self.finish_reason, _STOP_KINDS, has_calls=has_calls)

    def read_message(self, message: dict[str, Any]) -> None:
        """Take from a whole message, or the one that opens a stream, what it says of itself."""
        self.model = as_text(message.get("model")) or self.model
        self.response_id = as_text(message.get("id")) or self.response_id
        self.read_end(message, message.get("usage"))

    def read_end(self, end: dict[str, Any], usage: Any) -> None:
        """Take why the answer ended, and the *usage*, of which a later word replaces an earlier."""
        self.finish_reason = as_text(end.get("stop_reason")) or self.finish_reason
        if sequence := as_text(end.get("stop_sequence")):
            self._facts["stop_sequence"] = sequence
        if details := as_dict(end.get("stop_details")):
            self._facts["stop_details"] = json.dumps(kept(details))
        if container := as_text(as_dict(end.get("container")).get("id")):
            self._facts["container"] = container
        self._usage |= {k: value for k, value in as_dict(usage).items() if value is not None}

    def open(self, index: Any, start: dict[str, Any]) -> list[TextDelta | ReasoningDelta]:
        """Open the block *index*, and give what of it a reader sees.

        Raises:
            ProviderError: That block is open already, or *index* is none.

        """
        if type(index) is not int or index in self._open:
            what = f"a block begins at index {index!r}, which is open already or none"
            raise stream_error("ambiguous_block", what, ErrorClass.UNKNOWN)
        self._open[index] = block = GrowingBlock(start)
        self.blocks.append(block)
        return block.first()

    def add(self, index: Any, delta: dict[str, Any]) -> list[TextDelta | ReasoningDelta]:
        """Add *delta* to the block *index*, and give what of it a reader sees.

        Raises:
            ProviderError: No such block is open: whose delta it is would be a guess.

        """
        block = self._open.get(index) if type(index) is int else None
        if block is None:
            what = f"a delta is for index {index!r}, where no block is open"
            raise stream_error("ambiguous_block", what, ErrorClass.UNKNOWN)
        return block.add(delta)

    def more_of(
        self, index: Any, delta: dict[str, Any], seen: list[TextDelta | ReasoningDelta]
    ) -> MoreText | None:
        """Give what *delta*, which added *seen* to the block *index*, was if that was all of it."""
        block = self._open[index]
        if len(seen) != 1 or delta.keys() != {"type", block.kind}:
            return None
        as_delta = None if block.kind == "text" else ReasoningDelta
        return MoreText(block.kind, seen[0].text, block.pieces[block.kind].append, as_delta)

    def shut(self, index: Any) -> None:
        """Take no more deltas for the block *index*."""
        if type(index) is int:
            self._open.pop(index, None)

    def completion(self) -> CompletionEvent:
        """Give the whole answer."""
        facts = {"model": self.model, "response_id": self.response_id, "provider": self.provider}
        return CompletionEvent(
            blocks_of(
                self.blocks,
                provider=self.provider,
                response_id=self.response_id,
                cut=is_cut(self.stop_kind),
            ),
            self.usage,
            {name: fact for name, fact in (facts | self._facts).items() if fact},
            finish_reason=self.finish_reason,
            stop_kind=self.stop_kind,
        )

    def partial(self) -> LLMResult | None:
        """Give what has come of an answer that will not be finished, or None when nothing has."""
        if not any(block.has_output for block in self.blocks):
            return None
        blocks = blocks_of(
            self.blocks, provider=self.provider, response_id=self.response_id, cut=True
        )
        return partial_of(
            blocks,
            self.usage,
            model=self.model,
            provider=self.provider,
            finish_reason=self.finish_reason,
        )
