"""Compaction: a transcript made shorter before it is sent."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from agentkit.core.contracts.middleware import Call, Handler, Middleware, closing
from agentkit.core.contracts.protocols import Compactor
from agentkit.core.contracts.types import Message
from agentkit.core.policies._calls import CHAT, Once, note
from agentkit.core.policies._tokens import estimate_message_tokens
from agentkit.core.telemetry import run_span

__all__ = ["compaction"]


def compaction(compactor: Compactor) -> Middleware:
    """Give a middleware that has *compactor* rewrite the transcript of each chat.

    It belongs outside of `meter()`, which then sees what is really sent. A rewrite to nothing is
    rejected and the transcript goes out as it is. In a tool chain it warns once and does nothing.

    Raises:
        TypeError: *compactor* has no `compact`.

    """
    if not callable(getattr(compactor, "compact", None)):
        raise TypeError(f"a compactor has `async compact(messages, ctx)`; got {compactor!r}")
    return _Compaction(compactor)


class _Compaction:
    def __init__(self, compactor: Compactor) -> None:
        self._compactor = compactor
        self._once = Once()

    async def __call__(self, call: Call, nxt: Handler) -> AsyncIterator[Any]:
        if call.kind == CHAT:
            await self._rewrite(call)
        else:
            self._once.warn("tool", "compaction() rewrites transcripts: here it does nothing")
        async with closing(nxt(call)) as inner:
            async for item in inner:
                yield item

    async def _rewrite(self, call: Call) -> None:
        before = call.request.messages
        attrs = {"agentkit.context.strategy": type(self._compactor).__name__}
        attrs |= _size("before", before)
        async with run_span(call.ctx, "context.compact", "internal", **attrs) as span:
            after = await self._compactor.compact(list(before), call.ctx)
            if not after:
                span.set("agentkit.context.compaction_rejected", "empty_result")
                after = before
            for key, value in _size("after", after).items():
                span.set(key, value)
            span.set("agentkit.context.messages_dropped", max(0, len(before) - len(after)))
        if list(after) != list(before):
            _send_instead(call, after)


def _send_instead(call: Call, after: list[Message]) -> None:
    before = call.request.messages
    call.request = replace(call.request, messages=list(after))
    note(
        call,
        "context.compacted",
        messages_before=len(before),
        messages_after=len(after),
        tokens_saved=estimate_message_tokens(before) - estimate_message_tokens(after),
    )


def _size(when: str, messages: list[Message]) -> dict[str, Any]:
    return {
        f"agentkit.context.tokens_{when}": estimate_message_tokens(messages),
        f"agentkit.context.messages_{when}": len(messages),
    }
