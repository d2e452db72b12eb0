"""A ceiling on what a run may cost and do.

`meter()` uses a budget through `agentkit.core.runtime.reserve(meters, call)`, which gives a `Held`
with `await settle(usage, model_usage=None)` and `await release()`. For one budget alone the same is

    reservation = await budget.reserve(call)        # MeterExceeded: refused, and nothing is held
    await reservation.settle(usage, model_usage)    # books it, also what came of a cut stream
    await reservation.release()                     # nothing was consumed: failed, or a cache hit

None of the three ever waits, so no cancellation gets in between. `guard` and `charge` are the same
in two separate steps, for middlewares that know no more of a meter: between them nothing is held.
"""

import asyncio
import warnings
import weakref
from asyncio import AbstractEventLoop, Semaphore
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, Literal

from agentkit.core.contracts._checks import shown
from agentkit.core.contracts.errors import MeterExceeded
from agentkit.core.contracts.types import ModelUsage, Usage
from agentkit.core.execution._checks import check_count
from agentkit.core.runtime._checks import check_choice
from agentkit.core.runtime._ledger import Ledger, Limits
from agentkit.core.runtime._meters import Charge
from agentkit.core.runtime._money import Amount, exact, not_negative, rounded, to_money
from agentkit.core.runtime._prices import known_cost, price_of, worst_case
from agentkit.core.serialization._kinds import is_a

__all__ = ["Budget", "BudgetReservation", "Charge"]

_NOTHING = Decimal(0)
_CENT = Decimal("0.01")
_CENTS = Context(prec=60, rounding=ROUND_HALF_UP)


