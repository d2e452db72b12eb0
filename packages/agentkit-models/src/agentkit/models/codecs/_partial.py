"""What had come of an answer that will not be finished."""

from collections.abc import Sequence
from dataclasses import replace

from agentkit.core.contracts.content import ContentBlock, ThinkingBlock, ToolUseBlock
from agentkit.core.contracts.llm import CompletionEvent, ModelUsage
from agentkit.core.contracts.types import LLMResult, ToolCall

__all__ = ["in_part", "partial_of"]


def in_part(event: CompletionEvent) -> CompletionEvent:
    """Give *event* of an answer of whose usage more was still to come."""
    return replace(event, usage=_in_part(event.usage))


def partial_of(
    blocks: Sequence[ContentBlock],
    usage: ModelUsage,
    *,
    model: str,
    provider: str,
    finish_reason: str | None,
) -> LLMResult:
    """Give *blocks* as a result; of a *usage* that was reported only a part is known."""
    usage = _in_part(usage)
    return LLMResult(
        "",
        model=model or None,
        provider=provider or None,
        finish_reason=finish_reason,
        usage=usage.to_usage(),
        tool_calls=tuple(
            ToolCall(block.call_id, block.tool_name, block.arguments)
            for block in blocks
            if isinstance(block, ToolUseBlock)
        ),
        blocks=tuple(blocks),
        reasoning="".join(block.text for block in blocks if isinstance(block, ThinkingBlock)),
        model_usage=usage,
    )


def _in_part(usage: ModelUsage) -> ModelUsage:
    return replace(usage, provenance="partial") if usage.provenance == "reported" else usage
