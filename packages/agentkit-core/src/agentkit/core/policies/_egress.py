"""Egress: a tool's addresses are checked before it runs, and where it ended up after."""

import inspect
from collections.abc import AsyncIterator, Iterable
from typing import Any

from agentkit.core.contracts.errors import EgressDenied
from agentkit.core.contracts.middleware import Call, Handler, Middleware, closing
from agentkit.core.policies._calls import CHAT, Once, passed_on
from agentkit.core.policies._egress_places import asked_of, reached_in

__all__ = ["egress"]


def egress(guardrail: Any) -> Middleware:
    """Give a middleware that has *guardrail* check the address that a tool is to reach.

    That is the argument named by the request's, or the tool's, `url_arg`. Of a tool whose `caps`
    have `egress` and that names none, every argument that is an address is checked, however deep it
    is: one with a scheme, whatever the scheme is, and one that begins with two slashes. A
    `FetchResponse` that came from another address, by a redirect, has that checked before it is
    handed on, and so has one that is somewhere in the result, also as JSON with all its fields. In
    a chat chain it warns once and does nothing.

    Raises:
        ValueError: *guardrail* is None.
        TypeError: It has no `check_url(url)`, which allows by giving True or None, or an awaitable
            of them, and denies by raising or by giving anything else.
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
        asked = list(asked_of(call.request))
        await self._check_each(asked)
        async with closing(nxt(call)) as inner:
            async for item in inner:
                await self._check_each(url for url in reached_in(item) if url not in asked)
                yield item

    async def _check_each(self, urls: Iterable[Any]) -> None:
        for url in urls:
            await self._check(url)

    async def _check(self, url: Any) -> None:
        if not isinstance(url, str):
            raise EgressDenied(f"an address is text; got {type(url).__name__}")
        verdict = self._guardrail.check_url(url)
        if inspect.isawaitable(verdict):
            verdict = await verdict
        if verdict is not None and verdict is not True:
            raise EgressDenied(
                f"the guardrail denies it by a {type(verdict).__name__} that is not True"
            )
