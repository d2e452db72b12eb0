"""What counts as an address among a tool's arguments, and as an answer of a resolver."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from agentkit.core.contracts.errors import EgressDenied
from agentkit.core.policies import Guardrail, egress
from agentkit.core.testing import FakeTool

from .drive import Terminal, run, tool


@dataclass(frozen=True, slots=True)
class Link:
    url: str


class Opaque:
    """As clients have them: a URL that is no text."""

    def __str__(self) -> str:
        return "http://169.254.169.254/"

    def __repr__(self) -> str:
        return "Opaque()"


def reaching(argument: Any) -> list[Any]:
    double: Any = FakeTool("clone")
    double.caps = frozenset({"egress"})
    return run(egress(Guardrail()), Terminal(["ok"]), tool(double, repo=argument))


def answering(answer: Any) -> Guardrail:
    async def resolve(_: str) -> Any:
        return answer

    return Guardrail(resolve=resolve, block_private_ips=False)


@pytest.mark.parametrize(
    "address",
    [
        "ssh://10.0.0.1/x",
        "git+ssh://10.0.0.1/x",
        "git+http://169.254.169.254/x",
        "coap+tcp://10.0.0.1",
        "a.b-c://10.0.0.1",
        "view-source:http://10.0.0.1",
        "http:/169.254.169.254/",
        "http:169.254.169.254",
        "http:\\\\169.254.169.254",
        "ht\ntp://169.254.169.254/",
        "\x01http://169.254.169.254/",
        "//169.254.169.254/",
        "///169.254.169.254/",
        "\\\\10.0.0.1\\share",
        {"http://10.0.0.1/": {}},
        "\u3000http://169.254.169.254/",
        "\u2003\u2028http://169.254.169.254/",
        "\ufeffhttp://169.254.169.254/",
        "\u200bht\u200dtp://169.254.169.254/",
        "h" + "\x00" * 3000 + "ttp://169.254.169.254/",
        ("http://169.254.169.254/",),
        frozenset({"http://169.254.169.254/"}),
        [({"a": ("http://169.254.169.254/",)},)],
        b"http://169.254.169.254/",
        Link("http://169.254.169.254/"),
        Opaque(),
    ],
    ids=repr,
)
def test_an_address_in_any_form_is_checked(address: Any) -> None:
    with pytest.raises(EgressDenied):
        reaching(address)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "see http://10.0.0.1/",
        "/etc/hosts",
        "C:/temp",
        "C:\\temp",
        "10:30",
        "a: b",
        "// a comment",
        "http: a protocol",
        "text/plain",
        "and/or",
        "key:value",
        "//",
        b"plain",
        7,
        1.5,
        True,
        None,
        ("plain", {"a": 1}),
    ],
    ids=repr,
)
def test_what_is_no_address_is_left_alone(text: Any) -> None:
    assert reaching(text) == ["ok"]


@pytest.mark.parametrize("host", ["fec0::1", "feff::1"])
def test_a_site_local_address_is_not_public(host: str) -> None:
    with pytest.raises(EgressDenied, match="not on the public internet"):
        Guardrail().check_url(f"http://[{host}]/")


@pytest.mark.parametrize(
    "answer",
    [["93.184.216.34 "], ["localhost"], [""], ["1.2.3.4.5"], ["127.1"], [None], "8.8.8.8", 7, None],
    ids=repr,
)
def test_a_resolvers_answer_that_is_no_address_is_denied(answer: Any) -> None:
    with pytest.raises(EgressDenied, match=r"x\.com: .* no address"):
        asyncio.run(answering(answer).addresses("http://x.com/"))


def test_an_address_with_a_zone_is_one() -> None:
    assert asyncio.run(answering(["fe80::1%eth0"]).addresses("http://x.com/")) == ["fe80::1%eth0"]
