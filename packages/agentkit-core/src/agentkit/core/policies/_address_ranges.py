"""Which IP addresses are on the public internet, by a table of our own.

`ipaddress` knows it too, but its tables change with the patch release of Python, and what may be
reached must not. Where a registry has exceptions inside a block that is not global, the whole
block is refused here: nothing that is fetched is served from those.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

__all__ = ["Address", "is_public"]

Address = IPv4Address | IPv6Address

# The IANA IPv4 Special-Purpose Address Registry, multicast, and metadata that clouds serve from an
# address which is otherwise public.
_REFUSED_4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by carriers; Alibaba's metadata
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # Azure's own services
            "169.254.0.0/16",  # link-local; most clouds' metadata
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments; Oracle's metadata
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # 6to4 relays, deprecated
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and the broadcast
        ),
    )
)
# All that is assigned to hosts; loopback, unique local, link-local and the rest are outside of it.
_UNICAST_6: Final = IPv6Network("2000::/3")
_REFUSED_6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments, Teredo among them
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: it carries an IPv4 address, and is deprecated
            "3fff::/20",  # documentation
        ),
    )
)
_NAT64: Final = IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Tell whether *address*, or the IPv4 address that it carries, is on the public internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _REFUSED_4)
    inner = _carried(address)
    if inner is not None:
        return is_public(inner)
    return address in _UNICAST_6 and not any(address in network for network in _REFUSED_6)


def _carried(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped
