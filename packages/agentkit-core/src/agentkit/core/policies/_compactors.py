"""Compactors that need no model: keep the recent turns, or as many as fit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentkit.core.contracts.protocols import Ctx
from agentkit.core.contracts.types import Message
from agentkit.core.policies._tokens import estimate_message_tokens
from agentkit.core.policies._transcript import first_kept, parts_of
from agentkit.core.runtime._checks import check_count, check_functions

__all__ = ["SlidingWindowCompactor", "TruncationCompactor"]


@dataclass(frozen=True, slots=True)
class SlidingWindowCompactor:
    """Keeps the leading system messages and the last *keep_recent* turns.

    Raises:
        TypeError: *keep_recent* is no whole number.
        ValueError: *keep_recent* is less than 1.

    """

    keep_recent: int = 10

    def __post_init__(self) -> None:
        check_count("keep_recent", self.keep_recent, at_least=1)

    async def compact(self, messages: list[Message], ctx: Ctx) -> list[Message]:  # noqa: ARG002
        """Give the transcript without its older turns."""
        parts = parts_of(messages)
        return parts.prefix + parts.turns[first_kept(parts.turns, self.keep_recent) :]


@dataclass(frozen=True, slots=True)
class TruncationCompactor:
    """Drops the oldest turns until *max_tokens* hold the rest, but never the last *keep_recent*.

    Raises:
        TypeError: A number is no whole number, or *estimate* no function.
        ValueError: A number is less than 1.

    """

    max_tokens: int = 12_000
    keep_recent: int = 4
    estimate: Callable[[Sequence[Message]], int] = estimate_message_tokens

    def __post_init__(self) -> None:
        check_count("max_tokens", self.max_tokens, at_least=1)
        check_count("keep_recent", self.keep_recent, at_least=1)
        check_functions(estimate=self.estimate)

    async def compact(self, messages: list[Message], ctx: Ctx) -> list[Message]:  # noqa: ARG002
        """Give the transcript without as many of its oldest turns as are too much."""
        total = self.estimate(messages)
        if total <= self.max_tokens:
            return messages
        parts = parts_of(messages)
        last_cut = first_kept(parts.turns, self.keep_recent)
        cut = 0
        while cut < last_cut and (total > self.max_tokens or parts.turns[cut].role == "tool"):
            total -= self.estimate([parts.turns[cut]])
            cut += 1
        return parts.prefix + parts.turns[cut:]
