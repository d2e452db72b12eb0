"""What an endpoint that counts tokens answers."""

from agentkit.models.codecs._errors import answer_in, malformed

__all__ = ["read_count"]


def read_count(body: bytes, *, name: str, default: int | None = None, now: float = 0.0) -> int:
    """Give the number under *name*, or *default* where an answer leaves it out.

    *now* is the time in seconds since the epoch, for errors that name a moment to try again.

    Raises:
        ProviderError: The answer is an error, or has no such number.

    """
    answer = answer_in(body, now=now)
    total = answer.get(name, default)
    if type(total) is not int or not answer:
        raise malformed(body[:400].decode(errors="replace"))
    return total
