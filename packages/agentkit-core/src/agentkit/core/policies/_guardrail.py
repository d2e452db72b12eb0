"""Guardrail: which addresses a tool may reach, and how its words are shown to a model."""

import asyncio
import inspect
import socket
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from ipaddress import ip_address
from typing import Any, Final, cast

from agentkit.core.contracts._checks import shown
from agentkit.core.contracts.errors import Cancelled, EgressDenied
from agentkit.core.policies._address_ranges import Address, is_public
from agentkit.core.policies._addresses import address_of, split_url
from agentkit.core.policies._untrusted import framed, redacted
from agentkit.core.runtime._checks import check_flags, check_function, check_functions

__all__ = ["Guardrail"]

# What the system's resolver says when it knows that there is no such name. Its other errors say
# that it could not tell.
_UNKNOWN_NAME: Final = {
    getattr(socket, name) for name in ("EAI_NONAME", "EAI_NODATA") if hasattr(socket, name)
}


async def _resolve(host: str) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(info[4][0]) for info in found]


class Guardrail:
    """Decides about addresses, and makes a tool's output safe to show.

    Args:
        url_check: A check of your own, a plain function: it allows by giving True or None, and
            denies by raising or by giving anything else.
        egress_allow: The only hosts that may be reached, subdomains included; None allows all.
            A host that is not ASCII is given in its ASCII form, `xn--…`.
        allowed_schemes: The only schemes.
        block_private_ips: Whether addresses that are not on the public internet are denied.
        redact_tool_output: Whether `wrap_tool_output` redacts.
        resolve: Gives the addresses of a name; the system's resolver by default.
        require_resolution: Whether a name that nobody knows is denied, since its owner may make it
            known a moment later. Without it such a name passes, as it has to where a proxy looks
            names up. One that could not be looked up is denied either way.

    A name is looked up once here and again by whoever connects, so its owner can change it in
    between: an adapter that has to rule that out connects to what `addresses` gave. With neither
    *block_private_ips* nor *require_resolution* `check_url` looks nothing up.

    Raises:
        TypeError: An argument is of another type; *url_check* is a coroutine function.
        ValueError: A host of *egress_allow* is not ASCII.

    """

    def __init__(
        self,
        *,
        url_check: Callable[[str], bool | None] | None = None,
        egress_allow: Sequence[str] | None = None,
        allowed_schemes: Sequence[str] = ("http", "https"),
        block_private_ips: bool = True,
        redact_tool_output: bool = False,
        resolve: Callable[[str], Awaitable[Sequence[str]]] = _resolve,
        require_resolution: bool = True,
    ) -> None:
        for name, several in (("egress_allow", egress_allow), ("allowed_schemes", allowed_schemes)):
            _check_texts(name, several)
        check_functions(url_check=url_check)
        _check_plain(url_check)
        check_function("resolve", resolve)
        check_flags(
            block_private_ips=block_private_ips,
            redact_tool_output=redact_tool_output,
            require_resolution=require_resolution,
        )
        self._url_check = url_check
        self._allow = None if egress_allow is None else [_suffix(host) for host in egress_allow]
        self._schemes = frozenset(scheme.lower() for scheme in allowed_schemes)
        self._block_private = block_private_ips
        self._redacts = redact_tool_output
        self._resolve = resolve
        self._require_resolution = require_resolution

    def check_url(self, url: str) -> Awaitable[None]:
        """Deny *url* at once for what it says, and when awaited for what its name resolves to.

        Raises:
            EgressDenied: It may not be reached.

        """
        host = self._check_text(url)
        return _Later(lambda: self._check_addresses(host))

    async def addresses(self, url: str) -> list[str]:
        """Give the addresses that *url* may be reached at, all of them checked.

        There is none where nobody knows the name and *require_resolution* is off.

        Raises:
            EgressDenied: It may not be reached.

        """
        host = self._check_text(url)
        return await self._checked_addresses(host)

    def redact(self, text: str) -> str:
        """Give *text* with `[email]` and `[phone]` in the place of addresses and numbers."""
        return redacted(text)

    def wrap_tool_output(self, text: str, *, source: str = "tool") -> str:
        """Give *text* framed as untrusted data, with the marks of an injection that are in it."""
        return framed(redacted(text) if self._redacts else text, source=source)

    def _check_text(self, url: str) -> str:
        """Give the host of *url* if what *url* says may be reached."""
        try:
            scheme, host = split_url(url)
            address = address_of(host) if host else None
        except (TypeError, ValueError) as exc:
            raise EgressDenied(f"the address is malformed: {exc}") from None
        where = f"{scheme}://{host}"  # the rest of an address may hold a secret
        if scheme not in self._schemes:
            raise EgressDenied(f"{where}: the scheme {scheme!r} is not allowed")
        if not host:
            raise EgressDenied(f"{where}: there is no host")
        name = host.removesuffix(".")
        if self._block_private and _is_local(name, address):
            raise EgressDenied(f"{where}: the address is not on the public internet")
        if self._allow is not None and not any(_under(name, suffix) for suffix in self._allow):
            raise EgressDenied(f"{where}: the host is not among those that may be reached")
        self._ask_caller(url, where)
        return host

    def _ask_caller(self, url: str, where: str) -> None:
        if self._url_check is None:
            return
        try:
            allowed = self._url_check(url)
        except Cancelled:
            raise
        except Exception as exc:  # what it says may hold the address, and with it a secret
            raise EgressDenied(f"{where}: url_check denies it by {type(exc).__name__}") from exc
        if inspect.iscoroutine(allowed):
            allowed.close()
        if allowed is not None and allowed is not True:
            raise EgressDenied(
                f"{where}: url_check denies it by a {type(allowed).__name__} that is not True"
            )

    async def _check_addresses(self, host: str) -> None:
        if self._block_private or self._require_resolution:
            await self._checked_addresses(host)

    async def _checked_addresses(self, host: str) -> list[str]:
        literal = address_of(host)
        if literal is not None:
            return [str(literal)]
        try:
            answer = await self._resolve(host)
        except Cancelled:
            raise
        except Exception as exc:
            if _is_unknown(exc) and not self._require_resolution:
                return []
            why = f"the name cannot be looked up, by {type(exc).__name__}"
            raise EgressDenied(f"{host}: {why}") from exc
        found = _resolved(host, answer)
        if self._block_private and (
            private := [at for at, ip in found.items() if not is_public(ip)]
        ):
            raise EgressDenied(f"{host}: the name stands for {private[0]}, which is not public")
        if self._require_resolution and not found:
            raise EgressDenied(f"{host}: the name has no address")
        return list(found)


