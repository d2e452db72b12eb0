"""Hosts of URLs: what host a URL has, and what address that is, in whatever form."""

import ipaddress
import re
from typing import Final

from agentkit.core.policies._address_ranges import Address

__all__ = ["address_of", "split_url"]

_UNSAFE: Final = re.compile(r"[\x00-\x20\x7f\\]")
_URL: Final = re.compile(r"(?:([a-z][a-z0-9+.-]*):)?//([^/?#]*)", re.IGNORECASE)
_AUTHORITY: Final = re.compile(
    r"(?:[^@\[\]]*@)?"
    r"(?:\[(?P<literal>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)|)"
    r"(?::(?P<port>[0-9]{0,5}))?",
    re.IGNORECASE,
)
_NUMERIC_PART: Final = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_MAX_PARTS: Final = 4
_MAX_PORT: Final = 0xFFFF


def split_url(url: str) -> tuple[str, str]:
    """Give the scheme and the host of *url* in lower case, the host as clients connect to it.

    A URL that two parsers might read in different ways is refused, and so is a host that is not
    ASCII: one client sends another name for it than the next. No message quotes *url*.

    Raises:
        TypeError: *url* is no text.
        ValueError: *url* is malformed, or of such a form.

    """
    if not isinstance(url, str):  # pyright: ignore[reportUnnecessaryIsInstance] - from models
        raise TypeError("it is no text")
    if _UNSAFE.search(url):
        raise ValueError("it has white space, a control character or a backslash in it")
    start = _URL.match(url)
    if start is None:
        raise ValueError("it does not begin with scheme://host")
    scheme, authority = start[1] or "", start[2]
    if not authority.isascii():
        raise ValueError("its host is not ASCII: write that in its ASCII form, xn--…")
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None or int(parts["port"] or 0) > _MAX_PORT:
        raise ValueError("its host or its port is none")
    if parts["literal"]:
        return scheme.lower(), _literal(parts["literal"])
    return scheme.lower(), (parts["name"] or "").lower()


def address_of(host: str) -> Address | None:
    """Give the address that *host* is, or None for a name.

    The old forms count: one to four numbers, each decimal or hexadecimal.

    Raises:
        ValueError: It is numeric, and no address, or one that is read in two ways.

    """
    host = host.removesuffix(".")
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        parts = host.split(".")
    if not all(_NUMERIC_PART.fullmatch(part) for part in parts):
        return None
    if len(parts) > _MAX_PARTS:
        raise ValueError("its host has too many numbers")
    return _old_address([_number(part) for part in parts])


def _literal(text: str) -> str:
    try:
        return str(ipaddress.IPv6Address(text))
    except ValueError:
        raise ValueError("its host is in brackets, and no IPv6 address") from None


def _number(part: str) -> int:
    if part[:2] in {"0x", "0X"}:
        return int(part[2:] or "0", 16)
    if part.startswith("0") and part != "0":
        raise ValueError("its host has a number with a leading zero, octal to one, not to another")
    return int(part)


def _old_address(numbers: list[int]) -> ipaddress.IPv4Address:
    *leading, last = numbers
    if any(number > 0xFF for number in leading) or last >= 256 ** (_MAX_PARTS - len(leading)):  # noqa: PLR2004 - a byte
        raise ValueError("its host is a number that is no address")
    value = last
    for place, number in enumerate(leading):
        value |= number << (24 - 8 * place)
    return ipaddress.IPv4Address(value)