class Budget:
    """What one run may spend, shared by reference down its tree and safe between threads.

    The ledger is exact; `spent()` and everything else that shows it is rounded half-up. No
    interleaving admits more than `max_calls` calls. A call is admitted while what is spent and held
    is under `max_cost_usd`; where a price is known and the request has `max_tokens`, its worst case
    is held, and the ceiling is never crossed. Without, the overrun is at most the calls in flight.

    Args:
        max_cost_usd: The ceiling in dollars, or None. Assigning it lifts or lowers the ceiling of a
            budget in use, rounded to six places.
        max_calls: How many model calls, or None; assignable.
        max_depth: How many levels of children the run may have; assignable.
        max_concurrency: How many children may run at once at each level.
        spent_usd: What was spent before, to go on from.
        calls: How many calls were made before.
        on_exceeded: What happens when an admitted call turns out to cross a limit: `raise`, or
            `stop`, where only the verdict says so. A call that is refused raises in both.
        usage: What was consumed before.
        on_unpriced: Whether, under a ceiling in dollars, a call of unknown price is warned about
            once or refused.

    Raises:
        MoneyPrecisionError: An amount is no finite number, or *max_cost_usd* has more than six
            decimal places.
        ValueError: An amount or a limit is too small, or a choice is none of its two.
        TypeError: A limit is no whole number, or *usage* no `Usage`.

    """

    def __init__(  # noqa: PLR0913 - the specification's eight, and one of ours
        self,
        max_cost_usd: Amount | None = None,
        *,
        max_calls: int | None = None,
        max_depth: int = 4,
        max_concurrency: int = 8,
        spent_usd: Amount = 0.0,
        calls: int = 0,
        on_exceeded: Literal["raise", "stop"] = "raise",
        usage: Usage | None = None,
        on_unpriced: Literal["warn", "refuse"] = "warn",
    ) -> None:
        if usage is not None and not is_a(usage, Usage):
            raise TypeError(f"usage is a Usage or None; got {shown(usage)}")
        check_choice("on_exceeded", on_exceeded, ("raise", "stop"))
        check_choice("on_unpriced", on_unpriced, ("warn", "refuse"))
        if max_cost_usd is not None:
            to_money(max_cost_usd, strict=True)
        self._limits = Limits()
        self.max_cost_usd = max_cost_usd
        self.max_calls = max_calls
        self.max_depth: int = check_count("max_depth", max_depth)
        self.max_concurrency: int = check_count("max_concurrency", max_concurrency, at_least=1)
        self.on_exceeded = on_exceeded
        self.on_unpriced = on_unpriced
        self._ledger = Ledger(
            not_negative("spent_usd", exact(spent_usd)),
            check_count("calls", calls),
            usage or Usage(),
        )
        self._warned = False
        self._pools: weakref.WeakKeyDictionary[Any, dict[int, Semaphore]] = (
            weakref.WeakKeyDictionary()
        )

    def __repr__(self) -> str:
        return (
            f"Budget(max_cost_usd={self._max_cost_usd!r}, max_calls={self.max_calls!r}, "
            f"spent_usd={self.spent_usd!r}, calls={self.calls!r})"
        )

    @property
    def max_cost_usd(self) -> Amount | None:
        """The ceiling as it was given."""
        return self._max_cost_usd

    @max_cost_usd.setter
    def max_cost_usd(self, value: Amount | None) -> None:
        ceiling = None if value is None else not_negative("max_cost_usd", to_money(value))
        self._limits = Limits(ceiling, self._limits.calls)
        self._max_cost_usd = value

    @property
    def max_calls(self) -> int | None:
        """How many calls may be made."""
        return self._limits.calls

    @max_calls.setter
    def max_calls(self, value: int | None) -> None:
        calls = None if value is None else check_count("max_calls", value)
        self._limits = Limits(self._limits.cost, calls)

    @property
    def spent_usd(self) -> float:
        """`spent()` as a float, for display."""
        return float(self.spent())

    @property
    def calls(self) -> int:
        """How many calls were charged."""
        return self._ledger.calls

    @property
    def usage(self) -> Usage:
        """What the calls consumed together; its cost is an approximation, `spent()` is not."""
        with self._ledger.lock:
            return self._ledger.tally.usage()

    def spent(self) -> Decimal:
        """Give what was spent, the exact sum rounded half-up to six places."""
        return rounded(self._ledger.spent)

    def spent_cents(self) -> Decimal:
        """Give what was spent, the exact sum rounded half-up to the cent."""
        return self._ledger.spent.quantize(_CENT, context=_CENTS)

    def remaining(self) -> Decimal | None:
        """Give what is left of the ceiling, never less than zero, or None without a ceiling."""
        return (
            None if self._limits.cost is None else max(_NOTHING, self._limits.cost - self.spent())
        )

    def remaining_usd(self) -> float | None:
        """Give `remaining()` as a float, for display."""
        remaining = self.remaining()
        return None if remaining is None else float(remaining)

    def ceiling(self) -> Decimal | None:
        """Give the ceiling to six places, or None without one."""
        return self._limits.cost

    def verdict(self) -> Charge:
        """Say whether a limit has been crossed, and where the budget stands."""
        return self._charge(self._limits.crossed(self._ledger.spent, self._ledger.calls))

    def exhausted(self) -> bool:
        """Whether nothing is left: no further call of unknown cost would be admitted."""
        spent_out = self._limits.cost is not None and self._ledger.spent >= self._limits.cost
        return spent_out or (self.max_calls is not None and self.calls >= self.max_calls)

    def semaphore(self, depth: int = 0) -> Semaphore:
        """Give the pool of `max_concurrency` places that the children at *depth* share.

        Each level has its own, since parents that hold a place wait for children that need one; and
        so has each event loop.
        """
        pools = self._pools.setdefault(_running_loop() or self, {})
        if depth not in pools:
            pools[depth] = Semaphore(self.max_concurrency)
        return pools[depth]

    async def reserve(self, call: Any) -> "BudgetReservation":
        """Admit *call* and hold its share of the limits until the reservation is closed.

        A tool call is admitted unless a limit has been crossed; nothing is held for it.

        Raises:
            MeterExceeded: It is refused; nothing is held.

        """
        if call.kind == "tool":
            self.verdict().raise_if_exceeded()
            return BudgetReservation(self, call, None, counts=False)
        bound, reason = self._bound(call)
        with self._ledger.lock:
            reason = reason or self._ledger.refusal(self._limits, bound)
            if not reason:
                self._ledger.admit(bound)
        if reason:
            raise MeterExceeded(reason)
        return BudgetReservation(self, call, bound, counts=True)

    async def guard(self, call: Any = None) -> Charge:
        """Say whether *call* would be admitted now; nothing is held for it.

        Raises:
            MeterExceeded: It would not, under `on_exceeded="raise"`.

        """
        if call is None or call.kind == "tool":
            return self._pass(self.verdict())
        bound, reason = self._bound(call)
        with self._ledger.lock:
            reason = reason or self._ledger.refusal(self._limits, bound)
        return self._pass(self._charge(reason))

    async def charge(self, call: Any, usage: Usage) -> Charge:
        """Book *usage* as one call that was not reserved, then give the verdict.

        Raises:
            MeterExceeded: A limit is crossed, under `on_exceeded="raise"`. The usage is booked.
            TypeError: *usage* is none; nothing is booked.

        """
        if not is_a(usage, Usage):
            raise TypeError(f"usage is a Usage; got {shown(usage)}")
        self._book(call, usage, None, held=None)
        return self._pass(self.verdict())

    def settle(
        self, reservation: "BudgetReservation", usage: Usage, model_usage: ModelUsage | None
    ) -> Charge:
        """Book what a reserved call consumed; `BudgetReservation.settle` is the way to call it."""
        self._book(reservation.call, usage, model_usage, held=reservation)
        return self._pass(self.verdict())

    def book(
        self, reservation: "BudgetReservation", usage: Usage, model_usage: ModelUsage | None
    ) -> None:
        """Do as `settle`, without a verdict; `BudgetReservation.book` is the way to call it."""
        self._book(reservation.call, usage, model_usage, held=reservation)
        crossed = self._limits.crossed(self._ledger.spent, self._ledger.calls)
        if crossed and self.on_exceeded == "raise":
            raise MeterExceeded(crossed)

    def release(self, reservation: "BudgetReservation") -> None:
        """Give back what is held; `BudgetReservation.release` is the way to call it."""
        with self._ledger.lock:
            self._ledger.leave(reservation.bound)

    def _book(
        self,
        call: Any,
        usage: Usage,
        model_usage: ModelUsage | None,
        *,
        held: "BudgetReservation | None",
    ) -> None:
        cost = known_cost(call, usage, model_usage)
        with self._ledger.lock:
            if held is not None:
                self._ledger.leave(held.bound)
            self._ledger.book(cost, usage)
        if cost is None and self._limits.cost is not None:
            self._warn_unpriced(call)

    def _bound(self, call: Any) -> tuple[Decimal | None, str]:
        """Give what *call* costs at worst, None where that is unknown, and why not to make it."""
        if self._limits.cost is None:
            return None, ""
        price = price_of(call)
        if price is not None:
            return worst_case(call.request, price), ""
        if self.on_unpriced == "warn":
            return None, ""
        return None, f"no price is known for {call.request.model!r}, and the budget refuses that"

    def _warn_unpriced(self, call: Any) -> None:
        if self._warned:
            return
        self._warned = True
        model = getattr(getattr(call, "request", None), "model", "")
        warnings.warn(
            f"no price is known for {model!r}: its calls count as free under max_cost_usd; wire "
            'prices=, or refuse such calls with Budget(on_unpriced="refuse")',
            UserWarning,
            stacklevel=2,
        )

    def _charge(self, reason: str) -> Charge:
        spent = self.spent()
        left = None if self._limits.cost is None else max(_NOTHING, self._limits.cost - spent)
        return Charge(not reason, reason, spent, left, self._ledger.calls, self.usage)

    def _pass(self, verdict: Charge) -> Charge:
        return verdict if self.on_exceeded == "stop" else verdict.raise_if_exceeded()


