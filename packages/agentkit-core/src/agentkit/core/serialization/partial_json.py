"""JSON read as it arrives: the value so far, at every moment, each character looked at once."""

import math
import re
from typing import Any, ClassVar, Final

from agentkit.core.serialization._immutable import freeze_shell

__all__ = ["PartialJson", "read_partial"]

_MAX_DEPTH: Final = 200
_NOTHING: Final = object()
_BLANKS: Final = " \t\r\n\ufeff"
_BLANK: Final = re.compile(f"[{_BLANKS}]+")
_BETWEEN: Final = frozenset({"start", "value", "key", "colon", "after"})
"""The states in which blanks stand for nothing."""
_HEX: Final = re.compile(r"[0-9a-fA-F]{4}")
_LITERAL: Final = re.compile(r"[-+.0-9A-Za-z]+")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS: Final = {"true": True, "false": False, "null": None}
_ESCAPES: Final = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}


class _Open:
    """A container whose end has not arrived, and the key that waits for its value."""

    __slots__ = ("items", "key")

    def __init__(self, items: "dict[str, Any] | list[Any]") -> None:
        self.items = items
        self.key = ""

    def add(self, value: Any) -> None:
        """Put a complete *value* in its place."""
        if isinstance(self.items, dict):
            self.items[self.key] = value
        else:
            self.items.append(value)

    def closed_with(self, value: Any) -> Any:
        """Give a frozen copy that ends here, with *value* as its unfinished last part."""
        if value is _NOTHING:
            return freeze_shell(self.items)
        if isinstance(self.items, dict):
            return freeze_shell({**self.items, self.key: value})
        return freeze_shell([*self.items, value])


