"""Whether the model ended its answer itself, told by the provider's word for it."""

from typing import Final, Literal

from agentkit.core.contracts.content import ErrorBlock
from agentkit.core.contracts.types import LLMResult

__all__ = ["Stopped", "how_stopped", "odd_word"]

Stopped = Literal["length", "content_filter", "refusal"]
"""An answer that was cut off, or withheld by a filter or by the model."""

_CUT: Final = frozenset(
    {"length", "max_tokens", "model_length", "model_context_window_exceeded", "max_output_tokens"}
)
_FILTERED: Final = frozenset(
    {
        "content_filter",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "model_armor",
        "image_safety",
        "image_prohibited_content",
        "image_recitation",
    }
)
_REFUSED: Final = "refusal"
_ENDED: Final = frozenset(
    {
        "stop",
        "end_turn",
        "stop_sequence",
        "eos",
        "tool_calls",
        "tool_use",
        "function_call",
        "cached",
    }
)


def how_stopped(result: LLMResult) -> Stopped | None:
    """Say what kept *result* from being a whole answer, or None where it is one."""
    word = (result.finish_reason or "").lower()
    if word == _REFUSED or any(_is_refusal(block) for block in result.blocks):
        return "refusal"
    if word in _FILTERED:
        return "content_filter"
    return "length" if word in _CUT else None


def odd_word(result: LLMResult) -> str | None:
    """Give the provider's word for why it stopped, unless it says that the answer simply ended."""
    word = result.finish_reason
    return None if not word or word.lower() in _ENDED else word


def _is_refusal(block: object) -> bool:
    return isinstance(block, ErrorBlock) and block.error_type == _REFUSED
