"""A word however a text around it has it: as it is, or escaped for JSON, a URL, HTML or a repr."""

import re
from functools import cache
from html.entities import html5

__all__ = ["Word", "spelt"]

_DEEPEST = 3
# Of a word that was cut, the last character may be cut as well: in the middle of its escape.
_BEGUN = re.compile(
    r"(\\+(u[0-9a-f{]*|x[0-9a-f]?)?|%(25)*[0-9a-f]?|&(amp;)*[#\w]*)?", re.IGNORECASE
)


class Word:
    """A word of one character or more, to be found in any spelling and case."""

    def __init__(self, text: str) -> None:
        self.text = text

    def end_in(self, text: str, start: int) -> int:
        """Give where what *text* has of the word from *start* on ends; that is *start* for none."""
        return max(self._read(text, start)[1])

    def begins_in(self, text: str, start: int, *, least: int) -> bool:
        """Whether *text*, from *start* to its end, is the beginning of the word, *least* of it."""
        read, ends = self._read(text, start)
        return read >= least and any(_BEGUN.fullmatch(text, end) for end in ends)

    def _read(self, text: str, start: int) -> tuple[int, set[int]]:
        """Give how many characters are there, and where they may end: an escape is text as well."""
        ends = {start}
        for read, char in enumerate(self.text):
            found = (one.match(text, end) for end in ends for one in _compiled(char))
            following = {match.end() for match in found if match}
            if not following:
                return read, ends
            ends = following
        return len(self.text), ends


def spelt(word: str) -> str:
    """Give the pattern of *word* in any spelling."""
    return "".join(f"(?:{'|'.join(_spellings(char))})" for char in word)


@cache
def _compiled(char: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.IGNORECASE | re.ASCII) for one in _spellings(char))


def _spellings(char: str) -> tuple[str, ...]:
    """Give the patterns of *char*: escaped, also up to three times over, and as it is."""
    code = ord(char)
    names = "|".join([f"#0*{code}", f"#x0*{code:x}", *map(re.escape, _NAMES.get(char, ()))])
    escapes = [
        rf"\\+(?:u00{code:02x}|u\{{0*{code:x}\}}|x{code:02x})",
        *(f"%{'25' * times}{code:02x}" for times in range(_DEEPEST)),
        *(f"&{'amp;' * times}(?:{names});?" for times in range(_DEEPEST)),
        *([r"\+"] if char == " " else []),
    ]
    slashed = () if char.isalnum() else (rf"\\+{re.escape(char)}",)
    slashes = (r"\\+",) if char == "\\" else ()
    return (*(f"(?i:{escape})" for escape in escapes), *slashed, *slashes, re.escape(char))


def _names_by_character() -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for name, text in html5.items():
        names.setdefault(text, []).append(name.removesuffix(";"))
    return names


_NAMES = _names_by_character()
