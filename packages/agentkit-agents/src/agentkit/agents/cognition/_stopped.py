"""Whether the model ended its answer itself, told by the provider's word for it."""

from typing import Final, Literal

from agentkit.core.contracts.content import ErrorBlock
from agentkit.core.contracts.types import LLMResult

__all__ = ["Stopped", "how_stopped", "odd_word"]

Stopped = Literal["length", "content_filter", "refusal", "incomplete"]
"""An answer that was cut off, withheld by a filter or by the model, or did not end in order."""

_CUT: Final = frozenset(
    {"length", "max_tokens", "model_length", "model_context_window_exceeded", "max_output_tokens"}
)
_FILTERED: Final = frozenset(
    {
        "content_filter",
        "content_filtered",
        "guardrail_intervened",
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
        "stop_sequence",
        "end",
        "end_turn",
        "eos",
        "eos_token",
        "complete",
        "completed",
        "done",
        "tool_call",
        "tool_calls",
        "tool_use",
        "function_call",
        "cached",
    }
)


def how_stopped(result: LLMResult) -> Stopped | None:
    """Say what kept *result* from being a whole answer, or None where it is one.

    No word at all is whole, since some servers send none. A word that nobody has listed is not:
    there are more for what went wrong than for an end, and each year brings new ones.
    """
    word = (result.finish_reason or "").lower()
    if word == _REFUSED or any(_is_refusal(block) for block in result.blocks):
        return "refusal"
    if word in _FILTERED:
        return "content_filter"
    if word in _CUT:
        return "length"
    return "incomplete" if word and word not in _ENDED else None


def odd_word(result: LLMResult) -> str | None:
    """Give the provider's word for why it stopped, unless it says that the answer simply ended."""
    word = result.finish_reason
    return None if not word or word.lower() in _ENDED else word


def _is_refusal(block: object) -> bool:
    return isinstance(block, ErrorBlock) and block.error_type == _REFUSED
