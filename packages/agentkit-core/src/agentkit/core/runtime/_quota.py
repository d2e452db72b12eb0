"""How much each tenant may do per window of time."""

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal

from agentkit.core.contracts.errors import MeterExceeded, UnsupportedOption
from agentkit.core.contracts.ports import StorePort
from agentkit.core.contracts.types import ModelUsage, Usage
from agentkit.core.execution._checks import check_count
from agentkit.core.runtime._checks import (
    check_choice,
    check_functions,
    check_has,
    check_positive,
    check_text,
)
from agentkit.core.runtime._meters import Charge, all_tokens
from agentkit.core.runtime._money import Amount, not_negative, rounded, to_money
from agentkit.core.runtime._prices import known_cost, price_of, worst_case
from agentkit.core.runtime._quota_windows import Ask, LocalWindows, Rates, Ticket, Windows
from agentkit.core.runtime._store_windows import StoreWindows

__all__ = ["Quota"]

_CHARS_PER_TOKEN = 4


class Quota:
    """Limits on the requests, tokens and dollars of each tenant (`Scope`) per sliding window.

    A model call is admitted when it and its estimated tokens fit; it holds its place while it runs,
    so no interleaving makes a request too many, and what is refused or consumed nothing is not
    counted. Tool calls pass.

    Args:
        max_rpm: Requests per window, or None.
        max_tpm: Tokens per window, cached ones included, or None. A call counts with a quarter of
            its characters until it says what it took.
        max_usd: Dollars per window, or None: a worst case is held as a `Budget` does.
        window: The window in seconds.
        clock: Gives seconds; by default a monotonic clock, and unix time over a store.
        on_exceeded: Whether `guard` raises or says so in its verdict, `raise` or `stop`.
        store: Where to count for several processes; without, this process counts alone.
        name: Tells quotas on one store apart.

    Raises:
        TypeError: A limit is no whole number, or another argument of another type.
        ValueError: A limit is negative, *window* is not finite and positive, or a choice is wrong.
        MoneyPrecisionError: *max_usd* is no finite amount.

    """

    def __init__(
        self,
        *,
        max_rpm: int | None = None,
        max_tpm: int | None = None,
        max_usd: Amount | None = None,
        window: float = 60.0,
        clock: Callable[[], float] | None = None,
        on_exceeded: Literal["raise", "stop"] = "raise",
        store: StorePort | None = None,
        name: str = "default",
    ) -> None:
        self.window: float = check_positive("window", window)
        check_functions(clock=clock)
        check_text("name", name)
        if store is not None:
            check_has("store", store, "increment", "get")
        check_choice("on_exceeded", on_exceeded, ("raise", "stop"))
        self.on_exceeded = on_exceeded
        rates = Rates(
            None if max_rpm is None else check_count("max_rpm", max_rpm),
            None if max_tpm is None else check_count("max_tpm", max_tpm),
            None if max_usd is None else not_negative("max_usd", to_money(max_usd)),
        )
        self._prices_calls = rates.cost is not None
        self._local = LocalWindows(rates, seconds=self.window, clock=clock or time.monotonic)
        self._windows: Windows = self._local
        if store is not None:
            now = clock or time.time
            self._windows = StoreWindows(rates, store, name=name, seconds=self.window, clock=now)

    async def reserve(self, call: Any) -> "QuotaReservation":
        """Count *call* and hold what it asks until the reservation is closed.

        Raises:
            MeterExceeded: It does not fit into the window; it is not counted.
            StoreUnavailable: The store cannot be reached.

        """
        if call.kind == "tool":
            return QuotaReservation(self._windows, call, None)
        ticket = await self._windows.admit(call.ctx.scope.key(), self._ask(call))
        return QuotaReservation(self._windows, call, ticket)

    async def guard(self, call: Any) -> Charge:
        """Count *call* if it fits into the window, as a request whose tokens are charged later.

        Raises:
            MeterExceeded: It does not fit, under `on_exceeded="raise"`; it is not counted.

        """
        try:
            held = await self.reserve(call)
        except MeterExceeded as exc:
            if self.on_exceeded == "raise":
                raise
            return Charge(ok=False, reason=exc.reason)
        await held.settle(Usage())
        return Charge(ok=True)

    async def charge(self, call: Any, usage: Usage) -> Charge:
        """Count what *call* consumed; it never raises over a limit."""
        ticket = Ticket(call.ctx.scope.key(), Ask(0, None))
        await QuotaReservation(self._windows, call, ticket).settle(usage)
        return Charge(ok=True)

    def spent_in_window(self, key: str) -> Decimal:
        """Give the dollars that the tenant *key* spent in the window that ends now.

        Raises:
            UnsupportedOption: The quota counts in a store.

        """
        if self._windows is not self._local:
            raise UnsupportedOption("a quota over a store is read there, not in this process")
        return rounded(self._local.spent(key))

    def _ask(self, call: Any) -> Ask:
        chars = sum(len(message.content) for message in call.request.messages)
        price = price_of(call) if self._prices_calls else None
        bound = None if price is None else worst_case(call.request, price)
        return Ask(chars // _CHARS_PER_TOKEN, bound)


class QuotaReservation:
    """One admitted call's place in a window; closing it twice does nothing the second time."""

    __slots__ = ("_call", "_ticket", "_windows")

    def __init__(self, windows: Windows, call: Any, ticket: Ticket | None) -> None:
        self._windows = windows
        self._call = call
        self._ticket = ticket

    async def settle(self, usage: Usage, model_usage: ModelUsage | None = None) -> None:
        """Count what the call consumed in place of what was held for it."""
        ticket, self._ticket = self._ticket, None
        if ticket is None:
            return
        cost = known_cost(self._call, usage, model_usage) or Decimal(0)
        await self._windows.settle(ticket, all_tokens(usage, model_usage), cost)

    async def release(self) -> None:
        """Take the call out of the count: it consumed nothing."""
        ticket, self._ticket = self._ticket, None
        if ticket is not None:
            await self._windows.release(ticket)
