"""Newline-delimited JSON, cut into lines as the bytes come."""

from agentkit.core.contracts.errors import ErrorClass, ProviderError
from agentkit.models.codecs._errors import stream_error

__all__ = ["MAX_LINE_BYTES", "NdjsonParser"]

MAX_LINE_BYTES = 16 * 1024 * 1024
"""The longest line that a parser holds in memory by default."""

_BOM = b"\xef\xbb\xbf"


class NdjsonParser:
    """Turns bytes, cut anywhere, into lines of text; blank ones are left out.

    Lines end at CR, LF or CRLF and nowhere else, so a U+2028 inside a string stays where it is.
    """

    def __init__(self, *, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max = max_line_bytes
        self._open: list[bytes] = []
        self._open_bytes = 0
        self._is_first = True
        self._failure: ProviderError | None = None

    def feed(self, data: bytes) -> list[str]:
        """Give the lines that *data* completes; after an oversized one nothing more is parsed."""
        if self._failure is not None:
            return []
        if b"\r" in data:
            data = data.replace(b"\r", b"\n")  # of CRLF is left a blank line, which is none
        first, *lines = data.split(b"\n")
        self._hold(first)
        if not lines:
            return []
        last = lines.pop()
        complete = self._texts([self._take(), *lines])
        self._hold(last)
        return complete

    def close(self) -> list[str]:
        """Give the line that the input ended in without an end of line."""
        return [] if self._failure is not None else self._texts([self._take()])

    def check(self) -> None:
        """Return if no line was longer than the bound.

        Raises:
            ProviderError: One was.

        """
        if self._failure is not None:
            raise self._failure

    def _hold(self, piece: bytes) -> None:
        self._open_bytes += len(piece)
        self._open.append(piece)
        self._check(self._open_bytes)

    def _take(self) -> bytes:
        line = b"".join(self._open)
        self._open, self._open_bytes = [], 0
        return line

    def _texts(self, lines: list[bytes]) -> list[str]:
        texts: list[str] = []
        for line in lines:
            self._check(len(line))
            if self._failure is not None:
                break
            if self._is_first and line:
                self._is_first = False
                line = line.removeprefix(_BOM)  # noqa: PLW2901 - the same line, as it should be
            if text := line.decode("utf-8", "replace").strip(" \t"):
                texts.append(text)
        return texts

    def _check(self, size: int) -> None:
        if size > self._max:
            what = f"a line of over {self._max} bytes"
            self._failure = stream_error("oversized_event", what, ErrorClass.PERMANENT)
            self._open = []
