"""Egress: a tool's addresses are checked before it runs, and where it ended up after."""

import inspect
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final, cast

from agentkit.core.contracts.errors import EgressDenied
from agentkit.core.contracts.middleware import Call, Handler, Middleware, closing
from agentkit.core.contracts.ports import FetchResponse
from agentkit.core.policies._calls import CHAT, Once, passed_on

__all__ = ["egress"]

# As lenient as clients are: they take `http:/host`, `http:host` and backslashes for an address,
# and pass over control characters. One letter before a colon is a drive.
_ADDRESS: Final = re.compile(
    r"[a-z][a-z0-9+.-]+:(?:[a-z][a-z0-9+.-]*:)*[/\\]"
    r"|(?:https?|ftp|wss?|file):\S"
    r"|[/\\]{2,}[^\s/\\]",
    re.IGNORECASE,
)
_AROUND: Final = "".join(map(chr, range(0x21))) + "\x7f\x85\xa0"
_WITHIN: Final = dict.fromkeys(map(ord, "\t\r\n"))


def egress(guardrail: Any) -> Middleware:
    """Give a middleware that has *guardrail* check the address that a tool is to reach.

    That is the argument named by the request's, or the tool's, `url_arg`. Of a tool whose `caps`
    have `egress` and that names none, every argument that is an address is checked: one with a
    scheme, whatever the scheme is, and one that begins with two slashes. A `FetchResponse` that
    came from another address, by a redirect, has that checked before it is handed on. In a chat
    chain it warns once and does nothing.

    Raises:
        ValueError: *guardrail* is None.
        TypeError: It has no `check_url(url)`, which raises or gives an awaitable that does.
        EgressDenied: (from the call) An address is refused; before the call, nothing was sent.

    """
    if guardrail is None:
        raise ValueError("egress() takes a guardrail; got None, which would check nothing")
    if not callable(getattr(guardrail, "check_url", None)):
        raise TypeError(f"a guardrail has `check_url(url)`; got {guardrail!r}")
    return _Egress(guardrail)


class _Egress:
    def __init__(self, guardrail: Any) -> None:
        self._guardrail = guardrail
        self._once = Once()

    def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        if call.kind == CHAT:
            self._once.warn("chat", "egress() guards tools: in a chat chain it does nothing")
            return passed_on(nxt(call))
        return self._checked(call, nxt)

    async def _checked(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        asked = list(_addresses(call.request))
        for url in asked:
            await self._check(url)
        async with closing(nxt(call)) as inner:
            async for item in inner:
                if isinstance(item, FetchResponse) and item.url not in asked:
                    await self._check(item.url)
                yield item

    async def _check(self, url: Any) -> None:
        if not isinstance(url, str):
            raise EgressDenied(f"an address is text; got {type(url).__name__}")
        verdict = self._guardrail.check_url(url)
        if inspect.isawaitable(verdict):
            await verdict


def _addresses(request: Any) -> Iterator[Any]:
    """Give the addresses that a tool call names."""
    name = request.url_arg or getattr(request.tool, "url_arg", None)
    if name:
        given = request.arguments.get(name)
        yield from given if isinstance(given, list) else [] if given is None else [given]
    elif "egress" in (getattr(request.tool, "caps", None) or ()):
        yield from _urls_in(request.arguments)


def _urls_in(value: Any) -> Iterator[str]:
    """Give the addresses in *value*, an argument of a tool: JSON, in mappings and lists."""
    # The casts only say what an isinstance leaves open: of what there are parts.
    if isinstance(value, str):
        text = value.strip(_AROUND)
        if _ADDRESS.match(text.translate(_WITHIN)):
            yield text
    elif isinstance(value, dict):
        parts = cast("dict[str, Any]", value)
        yield from _urls_in([*parts, *parts.values()])
    elif isinstance(value, list):
        for part in cast("list[object]", value):
            yield from _urls_in(part)
