"""What host a URL has, as clients read it, and which addresses are on the public internet."""

from ipaddress import ip_address

import pytest

from agentkit.core.contracts.errors import EgressDenied
from agentkit.core.policies import Guardrail
from agentkit.core.policies._address_ranges import is_public
from agentkit.core.policies._addresses import address_of, split_url


@pytest.mark.parametrize(
    "url",
    [
        "http://busine\u00df.example/",
        "http://\u03b2\u03cc\u03bb\u03bf\u03c2.example/",
        "http://a\u200db.example/",
        "http://a\u200cb.example/",
        "http://example\u3002com/",
        "http://example\uff0ecom/",
        "http://example\uff61com/",
        "http://\uff45xample.com/",
        "http://b\u00fccher.example/",
        "http://user\uff20example.com/",
        "http://example.com\u00ad/",
        "http://example.com\uff0fx/",
    ],
    ids=ascii,
)
def test_a_host_that_is_not_ascii_is_denied_with_what_to_write(url: str) -> None:
    with pytest.raises(EgressDenied, match="not ASCII: write that in its ASCII form, xn--"):
        Guardrail().check_url(url)


def test_an_allowlist_has_ascii_hosts() -> None:
    with pytest.raises(ValueError, match=r"has ASCII hosts: write 'b\u00fccher"):
        Guardrail(egress_allow=["b\u00fccher.example"])


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://XN--Busine-gta.example/", "xn--busine-gta.example"),
        ("http://a_b.example", "a_b.example"),
        ("http://example.com./", "example.com."),
        ("http://u:p@example.com:80?x", "example.com"),
        ("http://example.com#@evil.example/", "example.com"),
        ("http://example.com?@evil.example/", "example.com"),
        ("http://[2606:2800:220:1::0001]:80/", "2606:2800:220:1::1"),
        ("http:///path", ""),
        ("http://:80/", ""),
    ],
)
def test_a_host_is_given_as_clients_connect_to_it(url: str, host: str) -> None:
    assert split_url(url) == ("http", host)


@pytest.mark.parametrize(
    "url",
    [
        "http://a@b@c/",
        "http://a[b]@c/",
        "http://[1.2.3.4]/",
        "http://[::1]x/",
        "http://[::1%25eth0]/",
        "http://[v1.x]/",
        "http://example.com:65536/",
        "http://example.com:+80/",
        "http://example.com:80:80/",
        "http://a..b/",
        "http://.example.com/",
        "http://example.com../",
        "http://exa$mple.com/",
        "http://a,b/",
        "http:/example.com",
        "http:example.com",
        "1http://example.com",
    ],
)
def test_what_parsers_read_in_two_ways_is_malformed(url: str) -> None:
    with pytest.raises(EgressDenied, match="malformed"):
        Guardrail(block_private_ips=False).check_url(url)


@pytest.mark.parametrize("host", ["010.0.0.1", "00.0.0.1", "0177.1", "017700000001", "8.8.8.08"])
def test_a_number_that_is_octal_to_some_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match="leading zero"):
        address_of(host)


def test_what_is_no_text_is_malformed() -> None:
    with pytest.raises(EgressDenied, match="it is no text"):
        Guardrail().check_url(None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


EDGES = {
    "0.0.0.0": "0.255.255.255",  # noqa: S104 - nothing binds to it
    "10.0.0.0": "10.255.255.255",
    "100.64.0.0": "100.127.255.255",
    "127.0.0.0": "127.255.255.255",
    "168.63.129.16": "168.63.129.16",
    "169.254.0.0": "169.254.255.255",
    "172.16.0.0": "172.31.255.255",
    "192.0.0.0": "192.0.0.255",
    "192.0.2.0": "192.0.2.255",
    "192.88.99.0": "192.88.99.255",
    "192.168.0.0": "192.168.255.255",
    "198.18.0.0": "198.19.255.255",
    "198.51.100.0": "198.51.100.255",
    "203.0.113.0": "203.0.113.255",
    "224.0.0.0": "255.255.255.255",
    "::": "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001::": "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db8::": "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "2002::": "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff::": "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
    "4000::": "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
}


@pytest.mark.parametrize("edge", sorted({*EDGES, *EDGES.values()}))
def test_a_block_that_is_not_public_is_refused_to_its_edges(edge: str) -> None:
    assert not is_public(ip_address(edge))


@pytest.mark.parametrize(
    "beside",
    [
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "191.255.255.255",
        "192.0.1.0",
        "192.0.3.0",
        "192.88.98.255",
        "192.88.100.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "198.51.99.255",
        "198.51.101.0",
        "203.0.112.255",
        "203.0.114.0",
        "223.255.255.255",
        "8.8.8.8",
        "2000::",
        "2001:200::",
        "2001:db7:ffff::",
        "2001:db9::",
        "2003::",
        "2606:4700:4700::1111",
        "3fff:1000::",
        "64:ff9b::8.8.8.8",
        "::ffff:8.8.8.8",
    ],
)
def test_what_is_beside_such_a_block_is_public(beside: str) -> None:
    assert is_public(ip_address(beside))


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.170.2",
        "192.0.0.192",
        "100.100.100.200",
        "168.63.129.16",
        "fd00:ec2::254",
        "fd20:ce::254",
        "fe80::a9fe:a9fe",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::169.254.169.254",
        "::ffff:169.254.169.254",
        "::169.254.169.254",
    ],
)
def test_the_metadata_of_a_cloud_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))
