"""Where the addresses of a tool call are: among its arguments, and in what it gives back."""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any, Final

from agentkit.core.contracts.ports import FetchResponse
from agentkit.core.serialization._kinds import is_a

__all__ = ["asked_of", "reached_in"]

# As lenient as clients are: they take `http:/host`, `http:host` and backslashes for an address,
# and pass over white space, control characters and others that nobody sees. One letter before a
# colon is a drive.
_ADDRESS: Final = re.compile(
    r"[a-z][a-z0-9+.-]+:(?:[a-z][a-z0-9+.-]*:)*[/\\]"
    r"|(?:https?|ftp|wss?|file):\S"
    r"|[/\\]{2,}[^\s/\\]",
    re.IGNORECASE,
)
_HEAD: Final = 2048  # signs that are looked at, of a text that may be a whole document
_TEXTS: Final = (str, bytes, bytearray)
_RESPONSE: Final = frozenset(field.name for field in fields(FetchResponse))


def asked_of(request: Any) -> Iterator[Any]:
    """Give the addresses that a tool call names."""
    name = request.url_arg or getattr(request.tool, "url_arg", None)
    if name:
        given = request.arguments.get(name)
        several = isinstance(given, Sequence | AbstractSet) and not isinstance(given, _TEXTS)
        yield from given if several else [] if given is None else [given]
    elif "egress" in (getattr(request.tool, "caps", None) or ()):
        for part in _all_in(request.arguments):
            text = _visible_from(_text(part))
            if _ADDRESS.match(_visible_head(text)):
                yield text


def reached_in(item: Any) -> Iterator[Any]:
    """Give where the responses in *item* came from, be they objects or the JSON of them."""
    for part in _all_in(item):
        if isinstance(part, FetchResponse):
            yield part.url
        elif isinstance(part, Mapping) and part.keys() >= _RESPONSE:
            yield part["url"]


def _all_in(value: Any) -> Iterator[Any]:
    """Give *value* and whatever is in it, in keys, values, items and fields, each thing once."""
    left, seen = [value], set[int]()
    while left:
        part = left.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        left.extend(reversed(_parts(part)))


def _parts(value: Any) -> list[Any]:
    if isinstance(value, _TEXTS):
        return []
    if is_a(value, Mapping):
        return [*value, *value.values()]
    if is_a(value, Sequence | AbstractSet):
        return list(value)
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name, None) for field in fields(value)]
    return []


def _text(part: Any) -> str:
    """Give what a client that takes *part* for an address would read."""
    if isinstance(part, str):
        return part
    if isinstance(part, bytes | bytearray):
        return part.decode("latin-1")
    if part is None or isinstance(part, int | float | Mapping | Sequence | AbstractSet):
        return ""
    return str(part)  # the URL types of clients are objects whose text is the address


def _visible_from(text: str) -> str:
    """Give *text* without what clients pass over around an address."""
    start, end = 0, len(text)
    while start < end and not _is_visible(text[start]):
        start += 1
    while end > start and not _is_visible(text[end - 1]):
        end -= 1
    return text[start:end]


def _visible_head(text: str) -> str:
    seen = (sign for sign in text if sign == " " or _is_visible(sign))
    return "".join(islice(seen, _HEAD))


def _is_visible(sign: str) -> bool:
    return sign.isprintable() and not sign.isspace()
