"""How a transcript may be cut: its system prompt stays, and no result loses its call."""

from dataclasses import dataclass

from agentkit.core.contracts.types import Message

__all__ = ["Parts", "first_kept", "parts_of"]


@dataclass(frozen=True, slots=True)
class Parts:
    """A transcript in two: the system messages that lead it, and the turns after them."""

    prefix: list[Message]
    turns: list[Message]


def parts_of(messages: list[Message]) -> Parts:
    """Give *messages* in their parts."""
    lead = 0
    while lead < len(messages) and messages[lead].role == "system":
        lead += 1
    return Parts(messages[:lead], messages[lead:])


def first_kept(turns: list[Message], keep_recent: int) -> int:
    """Give where to cut *turns* so that the last *keep_recent* stay, each result with its call."""
    cut = max(0, len(turns) - keep_recent)
    while 0 < cut < len(turns) and turns[cut].role == "tool":
        cut -= 1
    return cut
