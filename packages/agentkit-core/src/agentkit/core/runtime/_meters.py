"""What counts calls and may refuse them.

A `Meter` has two methods: `guard(call)` before a call and `charge(call, usage)` after it. Between
the two anything can happen, so a limit that must hold under any interleaving needs the optional
third: `reserve(call)`, which admits a call and holds its share of the limit until the call is
settled or released (`ReservingMeter`: `Budget` and `Quota` are).

`meter()` does not care which is which:

    held = await reserve(ctx.all_meters, call)      # raises MeterExceeded, holding nothing
    ...
    await held.settle(result.usage, result.model_usage)     # charges every meter
    await held.release()                            # or: it consumed nothing (failed, cache hit)

Every reservation is settled or released on every exit. The first of the two wins, and what comes
after it does nothing, so a `release()` in a `finally` is always right.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, Protocol, cast, runtime_checkable

from agentkit.core.contracts.errors import MeterExceeded
from agentkit.core.contracts.types import ModelUsage, Usage

__all__ = [
    "Charge",
    "Held",
    "Meter",
    "Reservation",
    "ReservingMeter",
    "all_tokens",
    "cost_of",
    "reserve",
]

# More than any call has, and few enough that a store's counter takes thousands of such calls.
_MOST_TOKENS = 10**15


@dataclass(frozen=True, slots=True)
class Charge:
    """A meter's verdict, and where it stands.

    `spent` and `remaining` are dollars, `remaining` None without a ceiling; `calls` and `usage` are
    what has been counted so far.
    """

    ok: bool
    reason: str = ""
    spent: Decimal = Decimal(0)
    remaining: Decimal | None = None
    calls: int = 0
    usage: Usage = field(default_factory=Usage)

    def raise_if_exceeded(self) -> "Charge":
        """Give the verdict back if it is fine.

        Raises:
            MeterExceeded: It is not.

        """
        if not self.ok:
            raise MeterExceeded(self.reason)
        return self


@runtime_checkable
class Meter(Protocol):
    """Counts calls and may refuse them."""

    async def guard(self, call: Any) -> Charge | None:
        """Say whether *call* may be made; None is no verdict.

        Raises:
            MeterExceeded: It may not, where the meter is told to raise.

        """
        ...

    async def charge(self, call: Any, usage: Usage) -> Charge | None:
        """Book *usage* for *call*, then say whether a limit is crossed; None is no verdict.

        Raises:
            MeterExceeded: One is, where the meter is told to raise. The usage is booked.

        """
        ...


class Reservation(Protocol):
    """One admitted call's share of a limit.

    It may also have `book(usage, model_usage)`, which does not wait and does what `settle` does
    without making a verdict: `Held` reads none, and asks for that instead.
    """

    async def settle(self, usage: Usage, model_usage: ModelUsage | None = None) -> Charge | None:
        """Book what the call consumed in place of what was held for it; None is no verdict.

        Raises:
            MeterExceeded: A limit is crossed, where the meter is told to raise. All is booked.

        """
        ...

    async def release(self) -> None:
        """Give back what was held: the call consumed nothing."""
        ...


@runtime_checkable
class ReservingMeter(Protocol):
    """A meter whose limits hold under any interleaving of calls."""

    async def reserve(self, call: Any) -> Reservation:
        """Admit *call* and hold its share until the reservation is settled or released.

        Raises:
            MeterExceeded: It is refused, whatever the meter's `on_exceeded` is: without an answer
                there is nothing that could carry a verdict.

        """
        ...


class Held:
    """The reservations of one call with each of its meters."""

    __slots__ = ("_reservations",)

    def __init__(self, reservations: Sequence[Reservation]) -> None:
        self._reservations = tuple(reservations)

    async def settle(self, usage: Usage, model_usage: ModelUsage | None = None) -> None:
        """Charge every meter, and only then raise the first error that one of them had."""
        first: BaseException | None = None
        for reservation in self._reservations:
            book: Callable[..., None] | None = getattr(reservation, "book", None)
            try:
                if book is not None:  # a verdict that nobody reads is not made
                    book(usage, model_usage)
                else:
                    await reservation.settle(usage, model_usage)
            except BaseException as exc:  # noqa: BLE001 - each books, whatever befalls another
                first = first or exc
        if first is not None:
            raise first

    async def release(self) -> None:
        """Give everything back, and only then raise the first error that a meter had."""
        first: BaseException | None = None
        for reservation in self._reservations:
            try:
                await reservation.release()
            except BaseException as exc:  # noqa: BLE001 - each gives back, whatever befalls another
                first = first or exc
        if first is not None:
            raise first


async def reserve(meters: Iterable[Meter | ReservingMeter], call: Any) -> Held:
    """Have every meter admit *call*, in order, and hold what they hold for it.

    Raises:
        MeterExceeded: One of them refuses; nothing is held.

    """
    reservations: list[Reservation] = []
    try:
        for meter in meters:
            reservations.append(await _admission(meter)(call))  # noqa: PERF401 - kept on an error
    except BaseException:
        await Held(reservations).release()
        raise
    return Held(reservations)


def cost_of(usage: Usage, model_usage: ModelUsage | None) -> Decimal | None:
    """Give what a call cost by its own account, or None where it names no cost at all."""
    if model_usage is not None and model_usage.cost is not None:
        return model_usage.cost
    return Decimal(str(usage.cost_usd)) if usage.cost_usd else None


def all_tokens(usage: Usage, model_usage: ModelUsage | None) -> int:
    """Give every token of a call, cached and cache-written ones too; an absurd count is cut."""
    if model_usage is not None:
        return min(model_usage.total_tokens, _MOST_TOKENS)
    cached = usage.cache_read_tokens + usage.cache_write_tokens
    return min(usage.total_tokens + cached, _MOST_TOKENS)


def _admission(meter: Meter | ReservingMeter) -> Callable[[Any], Awaitable[Reservation]]:
    # Looked up by name: an isinstance with a protocol costs as much as the rest of the call.
    reserving: Callable[[Any], Awaitable[Reservation]] | None = getattr(meter, "reserve", None)
    return reserving or partial(_guarded, cast("Meter", meter))  # what does not reserve, guards


async def _guarded(meter: Meter, call: Any) -> Reservation:
    verdict = await meter.guard(call)
    if verdict is not None:
        verdict.raise_if_exceeded()
    return _Guarded(meter, call)


class _Guarded:
    """The reservation of a meter that only guards and charges."""

    __slots__ = ("_call", "_meter", "_open")

    def __init__(self, meter: Meter, call: Any) -> None:
        self._meter = meter
        self._call = call
        self._open = True

    async def settle(
        self,
        usage: Usage,
        model_usage: ModelUsage | None = None,  # noqa: ARG002 - such a meter only knows `Usage`
    ) -> Charge | None:
        if not self._open:
            return None
        self._open = False
        return await self._meter.charge(self._call, usage)

    async def release(self) -> None:
        self._open = False