class _Later:
    """A part of a check that has to wait; unlike a coroutine it may be left out."""

    def __init__(self, check: Callable[[], Awaitable[object]]) -> None:
        self._check = check

    def __await__(self) -> Generator[Any, None, None]:
        yield from self._check().__await__()


def _is_unknown(exc: Exception) -> bool:
    """Tell whether a resolver that failed with *exc* knows that there is no such name."""
    return isinstance(exc, socket.gaierror) and exc.errno in _UNKNOWN_NAME


def _check_plain(url_check: Any) -> None:
    asked = getattr(url_check, "__call__", None)  # noqa: B004 - of an object, its method
    if inspect.iscoroutinefunction(url_check) or inspect.iscoroutinefunction(asked):
        raise TypeError("url_check is a plain function: what a coroutine says comes too late")


def _check_texts(name: str, several: Any) -> None:
    if several is None:
        return
    if isinstance(several, str):
        raise TypeError(f"{name} is a list of texts; got {several!r}")
    for text in several:
        if not isinstance(text, str) or not text.strip("*. "):
            raise TypeError(f"each of {name} is a name; got {shown(text)}")


def _resolved(host: str, answer: Any) -> dict[str, Address]:
    """Give what a resolver says *host* stands for, each address as it was written and as it is."""
    if isinstance(answer, str) or not isinstance(answer, Iterable):
        raise EgressDenied(
            f"{host}: the resolver's answer is {shown(answer)}, no address in a list"
        )
    found: dict[str, Address] = {}
    for written in cast("Iterable[object]", answer):  # of what, isinstance() cannot tell
        try:
            text = written if isinstance(written, str) else ""
            found[text] = ip_address(text.partition("%")[0])
        except ValueError:
            raise EgressDenied(
                f"{host}: stands for {shown(written)}, which is no address"
            ) from None
    return found


def _is_local(host: str, address: Any) -> bool:
    if address is not None:
        return not is_public(address)
    return host == "localhost" or host.endswith(".localhost")


def _suffix(host: str) -> str:
    if not host.isascii():
        raise ValueError(f"egress_allow has ASCII hosts: write {host!r} in that form, xn--…")
    return host.lower().removeprefix("*").strip(".")


def _under(host: str, suffix: str) -> bool:
    return host == suffix or host.endswith(f".{suffix}")
