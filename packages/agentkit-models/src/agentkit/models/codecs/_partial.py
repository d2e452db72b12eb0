"""What had come of an answer that will not be finished."""

from collections.abc import Sequence
from dataclasses import replace

from agentkit.core.contracts.content import ContentBlock, ThinkingBlock, ToolUseBlock
from agentkit.core.contracts.llm import ModelUsage
from agentkit.core.contracts.types import LLMResult, ToolCall

__all__ = ["partial_of"]


def partial_of(
    blocks: Sequence[ContentBlock],
    usage: ModelUsage,
    *,
    model: str,
    provider: str,
    finish_reason: str | None,
) -> LLMResult:
    """Give *blocks* as a result; of a *usage* that was reported only a part is known."""
    if usage.provenance == "reported":
        usage = replace(usage, provenance="partial")
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
