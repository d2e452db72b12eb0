"""Characters that a server cut in two, because it counts text as UTF-16 does."""

from collections.abc import Iterable
from dataclasses import replace

from agentkit.core.contracts.llm import ReasoningDelta, TextDelta

__all__ = ["Pairs", "has_half_at_an_end", "joined"]


class Pairs:
    """Holds back the first half of a character until the next piece of its text has come."""

    def __init__(self) -> None:
        self._held: TextDelta | ReasoningDelta | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether half a character is held back."""
        return self._held is not None

    def whole(self, pieces: list[TextDelta | ReasoningDelta]) -> list[TextDelta | ReasoningDelta]:
        """Give *pieces* with whole characters, what was held back before them included."""
        if self._held is None and not any(_is_first_half(piece.text[-1:]) for piece in pieces):
            return pieces
        told: list[TextDelta | ReasoningDelta] = []
        for piece in pieces:
            held = self.rest()
            if held and type(held[0]) is type(piece):
                told += self._split(replace(piece, text=joined([held[0].text, piece.text])))
            else:
                told += [*held, *self._split(piece)]
        return told

    def rest(self) -> list[TextDelta | ReasoningDelta]:
        """Give what is held back, the other half of which never came."""
        held, self._held = self._held, None
        return [] if held is None else [held]

    def _split(self, piece: TextDelta | ReasoningDelta) -> list[TextDelta | ReasoningDelta]:
        text = piece.text
        if not _is_first_half(text[-1:]):
            return [piece]
        self._held = replace(piece, text=text[-1])
        return [replace(piece, text=text[:-1])] if len(text) > 1 else []


def joined(pieces: Iterable[str]) -> str:
    """Give *pieces* as one text, the halves of a character in two of them as that character."""
    text = "".join(pieces)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def has_half_at_an_end(text: str) -> bool:
    """Whether *text* may begin or end within a character."""
    return _is_first_half(text[-1:]) or "\udc00" <= text[:1] <= "\udfff"


def _is_first_half(char: str) -> bool:
    return "\ud800" <= char <= "\udbff"
