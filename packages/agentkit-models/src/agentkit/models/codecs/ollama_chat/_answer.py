"""One answer as far as it has come: a whole message and the pieces of a stream add up alike."""

from typing import Any
from uuid import uuid4

from agentkit.core.contracts.content import ContentBlock, TextBlock, ThinkingBlock, ToolUseBlock
from agentkit.core.contracts.llm import (
    CompletionEvent,
    ModelUsage,
    ReasoningDelta,
    StopKind,
    TextDelta,
)
from agentkit.core.contracts.types import LLMResult
from agentkit.models._arguments import parse_arguments
from agentkit.models.codecs._errors import frozen
from agentkit.models.codecs._json import as_dict, as_list, as_text, count
from agentkit.models.codecs._pairs import joined
from agentkit.models.codecs._partial import partial_of
from agentkit.models.codecs._stop_words import is_cut, stop_kind

__all__ = ["Answer"]

_STOP_KINDS: dict[str, StopKind] = {"stop": "stop", "length": "length"}


class Answer:
    """The text, the reasoning and the tool calls of a message, and its usage."""

    def __init__(self, *, provider: str) -> None:
        self.provider = provider
        self.model = ""
        self.finish_reason: str | None = None
        self.usage = ModelUsage()
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[str, dict[str, Any]] = {}

    @property
    def stop_kind(self) -> StopKind | None:
        """Why the model stopped, in our words, where that can be told."""
        return stop_kind(self.finish_reason, _STOP_KINDS, has_calls=bool(self._calls))

    def add(self, message: dict[str, Any]) -> list[TextDelta | ReasoningDelta]:
        """Add a piece of the message, or all of it, and give what of it a reader sees."""
        seen: list[TextDelta | ReasoningDelta] = []
        if thought := as_text(message.get("thinking")):
            self._reasoning.append(thought)
            seen.append(ReasoningDelta(thought))
        if text := as_text(message.get("content")):
            self._text.append(text)
            seen.append(TextDelta(text))
        for call in as_list(message.get("tool_calls")):
            self._add_call(as_dict(call))
        return seen

    def read_facts(self, frame: dict[str, Any]) -> None:
        """Take from a frame what is said of the answer as a whole."""
        self.model = as_text(frame.get("model")) or self.model
        if frame.get("done") is not True:
            return
        self.finish_reason = as_text(frame.get("done_reason")) or None
        read, written = count(frame.get("prompt_eval_count")), count(frame.get("eval_count"))
        if read or written:
            self.usage = ModelUsage(read, output_tokens=written, provenance="reported")

    def completion(self) -> CompletionEvent:
        """Give the whole answer."""
        facts = {"model": self.model, "provider": self.provider}
        return CompletionEvent(
            self._blocks(cut=is_cut(self.stop_kind)),
            self.usage,
            {name: fact for name, fact in facts.items() if fact},
            finish_reason=self.finish_reason,
            stop_kind=self.stop_kind,
        )

    def partial(self) -> LLMResult | None:
        """Give what has come of an answer that will not be finished, or None when nothing has."""
        if not (self._text or self._reasoning or self._calls):
            return None
        return partial_of(
            self._blocks(cut=False),
            self.usage,
            model=self.model,
            provider=self.provider,
            finish_reason=self.finish_reason,
        )

    def _add_call(self, call: dict[str, Any]) -> None:
        """Add a call, which always comes whole; an id that is missing or taken is made up."""
        call_id = as_text(call.get("id"))
        if not call_id or call_id in self._calls:
            call_id = f"call_{uuid4().hex}"
        self._calls[call_id] = frozen(as_dict(call.get("function")))

    def _blocks(self, *, cut: bool) -> list[ContentBlock]:
        blocks: list[ContentBlock] = []
        if thought := joined(self._reasoning):
            blocks.append(ThinkingBlock(thought, provider=self.provider))
        if text := joined(self._text):
            blocks.append(TextBlock(text))
        for call_id, function in self._calls.items():
            arguments = parse_arguments(function.get("arguments"), cut=cut)
            blocks.append(ToolUseBlock(call_id, as_text(function.get("name")), arguments))
        return blocks
