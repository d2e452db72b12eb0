"""One answer as far as it has come: a whole message and the deltas of a stream add up alike."""

from collections.abc import Iterator
from typing import Any

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
from agentkit.models.codecs._refrain import MoreText
from agentkit.models.codecs._stop_words import is_cut, stop_kind
from agentkit.models.codecs.chat_completions._blocks import blocks_of
from agentkit.models.codecs.chat_completions._tool_calls import ToolCallFragments
from agentkit.models.codecs.chat_completions._usage import usage_from

__all__ = ["Answer"]

# In lower case, and up to a colon: some gateways write their own word behind one.
_STOP_KINDS: dict[str, StopKind] = {
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence"), "stop"),
    **dict.fromkeys(("tool_calls", "function_call", "tool_use"), "tool_use"),
    **dict.fromkeys(("length", "max_tokens", "model_length"), "length"),
    **dict.fromkeys(("max_output_tokens", "model_context_window_exceeded"), "length"),
    **dict.fromkeys(("content_filter", "content_filtered", "sensitive"), "content_filter"),
    **dict.fromkeys(("safety", "recitation", "blocklist", "spii"), "content_filter"),
    **dict.fromkeys(("prohibited_content", "guardrail_intervened"), "content_filter"),
    "refusal": "refusal",
}
_OPAQUE_FIELDS = ("extra_content", "thought_signature", "reasoning_opaque")


class Answer:
    """The first choice of a response, its usage, and what the provider calls it."""

    def __init__(self, *, provider: str) -> None:
        self.provider = provider
        self.model = ""
        self.response_id = ""
        self.finish_reason: str | None = None
        self.usage = ModelUsage()
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.reasoning_field = ""
        self.refusal: list[str] = []
        self.opaque: dict[str, Any] = {}
        self.details: list[Any] = []
        self.parts: list[dict[str, Any]] = []
        self.function: dict[str, str] = {}
        self.fragments = ToolCallFragments()

    @property
    def has_output(self) -> bool:
        """Whether anything of the answer itself has come."""
        return any((self.text, self.reasoning, self.refusal, self.fragments.calls, self.parts))

    @property
    def stop_kind(self) -> StopKind | None:
        """Why the model stopped, in our words, where that can be told."""
        if self.refusal:
            return "refusal"
        word = (self.finish_reason or "").lower().partition(":")[0]
        return stop_kind(word, _STOP_KINDS, has_calls=bool(self.fragments.calls))

    def read_facts(self, frame: dict[str, Any]) -> None:
        """Take from a chunk or a body what is said of the response as a whole."""
        self.model = as_text(frame.get("model")) or self.model
        self.response_id = self.response_id or as_text(frame.get("id"))
        raw = frame.get("usage")
        if raw is None:
            raw = as_dict(frame.get("x_groq")).get("usage")
        if raw:
            usage = usage_from(raw, body=frame)
            self.usage = self.usage if usage.provenance == "unknown" else usage

    def learns_from(self, frame: dict[str, Any]) -> bool:
        """Whether `read_facts` would take anything new from *frame*, its usage aside."""
        has_news = not self.response_id and bool(as_text(frame.get("id")))
        return has_news or as_text(frame.get("model")) not in {"", self.model}

    def more(self, key: str, text: str) -> MoreText | None:
        """Give a delta of *text* under *key*, and nothing else, as what it goes on with, if any."""
        if key == "content":
            return MoreText(key, text, self.text.append)
        if key and key == self.reasoning_field:
            return MoreText(key, text, self.reasoning.append, ReasoningDelta)
        return None

    def add(self, message: dict[str, Any], *, whole: bool) -> list[TextDelta | ReasoningDelta]:
        """Add a delta, or a *whole* message, and give what of it a reader sees."""
        seen: list[TextDelta | ReasoningDelta] = []
        for name in ("reasoning_content", "reasoning"):
            if thought := as_text(message.get(name)):
                seen.append(self._think(thought, name))
                break
        content = message.get("content")
        if isinstance(content, str):
            if content:
                self.text.append(content)
                seen.append(TextDelta(content))
        elif content:
            seen.extend(self._parts(content))
        if len(message) > len(seen):
            self._add_rest(message, whole=whole)
        return seen

    def completion(self) -> CompletionEvent:
        """Give the whole answer."""
        facts = {"model": self.model, "response_id": self.response_id, "provider": self.provider}
        return CompletionEvent(
            blocks_of(self, cut=is_cut(self.stop_kind)),
            self.usage,
            {name: fact for name, fact in facts.items() if fact},
            finish_reason=self.finish_reason,
            stop_kind=self.stop_kind,
        )

    def partial(self) -> LLMResult | None:
        """Give what has come of an answer that will not be finished, or None when nothing has."""
        if not self.has_output:
            return None
        return partial_of(
            blocks_of(self, cut=True),
            self.usage,
            model=self.model,
            provider=self.provider,
            finish_reason=self.finish_reason,
        )

    def _think(self, thought: str, name: str) -> ReasoningDelta:
        self.reasoning.append(thought)
        self.reasoning_field = name
        return ReasoningDelta(thought)

    def _parts(self, content: Any) -> Iterator[TextDelta | ReasoningDelta]:
        """Add content that is a list of typed parts."""
        for part in map(as_dict, as_list(content)):
            kind = part.get("type")
            if kind == "text" and (text := as_text(part.get("text"))):
                self.text.append(text)
                yield TextDelta(text)
            elif kind == "thinking":
                if thought := _thinking_text(part.get("thinking")):
                    yield self._think(thought, "thinking")
            elif part and kind != "text":
                self.parts.append(kept(part))

    def _add_rest(self, message: dict[str, Any], *, whole: bool) -> None:
        for fragment in map(as_dict, as_list(message.get("tool_calls"))):
            self.fragments.add(fragment, whole=whole)
        if refusal := as_text(message.get("refusal")):
            self.refusal.append(refusal)
        self.details.extend(kept(as_list(message.get("reasoning_details"))))
        for name in _OPAQUE_FIELDS:
            if value := message.get(name):
                self.opaque[name] = kept(value)
        for part in as_list(message.get("images")):
            self.parts.append(kept(as_dict(part)))
        for name, text in as_dict(message.get("function_call")).items():
            if as_text(text):
                self.function[name] = self.function.get(name, "") + text


def _thinking_text(thinking: Any) -> str:
    if isinstance(thinking, str):
        return thinking
    return "".join(as_text(as_dict(piece).get("text")) for piece in as_list(thinking))