class BudgetReservation:
    """One admitted call's share of a budget; closing it twice does nothing the second time."""

    __slots__ = ("_budget", "_open", "bound", "call")

    def __init__(self, budget: Budget, call: Any, bound: Decimal | None, *, counts: bool) -> None:
        self._budget = budget
        self._open = counts
        self.call: Any = call
        self.bound: Decimal | None = bound

    async def settle(self, usage: Usage, model_usage: ModelUsage | None = None) -> Charge:
        """Book what the call consumed in place of what was held for it.

        Its cost is `model_usage.cost`, else `usage.cost_usd`, else what its tokens cost at the
        model's price. One that cannot be read, or that a price list fails to tell, is unknown: the
        call and its tokens are booked all the same.

        Raises:
            MeterExceeded: A limit is crossed, under `on_exceeded="raise"`. All is booked.

        """
        if not self._open:
            return self._budget.verdict()
        self._open = False
        return self._budget.settle(self, usage, model_usage)

    def book(self, usage: Usage, model_usage: ModelUsage | None = None) -> None:
        """Do as `settle` for who reads no verdict."""
        if self._open:
            self._open = False
            self._budget.book(self, usage, model_usage)

    async def release(self) -> None:
        """Give back what was held: the call consumed nothing."""
        if self._open:
            self._open = False
            self._budget.release(self)


def _running_loop() -> AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
