"""Which addresses may be reached, in whatever form they are written."""

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.core.contracts.errors import AgentkitError, Cancelled, EgressDenied
from agentkit.core.policies import Guardrail

from .guards import PUBLIC, failing, guard, names


def saying(answer: Any) -> Callable[[str], Any]:
    def check(_: str) -> Any:
        return answer

    return check


def allowed(guardrail: Guardrail, url: str) -> bool:
    async def check() -> bool:
        try:
            await guardrail.check_url(url)
        except PermissionError:
            return False
        return True

    return asyncio.run(check())


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://10.1.2.3",
        "http://192.168.0.1:8080/x",
        "http://169.254.169.254/latest/meta-data",
        "http://100.64.0.1/",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
        "http://240.0.0.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://017700000001/",
        "http://127.1/",
        "http://127.0.0.1./",
        "http://[::1]/",
        "http://[::]/",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://localhost/",
        "http://LOCALHOST./",
        "http://a.localhost/",
        "http://user@127.0.0.1/",
        "http://example.com@127.0.0.1/",
        "http://\u2460\u2461\u2466.0.0.1/",
    ],
)
def test_an_address_off_the_public_internet_is_denied_in_every_form(url: str) -> None:
    with pytest.raises(EgressDenied):
        guard().check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "//example.com",
        "http://",
        "http:///path",
        "file:///etc/passwd",
        "ftp://example.com",
        "javascript:alert(1)",
        "http://example.com:port/",
        "http://exa mple.com/",
        "http://example.com\\@127.0.0.1/",
        "http://example.com\n.evil.com/",
        "http://%31%32%37.0.0.1/",
        "http://[::1%25eth0]/",
        "http://999.1.1.1/",
        "http://1.2.3.4.5/",
        "http://09/",
        "http://[not]/",
    ],
)
def test_what_is_no_plain_address_is_denied(url: str) -> None:
    with pytest.raises(EgressDenied):
        guard().check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "https://EXAMPLE.com:8443/a?b=c#d",
        "https://user:secret@example.com/",
        f"http://{PUBLIC}/",
        "http://[2606:2800:220:1::1]/",
    ],
)
def test_a_public_address_may_be_reached(url: str) -> None:
    assert allowed(guard(), url)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "::1", "fe80::1%eth0"])
def test_a_name_that_stands_for_a_private_address_is_denied(address: str) -> None:
    assert not allowed(guard(resolve=names(**{"evil.com": address})), "http://evil.com/")


def test_one_private_address_among_several_is_enough() -> None:
    async def both(_: str) -> list[str]:
        return [PUBLIC, "10.0.0.1"]

    assert not allowed(guard(resolve=both), "http://evil.com/")


def test_a_name_that_nobody_knows_is_denied_unless_a_proxy_may_know_it() -> None:
    lax = guard(require_resolution=False)

    assert not allowed(guard(), "http://nowhere.example")
    assert allowed(lax, "http://nowhere.example")
    assert asyncio.run(lax.addresses("http://nowhere.example")) == []


@pytest.mark.parametrize("required", [False, True])
@pytest.mark.parametrize(
    "failure",
    [
        socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"),
        TimeoutError("no answer"),
        OSError("no route"),
        UnicodeError("label too long"),
        KeyError("of a resolver of one's own"),
    ],
    ids=repr,
)
def test_a_name_that_could_not_be_looked_up_is_denied(
    failure: Exception, *, required: bool
) -> None:
    guardrail = guard(resolve=failing(failure), require_resolution=required)

    with pytest.raises(EgressDenied, match=f"cannot be looked up, by {type(failure).__name__}"):
        asyncio.run(guardrail.addresses("http://example.com/"))
    assert not allowed(guardrail, "http://example.com/")


@pytest.mark.parametrize("stop", [Cancelled("enough"), asyncio.CancelledError()], ids=repr)
def test_a_look_up_that_is_cancelled_leaves_as_that(stop: BaseException) -> None:
    with pytest.raises(type(stop)):
        asyncio.run(guard(resolve=failing(stop)).addresses("http://example.com/"))


def test_a_name_that_cannot_be_one_is_denied() -> None:
    assert not allowed(Guardrail(require_resolution=False), f"http://{'x' * 70}.example/")


@pytest.mark.parametrize("required", [False, True])
def test_a_name_without_an_address_is_denied_unless_a_proxy_may_have_one(*, required: bool) -> None:
    async def none(_: str) -> list[str]:
        return []

    lax = guard(resolve=none, require_resolution=required)
    assert allowed(lax, "http://example.com/") is not required


def test_nothing_is_looked_up_where_any_answer_will_do() -> None:
    guardrail = guard(
        resolve=failing(LookupError()), block_private_ips=False, require_resolution=False
    )

    assert allowed(guardrail, "http://example.com/")


