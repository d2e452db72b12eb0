"""The same values in the two model contracts: a port's and a client's."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from agentkit.core.contracts.content import (
    ChatMessage,
    ContentBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    blocks_text,
)
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.llm import CompletionEvent, GenerationOptions, ModelUsage, StopKind
from agentkit.core.contracts.types import Delta, LLMResult, Message, ToolCall

__all__ = [
    "cache_advice",
    "chat_message",
    "completion_of",
    "estimated_tokens",
    "messages_of",
    "refuse_unportable",
    "terminal_delta",
]

_STOP_KINDS: dict[str, StopKind] = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_use",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "refusal": "refusal",
}
_UNPORTABLE = ("tool_choice", "stop", "seed", "reasoning_effort", "extra")
_BYTES_PER_TOKEN = 4
_TOKENS_PER_MESSAGE = 4


def chat_message(message: Message) -> ChatMessage:
    """Give a turn of the core contract in the neutral one; its blocks are kept as they are."""
    blocks = list(message.blocks)
    if not blocks and message.content:
        blocks.append(TextBlock(message.content))
    if message.role == "tool" and not any(isinstance(b, ToolResultBlock) for b in blocks):
        result = ToolResultBlock(message.tool_call_id or "", message.name or "", blocks)
        return ChatMessage("tool", [result])
    return ChatMessage(message.role, _with_calls(blocks, message.tool_calls), message.name)


def messages_of(message: ChatMessage) -> list[Message]:
    """Give a neutral turn in the core contract: one turn, or one for each of its tool results."""
    results = [block for block in message.content if isinstance(block, ToolResultBlock)]
    rest = [block for block in message.content if not isinstance(block, ToolResultBlock)]
    turns = [
        Message(
            "tool",
            name=result.name or None,
            tool_call_id=result.call_id,
            blocks=(result,),
        )
        for result in results
    ]
    if results and not rest:
        return turns
    plain = all(type(block) is TextBlock and not block.signature for block in rest)
    turns.append(
        Message(
            message.role,
            blocks_text(rest),
            message.name,
            tool_calls=tool_calls(rest),
            blocks=() if plain else tuple(rest),
        )
    )
    return turns


def tool_calls(blocks: Iterable[ContentBlock]) -> tuple[ToolCall, ...]:
    """Give the tool calls among *blocks*."""
    return tuple(
        ToolCall(block.call_id, block.tool_name, block.arguments)
        for block in blocks
        if isinstance(block, ToolUseBlock)
    )


def terminal_delta(event: CompletionEvent, *, model: str, text: bool, reasoning: bool) -> Delta:
    """Give the last delta of a stream that ends in *event*.

    *text* and *reasoning* say whether those have been streamed; what has not is in this delta.
    """
    blocks = tuple(event.content)
    thoughts = "".join(block.text for block in blocks if isinstance(block, ThinkingBlock))
    return Delta(
        "" if text else blocks_text(blocks),
        model=event.metadata.get("model") or model or None,
        usage=event.usage.to_usage(),
        provider=event.metadata.get("provider"),
        # Of a prompt that was blocked there is no candidate, and so no provider's word for its end.
        finish_reason=event.finish_reason or event.stop_kind,
        tool_calls=tool_calls(blocks),
        reasoning="" if reasoning else thoughts,
        blocks=blocks,
        model_usage=event.usage,
    )


def completion_of(result: LLMResult, *, counted: bool) -> CompletionEvent:
    """Give an assembled response as the last event of a stream.

    *counted* says whether the port reported any usage.
    """
    usage = result.model_usage or (ModelUsage.from_usage(result.usage) if counted else ModelUsage())
    facts = {"model": result.model, "provider": result.provider}
    return CompletionEvent(
        list(result.blocks) or _blocks_of(result),
        usage,
        {name: fact for name, fact in facts.items() if fact},
        finish_reason=result.finish_reason,
        stop_kind=_stop_kind(result),
    )


def refuse_unportable(options: GenerationOptions) -> None:
    """Return if a port can be told all of *options*.

    Raises:
        UnsupportedOption: It cannot.

    """
    for name in _UNPORTABLE:
        value: Any = getattr(options, name)
        if value is None or (name == "extra" and not value):
            continue
        raise UnsupportedOption(f"an LLMPort has no {name}; got {value!r}", option=name)


def cache_advice(hint: Any) -> str | None:
    """Give what a request's cache hint means in the neutral contract."""
    if isinstance(hint, str) and hint in {"5m", "1h"}:
        return hint
    return "5m" if hint else None


def estimated_tokens(messages: Iterable[ChatMessage]) -> int:
    """Estimate the input tokens of *messages*, by the bytes of their text."""
    return sum(
        _TOKENS_PER_MESSAGE + sum(_bytes_of(block) for block in message.content) // _BYTES_PER_TOKEN
        for message in messages
    )


def _with_calls(blocks: list[ContentBlock], calls: tuple[ToolCall, ...]) -> list[ContentBlock]:
    """Give *blocks* with a tool use for each of *calls*, whose arguments are the valid ones."""
    left = list(calls)  # some may share an id, as those of a server that gives none
    settled: list[ContentBlock] = []
    for block in blocks:
        if isinstance(block, ToolUseBlock) and (at := _place_of(block.call_id, left)) is not None:
            call = left.pop(at)
            settled.append(replace(block, tool_name=call.name, arguments=call.arguments))
        else:
            settled.append(block)
    settled.extend(ToolUseBlock(call.id, call.name, call.arguments) for call in left)
    return settled


def _place_of(call_id: str, calls: list[ToolCall]) -> int | None:
    """Give where among *calls* the first of that id is, or None."""
    return next((at for at, call in enumerate(calls) if call.id == call_id), None)


def _blocks_of(result: LLMResult) -> list[ContentBlock]:
    blocks: list[ContentBlock] = []
    if result.reasoning:
        blocks.append(ThinkingBlock(result.reasoning))
    if result.content:
        blocks.append(TextBlock(result.content))
    blocks.extend(ToolUseBlock(call.id, call.name, call.arguments) for call in result.tool_calls)
    return blocks


def _stop_kind(result: LLMResult) -> StopKind | None:
    """Give why *result* ended: its calls count where its word says so, or that it was done."""
    word = result.finish_reason
    kind: StopKind | None = _STOP_KINDS.get(word.lower(), "other") if word else None
    if result.tool_calls:
        return "tool_use" if kind in {"stop", "tool_use", None} else kind
    return "other" if kind == "tool_use" else kind


def _bytes_of(block: ContentBlock) -> int:
    text = block.to_text_repr()
    if isinstance(block, ToolUseBlock):
        text += str(dict(block.arguments))
    return len(text.encode(errors="replace"))
