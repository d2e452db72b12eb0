"""What every policy asks of a call: its events, its warnings, its effects."""

import contextlib
import warnings
from collections.abc import AsyncIterator
from typing import Any, Final

from agentkit.core.contracts.middleware import Call, closing
from agentkit.core.contracts.ports import ClockPort
from agentkit.core.execution.cancellation import Interruption, interrupt_on
from agentkit.core.runtime._clock import SystemClock

__all__ = [
    "AFTERWARDS",
    "CHAT",
    "READMIT",
    "SPAN",
    "Once",
    "clock_of",
    "has_side_effects",
    "note",
    "passed_on",
    "records_content",
    "stopping_with",
]

AFTERWARDS: Final = "agentkit.afterwards"
"""The key of `call.meta` where `idempotent()` takes what failed around a tool that succeeded."""
CHAT: Final = "chat"
READMIT: Final = "agentkit.readmit"
"""The key of `call.meta` under which `meter()` leaves what admits the call for another model."""
SPAN: Final = "agentkit.span"
"""The key of `call.meta` under which `tracing()` leaves the call's one span."""


async def passed_on(stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Give what *stream* gives, untouched, and close it on every exit."""
    async with closing(stream) as inner:
        async for item in inner:
            yield item


class Once:
    """Warnings that are given once each, however many calls there are."""

    __slots__ = ("_told",)

    def __init__(self) -> None:
        self._told: set[str] = set()

    def warn(self, topic: str, message: str) -> None:
        """Warn with *message*, unless there was a warning about *topic* before."""
        if topic not in self._told:
            self._told.add(topic)
            warnings.warn(message, UserWarning, stacklevel=3)


def clock_of(call: Call) -> ClockPort:
    """Give the clock of the run that *call* belongs to, the only one that policies read."""
    clock: ClockPort | None = getattr(call.ctx, "clock", None)
    return clock or SystemClock()


def stopping_with(call: Call) -> Interruption:
    """Give a scope whose awaits end as soon as the run that *call* belongs to is stopped."""
    return interrupt_on(getattr(call.ctx, "cancel", None))


def note(call: Call, event: str, **fields: Any) -> None:
    """Add *event* to the span of *call*, or to the current one where nothing traces the call."""
    span = call.meta.get(SPAN)
    # The trace belongs to somebody else, and watching a call must never hurt it.
    with contextlib.suppress(Exception):
        if span is not None:
            span.add_event(event, **fields)
        else:
            call.ctx.trace.add_event_to_current_span(event, **fields)


def records_content(call: Call) -> bool:
    """Tell whether the span of *call* may hold what was said, as it may where nothing forbids."""
    return bool(getattr(call.meta.get(SPAN), "records_content", True))


def has_side_effects(call: Call) -> bool:
    """Tell whether running *call* again could do something twice.

    A tool that does not say (it has no `side_effecting`) counts as one that does.
    """
    if call.kind == CHAT:
        return False
    if call.request.side_effecting or call.request.tool is None:
        return bool(call.request.side_effecting)
    return bool(getattr(call.request.tool, "side_effecting", True))
