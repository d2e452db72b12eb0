"""One content block as it grows: as it was opened, and what its deltas added."""

from typing import Any

from agentkit.core.contracts.llm import ReasoningDelta, TextDelta
from agentkit.models.codecs._errors import frozen, kept
from agentkit.models.codecs._json import as_text
from agentkit.models.codecs._pairs import joined

__all__ = ["GrowingBlock"]


class GrowingBlock:
    """A block of an answer, known by its wire type.

    `start` is what opened it. What its deltas brought is in `pieces` by the name of the field, and
    `values` holds what of that is no text.
    """

    def __init__(self, start: dict[str, Any]) -> None:
        self.start: dict[str, Any] = frozen(start)
        self.kind = as_text(start.get("type"))
        self.pieces: dict[str, list[str]] = {}
        self.values: dict[str, list[Any]] = {}

    @property
    def has_output(self) -> bool:
        """Whether there is anything in it: of the kinds that can be empty, more than the start."""
        if self.kind == "text":
            return bool(self.text("text") or self.values)
        if self.kind == "thinking":
            return bool(self.text("thinking") or self.text("signature"))
        return True

    def first(self) -> list[TextDelta | ReasoningDelta]:
        """Give what a reader sees of the block as it was opened."""
        if self.kind == "text" and (text := as_text(self.start.get("text"))):
            return [TextDelta(text)]
        if self.kind == "thinking" and (text := as_text(self.start.get("thinking"))):
            return [ReasoningDelta(text)]
        return []

    def add(self, delta: dict[str, Any]) -> list[TextDelta | ReasoningDelta]:
        """Add *delta*, and give what of it a reader sees."""
        seen: list[TextDelta | ReasoningDelta] = []
        for name, value in delta.items():
            if name == "type" or value is None:
                continue
            if not isinstance(value, str):
                self.values.setdefault(name, []).append(kept(value))
                continue
            self.pieces.setdefault(name, []).append(value)
            if value and name == "text" and self.kind == "text":
                seen.append(TextDelta(value))
            elif value and name == "thinking" and self.kind == "thinking":
                seen.append(ReasoningDelta(value))
        return seen

    def text(self, name: str) -> str:
        """Give all the text of the field *name*."""
        return joined([as_text(self.start.get(name)), *self.pieces.get(name, ())])
