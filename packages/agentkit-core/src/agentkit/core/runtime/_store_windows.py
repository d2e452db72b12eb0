"""Where a quota counts when several processes share it: counters in a store."""

import math
from collections.abc import Callable
from contextlib import suppress
from decimal import ROUND_CEILING, Context, Decimal

from agentkit.core.contracts.errors import MeterExceeded, StoreUnavailable
from agentkit.core.contracts.ports import StorePort
from agentkit.core.execution._abort import to_the_end
from agentkit.core.runtime._quota_windows import Ask, Rates, Seen, Ticket

__all__ = ["StoreWindows"]

# A store counts in whole numbers: trillionths of a dollar, rounded against the tenant.
_PICO = 12
_MOST = 10**18  # a million dollars: a counter of a store, 64 bits wide, takes several such calls
_COUNTING = Context(prec=100, rounding=ROUND_CEILING)


class StoreWindows:
    """Two adjacent windows, the earlier one weighted by how much of it is still in sight.

    The number of the window is part of the key, so the count is right without expiry; where the
    store has expiry, what no window sees any more is dropped. A call counts first and looks after,
    so of any number of callers no two see the same count.
    """

    def __init__(
        self,
        rates: Rates,
        store: StorePort,
        *,
        name: str,
        seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self._rates = rates
        self._store = store
        self._name = name
        self._seconds = seconds
        self._clock = clock
        self._ttl: int | None = math.ceil(3 * seconds)

    async def admit(self, key: str, ask: Ask) -> Ticket:
        """Count one call of *key* and hold what it asks, or raise `MeterExceeded`."""
        window, weight = self._window()
        ticket = Ticket(key, ask, window)
        try:
            reason = await self._take(ticket, weight)
        except BaseException:
            with suppress(StoreUnavailable):  # a place too many taken is given back by time
                await self.release(ticket)
            raise
        if reason:
            await self.release(ticket)
            raise MeterExceeded(reason)
        return ticket

    async def settle(self, ticket: Ticket, tokens: int, cost: Decimal) -> None:
        """Put what the call consumed in the place of what was held for it, all of it."""
        await to_the_end(self._settle(ticket, tokens, cost))

    async def release(self, ticket: Ticket) -> None:
        """Take the call out of the count again, whole."""
        await to_the_end(self._release(ticket))

    async def _settle(self, ticket: Ticket, tokens: int, cost: Decimal) -> None:
        window, _ = self._window()
        used = _amounts(self._rates, Ask(tokens, cost))
        used.pop("requests", None)
        for metric, amount in used.items():
            held = ticket.taken.get(metric, 0)
            if window == ticket.window:
                await self._add(self._key(ticket, metric, window), amount - held)
                continue
            await self._add(self._key(ticket, metric, window), amount)
            if window - 1 == ticket.window:  # an older one is out of sight
                await self._add(self._key(ticket, metric, ticket.window), -held)

    async def _release(self, ticket: Ticket) -> None:
        for metric, amount in ticket.taken.items():
            await self._add(self._key(ticket, metric, ticket.window), -amount)

    async def _take(self, ticket: Ticket, weight: float) -> str:
        """Count the call, and say why it may not be, or nothing."""
        levels: dict[str, float] = {}
        for metric, amount in _amounts(self._rates, ticket.ask).items():
            counted = await self._add(self._key(ticket, metric, ticket.window), amount)
            # Only what is known to be counted is ever taken out again.
            ticket.taken[metric] = amount
            before = await self._count(self._key(ticket, metric, ticket.window - 1))
            levels[metric] = counted - amount + weight * before
        return self._rates.refusal(ticket.key, _seen(levels), ticket.ask)

    async def _add(self, key: str, amount: int) -> float:
        if not amount:
            return await self._count(key)
        try:
            return float(await self._store.increment(key, amount, ttl=self._ttl))
        except NotImplementedError:  # nothing was written: this store has no expiry
            self._ttl = None
            return float(await self._store.increment(key, amount))

    async def _count(self, key: str) -> float:
        return max(0.0, float(await self._store.get(key) or 0))

    def _key(self, ticket: Ticket, metric: str, window: int) -> str:
        return f"quota:{self._name}:{ticket.key}:{metric}:{window}"

    def _window(self) -> tuple[int, float]:
        """Give the number of the window that is open, and the weight of the one before."""
        position = self._clock() / self._seconds
        window = math.floor(position)
        return window, 1.0 - (position - window)


def _amounts(rates: Rates, ask: Ask) -> dict[str, int]:
    """Give what a call adds to each metric that has a limit."""
    amounts: dict[str, int] = {}
    if rates.requests is not None:
        amounts["requests"] = 1
    if rates.tokens is not None:
        amounts["tokens"] = ask.tokens
    if rates.cost is not None:
        amounts["cost"] = _pico(ask.bound or Decimal(0))
    return amounts


def _seen(levels: dict[str, float]) -> Seen:
    return Seen(
        levels.get("requests", 0.0),
        levels.get("tokens", 0.0),
        Decimal(round(levels.get("cost", 0.0))).scaleb(-_PICO),
    )


def _pico(cost: Decimal) -> int:
    return min(_MOST, int(cost.scaleb(_PICO, _COUNTING).to_integral_value(ROUND_CEILING)))