def test_a_name_is_looked_up_as_clients_write_it() -> None:
    rooted = guard(resolve=names(**{"example.com.": PUBLIC}), egress_allow=["example.com"])

    assert allowed(rooted, "http://Example.com./")


def test_the_systems_resolver_is_asked_by_default() -> None:
    assert asyncio.run(Guardrail(block_private_ips=False).addresses("http://localhost/"))


def test_an_adapter_gets_the_addresses_it_may_connect_to() -> None:
    assert asyncio.run(guard().addresses("http://example.com/")) == [PUBLIC]
    assert asyncio.run(guard().addresses(f"http://{PUBLIC}/")) == [PUBLIC]


@pytest.mark.parametrize(
    ("url", "passes"),
    [
        ("http://example.com/", True),
        ("http://api.example.com/", True),
        ("http://badexample.com/", False),
        ("http://example.com.evil.com/", False),
        (f"http://{PUBLIC}/", False),
    ],
)
@pytest.mark.parametrize("suffix", ["example.com", ".Example.com", "*.example.com"])
def test_an_allowlist_is_by_whole_labels(url: str, suffix: str, *, passes: bool) -> None:
    assert allowed(guard(egress_allow=[suffix]), url) is passes


def test_an_empty_allowlist_allows_nothing() -> None:
    assert not allowed(guard(egress_allow=[]), "http://example.com/")


def test_private_addresses_can_be_allowed() -> None:
    assert allowed(guard(block_private_ips=False), "http://127.0.0.1/")


def test_other_schemes_can_be_allowed() -> None:
    assert allowed(guard(allowed_schemes=["FTP"]), "ftp://example.com/")


@pytest.mark.parametrize("answer", [True, None])
def test_a_check_of_ones_own_may_agree(*, answer: bool | None) -> None:
    assert allowed(guard(url_check=saying(answer)), "http://example.com/")


def test_a_check_of_ones_own_denies_by_failing() -> None:
    def fails(_: str) -> bool:
        raise LookupError("list unavailable")

    assert not allowed(guard(url_check=fails), "http://example.com/")


def test_a_check_of_ones_own_that_is_cancelled_leaves_as_that() -> None:
    def stops(_: str) -> bool:
        raise Cancelled("enough")

    with pytest.raises(Cancelled, match="enough"):
        guard(url_check=stops).check_url("http://example.com/")


@pytest.mark.parametrize("answer", [False, 0, 1, "", "yes", [True]], ids=repr)
def test_a_check_of_ones_own_denies_by_anything_that_is_not_true(answer: Any) -> None:
    assert not allowed(guard(url_check=saying(answer)), "http://example.com/")


async def agreeing(_: str) -> bool:
    return True


class Agreeing:
    async def __call__(self, _: str) -> bool:
        return True


@pytest.mark.parametrize("check", [agreeing, Agreeing()], ids=["function", "object"])
def test_a_check_of_ones_own_that_is_a_coroutine_function_is_refused(check: Any) -> None:
    with pytest.raises(TypeError, match="url_check is a plain function"):
        Guardrail(url_check=check)


def test_a_check_of_ones_own_that_gives_a_coroutine_denies() -> None:
    wrapped = saying(agreeing(""))

    with pytest.raises(EgressDenied, match="a coroutine that is not True"):
        guard(url_check=wrapped).check_url("http://example.com/")


def test_a_refusal_shows_no_secret() -> None:
    with pytest.raises(EgressDenied, match=r"10\.0\.0\.1") as caught:
        guard().check_url("http://user:hunter2@10.0.0.1/?token=hunter3")
    assert "hunter" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://user:hunter2@exa\u2100mple.com/",
        "http://host:hunter2/",
        "http://user:hunter2@[host/",
        "http://user:hunter2@a@b/",
        "hunter2:x@example.com",
        "http://user:hunter2@1.2.3.999/",
        "http://user:hunter2@010.0.0.1/",
    ],
)
def test_a_refusal_of_what_is_malformed_shows_no_secret(url: str) -> None:
    with pytest.raises(EgressDenied, match="malformed") as caught:
        guard().check_url(url)
    assert "hunter2" not in str(caught.value)


def test_a_refusal_is_a_permission_error_of_ours() -> None:
    assert issubclass(EgressDenied, PermissionError)
    assert issubclass(EgressDenied, AgentkitError)


@pytest.mark.parametrize("name", ["egress_allow", "allowed_schemes"])
def test_a_list_that_is_one_text_is_refused(name: str) -> None:
    wrong: Any = {name: "example.com"}

    with pytest.raises(TypeError, match=name):
        Guardrail(**wrong)
