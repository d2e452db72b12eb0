"""What a model answers: increments of one response, the response, and the steps of a run."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from agentkit.core.contracts._checks import as_tuple, check_kinds, check_texts
from agentkit.core.contracts.content import ContentBlock, TextBlock, ToolUseBlock, blocks_text
from agentkit.core.contracts.types._messages import ToolCall, text_beside
from agentkit.core.contracts.types._usage import ModelUsage, Usage

__all__ = ["Delta", "LLMResult", "StreamEvent", "StreamEventType", "assemble_deltas", "beyond_text"]

StreamEventType = Literal["message_delta", "tool_call", "tool_result", "step", "interrupt", "final"]
_EVENT_TYPES: tuple[str, ...] = get_args(StreamEventType)


@dataclass(frozen=True, slots=True)
class LLMResult:
    """An assembled model response.

    `parsed` is the typed object that `output_coerce()` made, kept as it is. `content` is the text
    of `blocks` when there are any, and is filled in when left empty.

    Raises:
        TypeError: A field is of another type.
        ValueError: `content` is given beside blocks that say something else.

    """

    content: str
    model: str | None = None
    provider: str | None = None
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    tool_calls: tuple[ToolCall, ...] = ()
    parsed: Any = None
    blocks: tuple[ContentBlock, ...] = field(default=(), kw_only=True)
    reasoning: str = field(default="", kw_only=True)
    model_usage: ModelUsage | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if type(self.content) is not str or type(self.reasoning) is not str:
            check_texts(self, "content", "reasoning")
        for fact in (self.model, self.provider, self.finish_reason):
            if fact is not None and type(fact) is not str:
                check_texts(self, "model", "provider", "finish_reason", optional=True)
        if type(self.usage) is not Usage:
            check_kinds(self, "usage", Usage, wanted="a Usage")
        if self.model_usage is not None:
            check_kinds(self, "model_usage", ModelUsage, wanted="a ModelUsage or None")
        if self.tool_calls != ():
            as_tuple(self, "tool_calls", ToolCall, wanted="a ToolCall")
        if self.blocks != ():
            as_tuple(self, "blocks", ContentBlock, wanted="a content block")
            object.__setattr__(self, "content", text_beside(self.content, self.blocks))

    def __hash__(self) -> int:
        return hash((self.content, self.model, self.provider, self.finish_reason, self.tool_calls))


@dataclass(frozen=True, slots=True)
class Delta:
    """One transport increment of a model response.

    The terminal one carries usage, finish reason, model and provider. `partial` is an object in
    progress and `parsed` the finished one; both are kept as they are. `blocks` are whole blocks.

    Raises:
        TypeError: `text` or `reasoning` is no text, a usage none, `tool_calls` or `blocks` no
            tuple of them.

    """

    text: str = ""
    model: str | None = None
    usage: Usage | None = None
    provider: str | None = None
    finish_reason: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    parsed: Any = None
    partial: Any = None
    reasoning: str = field(default="", kw_only=True)
    blocks: tuple[ContentBlock, ...] = field(default=(), kw_only=True)
    model_usage: ModelUsage | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if type(self.text) is not str or type(self.reasoning) is not str:
            check_texts(self, "text", "reasoning")
        if self.usage is not None and type(self.usage) is not Usage:
            check_kinds(self, "usage", Usage, wanted="a Usage or None")
        if self.model_usage is not None:
            check_kinds(self, "model_usage", ModelUsage, wanted="a ModelUsage or None")
        if self.tool_calls != ():
            as_tuple(self, "tool_calls", ToolCall, wanted="a ToolCall")
        if self.blocks != ():
            as_tuple(self, "blocks", ContentBlock, wanted="a content block")

    def __hash__(self) -> int:
        return hash((self.text, self.model, self.provider, self.finish_reason, self.tool_calls))


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One step of a run: a token, a tool call or its result, an interrupt, the final result.

    `partial_output` is an object in progress, whose required fields may be unset. It is stamped
    only when it changed, so None does not mean that it went away.

    Raises:
        TypeError: `text` is no text.
        ValueError: `type` is none of the six.

    """

    type: StreamEventType
    text: str = ""
    tool_call: Any = None
    tool_result: Any = None
    result: Any = None
    usage: Usage | None = None
    partial_output: Any = None

    def __post_init__(self) -> None:
        if self.type not in _EVENT_TYPES:
            raise ValueError(f"StreamEvent.type is one of {_EVENT_TYPES}; got {self.type!r}")
        if type(self.text) is not str:
            check_texts(self, "text")

    def __hash__(self) -> int:
        return hash((self.type, self.text))


def assemble_deltas(deltas: Iterable[Delta]) -> LLMResult:
    """Give the response that *deltas* add up to.

    Text, reasoning and blocks are joined in order; where blocks have another text than the deltas,
    as after a policy that rewrites these, the deltas' is put in its place. A tool call that an
    earlier delta already brought is not repeated, so calls may come one by one, all at the end, or
    both. Of every other field the last value wins. `partial` is dropped: on a complete stream
    `parsed` is the answer.
    """
    told = list(deltas)
    text = "".join([delta.text for delta in told])
    other = beyond_text(told)
    calls: list[ToolCall] = []
    for delta in other:
        if delta.tool_calls:
            calls.extend([call for call in delta.tool_calls if call not in calls])
    blocks = tuple([block for delta in other for block in delta.blocks])
    return LLMResult(
        text,
        tool_calls=tuple(calls),
        blocks=_with_text(blocks, text),
        reasoning="".join([delta.reasoning for delta in other]),
        **_facts(other),
    )


_FACTS = ("model", "provider", "usage", "finish_reason", "parsed", "model_usage")


def beyond_text(deltas: Iterable[Delta]) -> list[Delta]:
    """Give those of *deltas* that bring more than text, as hardly any do."""
    return [
        delta
        for delta in deltas
        if delta.reasoning
        or delta.tool_calls
        or delta.blocks
        or delta.finish_reason
        or delta.model
        or delta.provider
        or delta.usage is not None
        or delta.model_usage is not None
        or delta.parsed is not None
        or delta.partial is not None
    ]


def _facts(deltas: list[Delta]) -> dict[str, Any]:
    """Give what *deltas* say about the whole response; of each field the last value wins."""
    return {
        name: value
        for delta in deltas
        for name in _FACTS
        if (value := getattr(delta, name)) is not None and value != ""
    }


def _with_text(blocks: tuple[ContentBlock, ...], text: str) -> tuple[ContentBlock, ...]:
    """Give *blocks* with *text* among them, where it came as increments only or is another by now.

    What the increments say counts: a policy may have rewritten them.
    """
    if not blocks or not text or blocks_text(blocks) == text:
        return blocks
    said = [
        at
        for at, block in enumerate(blocks)
        if blocks_text([block]) or isinstance(block, ToolUseBlock)
    ]
    at = said[0] if said else len(blocks)
    others = [block for block in blocks[at:] if not blocks_text([block])]
    return (*blocks[:at], TextBlock(text), *others)
