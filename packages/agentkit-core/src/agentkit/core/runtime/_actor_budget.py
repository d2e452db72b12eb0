"""What one actor may use: tokens, dollars, steps and time, divided among its children."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

from agentkit.core.contracts.errors import BudgetExhausted
from agentkit.core.contracts.types import ModelUsage, Usage
from agentkit.core.execution._checks import check_count
from agentkit.core.runtime._checks import check_function, check_positive
from agentkit.core.runtime._meters import all_tokens
from agentkit.core.runtime._money import MONEY_SCALE, Amount, exact, not_negative, to_money, total
from agentkit.core.runtime._prices import known_cost

__all__ = ["ActorBudget"]

_NOTHING = Decimal(0)
_SMALLEST = {"tokens": Decimal(1), "cost_usd": Decimal(1).scaleb(-MONEY_SCALE), "steps": Decimal(1)}
_DIVIDING = Context(prec=100, rounding=ROUND_FLOOR)


@dataclass(slots=True)
class _Axis:
    """One thing that runs out: what there is, what is used, what is held for children."""

    limit: Decimal | None
    used: Decimal = _NOTHING
    held: Decimal = _NOTHING

    def left(self) -> Decimal | None:
        return None if self.limit is None else total(self.limit, -self.used, -self.held)

    def lacks(self, amount: Decimal) -> bool:
        left = self.left()
        return left is not None and amount > left

    def is_spent(self) -> bool:
        left = self.left()
        return left is not None and left <= 0


class ActorBudget:
    """What one actor may use; None on an axis is no limit. Safe between threads.

    `charge` is soft: it books the truth and never raises. `reserve`, which `meter()` uses, admits a
    model call only while a step is left for it, so no interleaving makes a step too many.

    Raises:
        TypeError: A limit is no number of its kind, or *clock* no function.
        ValueError: A limit is negative, or *max_wall_seconds* is not finite and positive.
        MoneyPrecisionError: *max_cost_usd* is no finite number.

    """

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_cost_usd: Amount | None = None,
        max_steps: int | None = None,
        max_wall_seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._axes = {
            "tokens": _Axis(_counted("max_tokens", max_tokens)),
            "cost_usd": _Axis(_paid("max_cost_usd", max_cost_usd)),
            "steps": _Axis(_counted("max_steps", max_steps)),
        }
        if max_wall_seconds is not None:
            check_positive("max_wall_seconds", max_wall_seconds)
        check_function("clock", clock)
        self._wall = max_wall_seconds
        self._clock = clock
        self._started = clock()
        self._lock = threading.RLock()
        self._parent: ActorBudget | None = None
        self._slice: dict[str, Decimal] = {}

    @property
    def max_tokens(self) -> int | None:
        """How many tokens there are, or None."""
        return _as_int(self._axes["tokens"].limit)

    @property
    def max_steps(self) -> int | None:
        """How many model calls there are, or None."""
        return _as_int(self._axes["steps"].limit)

    @property
    def max_cost_usd(self) -> float | None:
        """`max_cost()` as a float, for display."""
        return _as_float(self.max_cost())

    @property
    def used_cost_usd(self) -> float:
        """`used_cost()` as a float, for display."""
        return float(self.used_cost())

    @property
    def reserved_cost_usd(self) -> float:
        """`reserved_cost()` as a float, for display."""
        return float(self.reserved_cost())

    @property
    def used_tokens(self) -> int:
        """How many tokens were charged."""
        return int(self._axes["tokens"].used)

    @property
    def used_steps(self) -> int:
        """How many steps were charged."""
        return int(self._axes["steps"].used)

    def max_cost(self) -> Decimal | None:
        """Give the dollars there are, exactly, or None."""
        return self._axes["cost_usd"].limit

    def used_cost(self) -> Decimal:
        """Give the dollars that were charged, exactly."""
        return self._axes["cost_usd"].used

    def reserved_cost(self) -> Decimal:
        """Give the dollars that are held for children, exactly."""
        return self._axes["cost_usd"].held

    def remaining_cost(self) -> Decimal | None:
        """Give the dollars that are left, exactly and never less than zero, or None."""
        return _clamped(self._axes["cost_usd"].left())

    def remaining_cost_usd(self) -> float | None:
        """Give `remaining_cost()` as a float, for display."""
        return _as_float(self.remaining_cost())

    def remaining_tokens(self) -> int | None:
        """Give the tokens that are left, never less than zero, or None."""
        return _as_int(_clamped(self._axes["tokens"].left()))

    def remaining_steps(self) -> int | None:
        """Give the steps that are left, never less than zero, or None."""
        return _as_int(_clamped(self._axes["steps"].left()))

    def remaining_wall_seconds(self) -> float | None:
        """Give the seconds that are left, never less than zero, or None."""
        if self._wall is None:
            return None
        return max(0.0, self._wall - (self._clock() - self._started))

    def exhausted(self) -> bool:
        """Whether any axis has nothing left."""
        return self._spent_axis() is not None

    def charge(self, *, tokens: int = 0, cost_usd: Amount = 0, steps: int = 0) -> None:
        """Book what was used, also past a limit; it never raises over one."""
        used = _request(tokens, cost_usd, steps)
        with self._lock:
            for name, amount in used.items():
                self._axes[name].used = total(self._axes[name].used, amount)

    def can_spawn_child(
        self, *, request_tokens: int = 0, request_cost_usd: Amount = 0, request_steps: int = 0
    ) -> bool:
        """Whether no axis is used up, and `reserve_for_child` would hold this much now."""
        request = _request(request_tokens, request_cost_usd, request_steps)
        with self._lock:
            return not self.exhausted() and self._tightest(request) is None

    def reserve_for_child(self, *, tokens: int = 0, cost_usd: Amount = 0, steps: int = 0) -> None:
        """Hold a share for a child, until `settle_child`.

        Raises:
            BudgetExhausted: There is not that much; its `axis` is where it falls shortest.

        """
        self._hold(_request(tokens, cost_usd, steps))

    def settle_child(
        self,
        *,
        reserved_tokens: int = 0,
        reserved_cost_usd: Amount = 0,
        reserved_steps: int = 0,
        used_tokens: int = 0,
        used_cost_usd: Amount = 0,
        used_steps: int = 0,
    ) -> None:
        """Give back what was held for a child and book what it used, all of it."""
        held = _request(reserved_tokens, reserved_cost_usd, reserved_steps)
        self._settle(held, _request(used_tokens, used_cost_usd, used_steps))

    def tighten(
        self,
        *,
        new_max_tokens: int | None = None,
        new_max_cost_usd: Amount | None = None,
        new_max_steps: int | None = None,
        new_max_wall_seconds: float | None = None,
    ) -> None:
        """Lower limits: never raised, and never below what is used and held already."""
        lowered = {
            "tokens": _counted("new_max_tokens", new_max_tokens),
            "cost_usd": _paid("new_max_cost_usd", new_max_cost_usd),
            "steps": _counted("new_max_steps", new_max_steps),
        }
        if new_max_wall_seconds is not None:
            seconds = check_positive("new_max_wall_seconds", new_max_wall_seconds)
            self._wall = seconds if self._wall is None else min(self._wall, seconds)
        with self._lock:
            for name, limit in lowered.items():
                _lower(self._axes[name], limit)

    def split(self, parts: int) -> "tuple[ActorBudget, ...]":
        """Divide what is left into *parts* equal envelopes and hold all of them.

        Each has at least one token, one step and a millionth of a dollar, and all of the time that
        is left. `settle` on each gives back what it did not use.

        Raises:
            BudgetExhausted: An axis has nothing left or cannot be divided so far; nothing is held.

        """
        check_count("parts", parts, at_least=1)
        with self._lock:
            axis = self._spent_axis()
            wall = self.remaining_wall_seconds()  # looked at once, or it may be over for some
            if axis is not None or wall == 0:
                axis = axis or "wall_seconds"
                raise BudgetExhausted(f"nothing is left to divide: {axis}", axis=axis)
            share = {name: self._share(name, parts) for name in self._axes}
            self._hold({name: (part or _NOTHING) * parts for name, part in share.items()})
        return tuple(self._envelope(share, wall) for _ in range(parts))

    def settle(self) -> None:
        """Give back to the parent what this envelope held of it, less what was used, once."""
        held, self._slice = self._slice, {}
        if self._parent is not None and held:
            self._parent._settle(held, {n: axis.used for n, axis in self._axes.items()})  # noqa: SLF001 - the other half of split

    async def reserve(self, call: Any) -> "_Step":
        """Admit *call* and hold a step for it; a tool call takes none.

        Raises:
            BudgetExhausted: An axis has nothing left.

        """
        counts = call.kind != "tool"
        with self._lock:
            if counts and (axis := self._spent_axis()) is not None:
                raise BudgetExhausted(f"the actor has no {axis} left", axis=axis)
            if counts:
                self._axes["steps"].held += 1
        return _Step(self, call, counts=counts)

    def close_step(self, used: dict[str, Decimal]) -> None:
        """Put *used* in the place of a held step."""
        self._settle({"steps": Decimal(1)}, used)

    def _spent_axis(self) -> str | None:
        spent = [name for name, axis in self._axes.items() if axis.is_spent()]
        if self.remaining_wall_seconds() == 0:
            spent.append("wall_seconds")
        return spent[0] if spent else None

    def _share(self, name: str, parts: int) -> Decimal | None:
        left = self._axes[name].left()
        if left is None:
            return None
        share = _DIVIDING.divide(left, Decimal(parts)).quantize(_SMALLEST[name], ROUND_FLOOR)
        return max(_SMALLEST[name], share)

    def _envelope(self, share: dict[str, Decimal | None], wall: float | None) -> "ActorBudget":
        envelope = ActorBudget(
            max_tokens=_as_int(share["tokens"]),
            max_cost_usd=share["cost_usd"],
            max_steps=_as_int(share["steps"]),
            max_wall_seconds=wall,
            clock=self._clock,
        )
        envelope._parent = self
        envelope._slice = {name: part or _NOTHING for name, part in share.items()}
        return envelope

    def _tightest(self, request: dict[str, Decimal]) -> str | None:
        """Give the axis that falls shortest of *request*, or None when there is enough."""
        short = {
            name: (_clamped(self._axes[name].left()) or _NOTHING) / amount
            for name, amount in request.items()
            if self._axes[name].lacks(amount) and amount > 0
        }
        return min(short, key=lambda name: short[name]) if short else None

    def _hold(self, request: dict[str, Decimal]) -> None:
        with self._lock:
            if (axis := self._tightest(request)) is not None:
                left = self._axes[axis].left()
                raise BudgetExhausted(
                    f"{request[axis]} {axis} are asked for and {left} are left", axis=axis
                )
            for name, amount in request.items():
                self._axes[name].held = total(self._axes[name].held, amount)

    def _settle(self, held: dict[str, Decimal], used: dict[str, Decimal]) -> None:
        with self._lock:
            for name, axis in self._axes.items():
                axis.held = total(axis.held, -held.get(name, _NOTHING))
                axis.used = total(axis.used, used.get(name, _NOTHING))


class _Step:
    """One admitted model call of an actor."""

    __slots__ = ("_budget", "_call", "_open")

    def __init__(self, budget: ActorBudget, call: Any, *, counts: bool) -> None:
        self._budget = budget
        self._call = call
        self._open = counts

    async def settle(self, usage: Usage, model_usage: ModelUsage | None = None) -> None:
        cost = known_cost(self._call, usage, model_usage)
        self._close(_request(all_tokens(usage, model_usage), cost or _NOTHING, 1))

    async def release(self) -> None:
        self._close({})

    def _close(self, used: dict[str, Decimal]) -> None:
        if self._open:
            self._open = False
            self._budget.close_step(used)


def _request(tokens: int, cost_usd: Amount, steps: int) -> dict[str, Decimal]:
    return {
        "tokens": Decimal(check_count("tokens", tokens)),
        "cost_usd": not_negative("cost_usd", exact(cost_usd)),
        "steps": Decimal(check_count("steps", steps)),
    }


def _lower(axis: _Axis, limit: Decimal | None) -> None:
    if limit is None:
        return
    floor = total(axis.used, axis.held)
    axis.limit = max(limit if axis.limit is None else min(axis.limit, limit), floor)


def _counted(name: str, value: int | None) -> Decimal | None:
    return None if value is None else Decimal(check_count(name, value))


def _paid(name: str, value: Amount | None) -> Decimal | None:
    return None if value is None else not_negative(name, to_money(value))


def _clamped(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else max(_NOTHING, amount)


def _as_int(amount: Decimal | None) -> int | None:
    return None if amount is None else int(amount)


def _as_float(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)
