"""The event that a stream repeats with another text each time, told without decoding its JSON."""

from collections.abc import Callable
from json import JSONDecoder
from typing import NamedTuple

from agentkit.core.contracts.llm import ReasoningDelta, TextDelta
from agentkit.models.codecs._pairs import has_half_at_an_end

__all__ = ["MoreText", "Piece", "Refrain", "end_of_event"]

Piece = str | TextDelta | ReasoningDelta
"""What a reader sees: visible text may be told as it is, which costs the least."""

_DECODER = JSONDecoder()
# Text that providers add against eavesdroppers, another in each event; nothing reads it.
_NOISE = (b'"obfuscation":', b'"p":')


class MoreText(NamedTuple):
    """What an event was that did nothing but go on with a text.

    The same event with another *text* under *key* would be read by giving that to *note*. What a
    reader sees is that text, *as_delta* where it is no visible one.
    """

    key: str
    text: str
    note: Callable[[str], object]
    as_delta: Callable[[str], ReasoningDelta] | None = None


class Refrain:
    """Reads events that differ from a sample in their text only, as the full decoding would.

    An event that differs in anything else, or whose text is empty or no JSON string, is not read.
    """

    def __init__(
        self, more: MoreText, *, literals: list[bytes], text_at: int, ends: tuple[bytes, bytes]
    ) -> None:
        self._note, self._as_delta = more.note, more.as_delta
        self._literals = literals
        self._text_at = text_at
        self._inner, self._close = ends
        self._last = self._inner + self._close

    @classmethod
    def of(cls, sample: bytes, more: MoreText) -> "Refrain | None":
        """Give the refrain of *sample*, the bytes of one event with all its lines, if it has one.

        The text must be in it once and plainly, so that there is no doubt where it is.
        """
        hole = _hole(sample, f'"{more.key}":'.encode())
        if hole is None or sample[hole[0] : hole[1]].decode(errors="replace") != more.text:
            return None
        noise = [found for key in _NOISE if (found := _hole(sample, key)) is not None]
        holes = sorted([hole, *noise])
        stops = [0, *[stop for _, stop in holes]]
        literals = [sample[stops[n] : start] for n, (start, _) in enumerate(holes)]
        rest = sample[stops[-1] :]
        body = rest.rstrip(b"\r\n")
        if not body.endswith(b"}"):
            return None
        ends = (body[:-1].rstrip(b" "), rest[len(body) - 1 :])
        return cls(more, literals=literals, text_at=holes.index(hole), ends=ends)

    def read(self, data: bytes, at: int, seen: list[Piece]) -> int:
        """Add to *seen* what the events from *at* on say, and give where the first other begins."""
        size, note, as_delta = len(data), self._note, self._as_delta
        while at < size and (found := self._next(data, at)) is not None:
            text, at = found
            note(text)
            seen.append(text if as_delta is None else as_delta(text))
        return at

    def _next(self, data: bytes, at: int) -> tuple[str, int] | None:
        """Give the text of the event at *at*, and where it ends; None if it is another event."""
        text = ""
        for number, literal in enumerate(self._literals):
            if not data.startswith(literal, at):
                return None
            start = at + len(literal)
            at = data.find(b'"', start)
            if data[at - 1] == _BACKSLASH:
                at = _closing_mark(data, start, at)
            if at < 0:
                return None
            if number == self._text_at:
                text = _text(data[start:at])
        if text and data.startswith(self._last, at):
            return text, at + len(self._last)
        end = self._padded_end(data, at) if text else None
        return None if end is None else (text, end)

    def _padded_end(self, data: bytes, at: int) -> int | None:
        """Give where the event ends: some providers put white space before the last brace."""
        if not data.startswith(self._inner, at):
            return None
        at += len(self._inner)
        brace = data.find(b"}", at)
        if brace < 0 or data[at:brace].strip(b" ") or not data.startswith(self._close, brace):
            return None
        return brace + len(self._close)


_BACKSLASH = ord("\\")


def end_of_event(data: bytes, at: int) -> int:
    """Give where the event at *at* ends: after a blank line, or with *data*."""
    end = data.find(b"\n\n", at)
    if end >= 0:
        return end + 2
    end = data.find(b"\r\n\r\n", at)
    return len(data) if end < 0 else end + 4


def _hole(sample: bytes, key: bytes) -> tuple[int, int] | None:
    """Give where the string under *key* begins and ends, if *key* is there once and it is plain."""
    if sample.count(key) != 1:
        return None
    start = sample.index(key) + len(key)
    while sample[start : start + 1] == b" ":
        start += 1
    stop = sample.find(b'"', start + 1)
    if sample[start : start + 1] != b'"' or stop < 0 or b"\\" in sample[start:stop]:
        return None
    return start + 1, stop


def _closing_mark(data: bytes, start: int, at: int) -> int:
    """Give the first quotation mark from *at* on that ends the string begun at *start*, or -1."""
    while at >= 0:
        run = at
        while run > start and data[run - 1] == _BACKSLASH:
            run -= 1
        if (at - run) % 2 == 0:
            break
        at = data.find(b'"', at + 1)
    return at


def _text(raw: bytes) -> str:
    """Give the text in a JSON string; none if it is invalid or has half a character at an end."""
    text = raw.decode("utf-8", "replace")
    if "\\" not in text and text.isprintable():
        return text
    try:
        text = str(_DECODER.decode(f'"{text}"'))
    except ValueError:
        return ""
    return "" if has_half_at_an_end(text) else text
