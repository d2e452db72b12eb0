"""Server-sent events, parsed as the bytes come."""

from typing import NamedTuple

from agentkit.core.contracts.errors import ErrorClass, ProviderError

__all__ = ["MAX_EVENT_BYTES", "ServerSentEvent", "ServerSentEventParser"]

MAX_EVENT_BYTES = 16 * 1024 * 1024
"""The longest line, and the longest event, that a parser holds in memory by default."""

_BOM = b"\xef\xbb\xbf"
_MAX_STRAY_BYTES = 64 * 1024


class ServerSentEvent(NamedTuple):
    """One event: the data lines joined by LF, and the event's name, empty when it has none."""

    data: str
    event: str = ""


class ServerSentEventParser:
    """Turns the bytes of an event stream, cut anywhere, into events.

    Lines end at CR, LF or CRLF and nowhere else, so a U+2028 inside a string stays where it is.
    Comments, `id` and `retry` are read over: none of the APIs we speak resumes a stream.
    """

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max = max_event_bytes
        self._head: bytes | None = b""
        self._after_cr = False
        self._open: list[bytes] = []
        self._open_bytes = 0
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._event = ""
        self._stray = bytearray()
        self._failure: ProviderError | None = None

    @property
    def stray(self) -> str:
        """The first lines that belong to no field: what a server adds outside the format."""
        return self._stray.decode(errors="replace").strip()

    @property
    def is_between_events(self) -> bool:
        """Whether nothing of an event is held: what comes next begins one."""
        return not self._open and not self._data and not self._event and self._head is None

    def feed(self, data: bytes) -> list[ServerSentEvent]:
        """Give the events that *data* completes; after an oversized one nothing more is parsed."""
        if self._failure is not None:
            return []
        if self._head is not None and (data := self._without_bom(data)) == b"":
            return []
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")
        if b"\r" in data:
            self._after_cr = data.endswith(b"\r")
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in data:
            self._hold(data)
            return []
        first, *lines = data.split(b"\n")
        self._hold(first)
        if self._failure is not None:
            return []
        last = lines.pop()
        if len(data) > self._max:
            lines = self._before_oversized(lines)
        events = self._parse([b"".join(self._open), *lines])
        self._open, self._open_bytes = [], 0
        self._hold(last)
        return events

    def check(self) -> None:
        """Return if no line and no event was longer than the bound.

        Raises:
            ProviderError: One was.

        """
        if self._failure is not None:
            raise self._failure

    def close(self) -> list[ServerSentEvent]:
        """Give the event that the input ended in, if it did.

        The format has it discarded, but servers leave out the last blank line; whether such an
        event is whole is for the reader of its data to say.
        """
        if self._failure is not None:
            return []
        if self._head:
            self._hold(self._head)
        lines, self._open, self._open_bytes = [b"".join(self._open), b""], [], 0
        return self._parse(lines)

    def _without_bom(self, data: bytes) -> bytes:
        """Give *data* without a leading byte order mark, empty while that is undecided."""
        data = (self._head or b"") + data
        if len(data) < len(_BOM) and _BOM.startswith(data):
            self._head = data
            return b""
        self._head = None
        return data.removeprefix(_BOM)

    def _hold(self, piece: bytes) -> None:
        if not piece:
            return
        self._open_bytes += len(piece)
        self._check(self._open_bytes)
        self._open.append(piece)

    def _before_oversized(self, lines: list[bytes]) -> list[bytes]:
        """Give *lines* as far as they would be read if they came piece by piece."""
        for at, line in enumerate(lines):
            if len(line) > self._max:
                self._check(len(line))
                return lines[:at]
        return lines

    def _check(self, size: int) -> None:
        if size > self._max:
            self._failure = ProviderError(
                f"provider stream error [oversized_event]: an event of over {self._max} bytes",
                error_type="oversized_event",
                error_class=ErrorClass.PERMANENT,
            )

    def _parse(self, lines: list[bytes]) -> list[ServerSentEvent]:
        events: list[ServerSentEvent] = []
        data = self._data
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[6:] if line[5:6] == b" " else line[5:])
                self._data_bytes += len(line)
                if self._data_bytes > self._max:
                    self._check(self._data_bytes)
                    break
            elif line:
                self._other_field(line)
            elif data:
                whole = data[0] if len(data) == 1 else b"\n".join(data)
                events.append(ServerSentEvent(whole.decode("utf-8", "replace"), self._event))
                data.clear()
                self._data_bytes, self._event = 0, ""
            else:
                self._event = ""
        return events

    def _other_field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if line == b"data":
            self._data.append(b"")
        elif name == b"event":
            self._event = value.removeprefix(b" ").decode(errors="replace")
        elif name not in {b"", b"id", b"retry"} and len(self._stray) < _MAX_STRAY_BYTES:
            self._stray += line[:_MAX_STRAY_BYTES] + b"\n"