class PartialJson:
    """A tolerant reader of one JSON value that arrives in pieces.

    An unfinished string is shown as far as it came; an unfinished number, word or key is left out,
    since the part that is there may mean something else than the whole. A Markdown fence around
    the value is skipped. Text that is no JSON stops the reader for good (`is_broken`), with what
    was read until then; nothing here raises.
    """

    __slots__ = (
        "_at_key",
        "_backslash",
        "_escape",
        "_frames",
        "_high",
        "_pieces",
        "_quote",
        "_root",
        "_state",
        "completed",
        "version",
    )

    def __init__(self) -> None:
        self._frames: list[_Open] = []
        self._state = "start"
        self._pieces: list[str] = []
        self._escape = ""
        self._high = ""
        self._at_key = False
        self._quote = self._backslash = -1  # where the next of each is in what is fed
        self._root: Any = _NOTHING
        self.version: int = 0
        """Grows whenever `value` would answer something new."""
        self.completed: int = 0
        """The number of values, containers included, that are complete."""

    @property
    def is_complete(self) -> bool:
        """Whether the whole value has arrived."""
        return self._state == "end"

    @property
    def is_broken(self) -> bool:
        """Whether the text turned out not to be JSON."""
        return self._state == "broken"

    @property
    def is_in_text(self) -> bool:
        """Whether a text or key is open, so that nothing becomes complete before a `"`."""
        return self._state == "string"

    def feed(self, text: str) -> bool:
        """Read on by *text*; say whether a value became complete."""
        before = self.completed
        self._quote = self._backslash = -1
        at, end = 0, len(text)
        while at < end and self._state not in {"end", "broken"}:
            if text[at] in _BLANKS and self._state in _BETWEEN:
                at = _after_blanks(text, at)
            else:
                at = self._STEPS[self._state](self, text, at)
        return self.completed > before

    def value(self) -> Any:
        """Give the value so far as frozen containers; None while there is none.

        Parts that are complete are shared between answers, so the cost is that of the containers
        still open, not of the text read.
        """
        inner = self._unfinished_text()
        for frame in reversed(self._frames):
            inner = frame.closed_with(inner)
        if self._root is not _NOTHING:
            inner = self._root
        return None if inner is _NOTHING else inner

    def _unfinished_text(self) -> Any:
        if self._state not in {"string", "escape"} or self._at_key:
            return _NOTHING
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def _start(self, text: str, at: int) -> int:
        self._state = "fence" if text[at] == "`" else "value"
        return at

    def _fence(self, text: str, at: int) -> int:
        line_end = text.find("\n", at)
        if line_end < 0:
            return len(text)
        self._state = "value"
        return line_end + 1

    def _value(self, text: str, at: int) -> int:
        char = text[at]
        if char == '"':
            return self._begin_text(text, at + 1, at_key=False)
        if char in "{[":
            self._open(char)
            return at + 1
        if char == "]":
            return self._end_or_break(char, "]", at)
        self._pieces = []
        self._state = "literal"
        return self._literal(text, at)

    def _open(self, char: str) -> None:
        if len(self._frames) == _MAX_DEPTH:
            self._state = "broken"
            return
        self._frames.append(_Open({} if char == "{" else []))
        self._state = "key" if char == "{" else "value"
        self.version += 1

    def _key(self, text: str, at: int) -> int:
        if text[at] == '"':
            return self._begin_text(text, at + 1, at_key=True)
        return self._end_or_break(text[at], "}", at)

    def _colon(self, text: str, at: int) -> int:
        self._state = "value" if text[at] == ":" else "broken"
        return at + 1

    def _after(self, text: str, at: int) -> int:
        in_object = isinstance(self._frames[-1].items, dict)
        if text[at] == ",":
            self._state = "key" if in_object else "value"
            return at + 1
        return self._end_or_break(text[at], "}" if in_object else "]", at)

    def _end_or_break(self, char: str, closing: str, at: int) -> int:
        """Close the innermost container if *char* does; a comma before it is forgiven."""
        in_object = bool(self._frames) and isinstance(self._frames[-1].items, dict)
        if char != closing or not self._frames or in_object is not (closing == "}"):
            self._state = "broken"
            return at
        self._complete(freeze_shell(self._frames.pop().items))
        return at + 1

    def _complete(self, value: Any) -> None:
        self.completed += 1
        self.version += 1
        if not self._frames:
            self._root = value
            self._state = "end"
            return
        self._frames[-1].add(value)
        self._state = "after"

    def _begin_text(self, text: str, at: int, *, at_key: bool) -> int:
        self._pieces = []
        self._at_key = at_key
        self._state = "string"
        self.version += not at_key
        return self._string(text, at)

    def _string(self, text: str, at: int) -> int:
        plain = self._plain_until(text, at)
        if plain > at:
            self._add_text(text[at:plain])
        if plain == len(text):
            return plain
        if text[plain] == "\\":
            self._escape = ""
            self._state = "escape"
            return plain + 1
        self._flush_surrogate()
        whole = "".join(self._pieces)
        if self._at_key:
            self._frames[-1].key = whole
            self._state = "colon"
        else:
            self._complete(whole)
        return plain + 1

    def _plain_until(self, text: str, at: int) -> int:
        """Give where the text that is open in *at* has its next quote or backslash, if not the end.

        Each of the two is looked for from where it was last found, so no character is twice.
        """
        if self._quote < at:
            self._quote = _place('"', text, at)
        if self._backslash < at:
            self._backslash = _place("\\", text, at)
        return min(self._quote, self._backslash)

    def _escaped(self, text: str, at: int) -> int:
        self._escape += text[at]
        if self._escape[0] == "u":
            self._unicode_escape()
        elif self._escape in _ESCAPES:
            self._add_text(_ESCAPES[self._escape])
            self._state = "string"
        else:
            self._state = "broken"
        return at + 1

    def _unicode_escape(self) -> None:
        if len(self._escape) < len("uFFFF"):
            return
        if not _HEX.fullmatch(self._escape, 1):
            self._state = "broken"
            return
        char = chr(int(self._escape[1:], 16))
        self._state = "string"
        if self._high and "\udc00" <= char <= "\udfff":
            pair, self._high = self._high + char, ""
            self._add_text(pair.encode("utf-16", "surrogatepass").decode("utf-16"))
        elif "\ud800" <= char <= "\udbff":
            self._flush_surrogate()
            self._high = char  # shown only once it is known whether its other half follows
        else:
            self._add_text(char)

    def _flush_surrogate(self) -> None:
        if self._high:
            self._pieces.append(self._high)
            self._high = ""

    def _add_text(self, piece: str) -> None:
        self._flush_surrogate()
        self._pieces.append(piece)
        self.version += not self._at_key

    def _literal(self, text: str, at: int) -> int:
        run = _LITERAL.match(text, at)
        if run:
            self._pieces.append(run.group())
            at = run.end()
        if at == len(text):
            return at
        word, self._pieces = "".join(self._pieces), []
        value = _read_literal(word)
        if value is _NOTHING:
            self._state = "broken"
        else:
            self._complete(value)
        return at

    _STEPS: ClassVar = {
        "start": _start,
        "fence": _fence,
        "value": _value,
        "key": _key,
        "colon": _colon,
        "after": _after,
        "string": _string,
        "escape": _escaped,
        "literal": _literal,
    }


def read_partial(text: str) -> Any:
    """Give the JSON value that *text* has so far, None when there is none."""
    reader = PartialJson()
    reader.feed(text)
    return reader.value()


def _place(char: str, text: str, at: int) -> int:
    found = text.find(char, at)
    return len(text) if found < 0 else found


def _after_blanks(text: str, at: int) -> int:
    blanks = _BLANK.match(text, at)
    return blanks.end() if blanks else at


def _read_literal(word: str) -> Any:
    """Give what *word* stands for; `_NOTHING` for what is no JSON, or no finite number."""
    if word in _WORDS:
        return _WORDS[word]
    number = _NUMBER.fullmatch(word)
    if number is None:
        return _NOTHING
    if number.group(1) is None and number.group(2) is None:
        return _read_integer(word)
    value = float(word)
    return value if math.isfinite(value) else _NOTHING


def _read_integer(word: str) -> Any:
    try:
        return int(word)
    except ValueError:  # more digits than the interpreter's limit
        return _NOTHING
