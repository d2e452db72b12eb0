"""Hosts of URLs: what address a host is, in whatever form, and whether it is a public one."""

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

__all__ = ["Address", "address_of", "is_public", "split_url"]

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NUMERIC_PART: Final = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_UNSAFE: Final = re.compile(r"[\x00-\x20\x7f\\]")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_MAX_PARTS: Final = 4


def split_url(url: str) -> tuple[str, str]:
    """Give the scheme and the host of *url*, the host in lower-case ASCII without a final dot.

    Raises:
        ValueError: *url* is malformed, or of a form that parsers read in different ways.

    """
    if _UNSAFE.search(url):
        raise ValueError("it has white space, a control character or a backslash in it")
    parts = urlsplit(url)
    host = parts.hostname or ""
    _ = parts.port  # raises for a port that is no number
    if "%" in host:
        raise ValueError("its host is percent-encoded, or has a zone")
    if not host.isascii():
        host = host.encode("idna").decode("ascii").lower()  # a UnicodeError is a ValueError
    return parts.scheme.lower(), host.rstrip(".")


def address_of(host: str) -> Address | None:
    """Give the address that *host* is, or None for a name.

    The old forms count: one to four numbers, each decimal, octal or hexadecimal.

    Raises:
        ValueError: It is numeric, and no address.

    """
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        parts = host.split(".")
    if not all(_NUMERIC_PART.fullmatch(part) for part in parts):
        return None
    if len(parts) > _MAX_PARTS:
        raise ValueError("its host has too many numbers")
    return _old_address([_number(part) for part in parts])


def is_public(address: Address) -> bool:
    """Tell whether *address*, and an IPv4 address that it carries, is on the public internet."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = _carried(address)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:  # deprecated, and never routed on the internet
            return False
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified
    )


def _carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)


def _number(part: str) -> int:
    if part[:2] in {"0x", "0X"}:
        return int(part[2:] or "0", 16)
    return int(part, 8) if part.startswith("0") and part != "0" else int(part)


def _old_address(numbers: list[int]) -> ipaddress.IPv4Address:
    *leading, last = numbers
    if any(number > 0xFF for number in leading) or last >= 256 ** (_MAX_PARTS - len(leading)):  # noqa: PLR2004 - a byte
        raise ValueError("its host is a number that is no address")
    value = last
    for place, number in enumerate(leading):
        value |= number << (24 - 8 * place)
    return ipaddress.IPv4Address(value)
