"""Why a model stopped: a provider's word in our words."""

from collections.abc import Mapping

from agentkit.core.contracts.llm import StopKind

__all__ = ["is_cut", "stop_kind"]


def stop_kind(
    word: str | None, kinds: Mapping[str, StopKind], *, has_calls: bool
) -> StopKind | None:
    """Give the kind that *kinds* has for *word*: `other` for one it has not, None for no word.

    An answer with calls ends for them where it says so, says that it is done, or says nothing, as
    providers mix these up. Any other word stands, so that nobody takes a failure for a request.
    """
    kind: StopKind | None = kinds.get(word, "other") if word else None
    if has_calls:
        return "tool_use" if kind in {"stop", "tool_use", None} else kind
    return "other" if kind == "tool_use" else kind


def is_cut(kind: StopKind | None) -> bool:
    """Whether an answer of *kind* may end before the model was done."""
    return kind not in {"stop", "tool_use", None}
