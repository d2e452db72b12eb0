"""What calls consume and what that costs."""

import sys
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, localcontext
from math import inf
from operator import attrgetter
from typing import Literal

from agentkit.core.contracts._checks import check_amount, check_counts, check_number
from agentkit.core.serialization._kinds import is_a

__all__ = ["ModelUsage", "Price", "Provenance", "Usage", "sum_for_display"]

Provenance = Literal["reported", "partial", "estimated", "unknown"]
"""Where a count of tokens comes from: the provider, a stream cut short, an estimate, nowhere."""


_USAGE_COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_MODEL_COUNTS = (
    "input_tokens",
    "cached_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
    "reasoning_tokens",
)
_usage_counts = attrgetter(*_USAGE_COUNTS)
_model_counts = attrgetter(*_MODEL_COUNTS)


@dataclass(frozen=True, slots=True)
class Usage:
    """One call's consumption: fresh input, output and cache tokens, and an approximate cost.

    `cost_usd` is for display. Sums that must balance to the cent are `Budget.spent()`.

    Raises:
        TypeError: A count is no whole number, or the cost no number; a bool is neither.
        ValueError: One of them is negative, or not finite.

    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __post_init__(self) -> None:
        for count in _usage_counts(self):
            if type(count) is not int or count < 0:
                check_counts(self, *_USAGE_COUNTS)
        if type(self.cost_usd) is not float or not 0 <= self.cost_usd < inf:
            check_number(self, "cost_usd")

    @property
    def total_tokens(self) -> int:
        """Fresh input and output tokens; cache tokens are not in it."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        """Add field by field; the cost is rounded to six places on every addition."""
        if not is_a(other, Usage):
            return NotImplemented
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            sum_for_display(self.cost_usd, other.cost_usd),
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """One call's consumption in the model-neutral contract.

    Input tokens include the cached and the cache-written ones, output tokens include reasoning.
    `cost` is US dollars, exact; None means that no price is known, which is not the same as free.

    Raises:
        TypeError: A count is no whole number, or the cost no Decimal.
        ValueError: One of them is negative or not finite, or the provenance is none of the four.

    """

    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: Decimal | None = None
    provenance: Provenance = "unknown"

    def __post_init__(self) -> None:
        for count in _model_counts(self):
            if type(count) is not int or count < 0:
                check_counts(self, *_MODEL_COUNTS)
        if self.cost is not None:
            check_amount(self, "cost")
        if self.provenance not in _DOUBT:
            raise ValueError(f"ModelUsage.provenance is one of {_DOUBT}; got {self.provenance!r}")

    @property
    def total_tokens(self) -> int:
        """All input and output tokens."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "ModelUsage") -> "ModelUsage":
        """Add field by field; a sum is as well known as the worse known of the two."""
        if not is_a(other, ModelUsage):
            return NotImplemented
        return ModelUsage(
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_5m_tokens + other.cache_write_5m_tokens,
            self.cache_write_1h_tokens + other.cache_write_1h_tokens,
            self.output_tokens + other.output_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            _sum_of_costs(self, other),
            _DOUBT[max(map(_DOUBT.index, (self.provenance, other.provenance)))],
        )

    def to_usage(self) -> Usage:
        """Give this as a `Usage`: fresh input, one count of cache writes, an approximate cost.

        A cost that is larger than any float is given as the largest.
        """
        written = self.cache_write_5m_tokens + self.cache_write_1h_tokens
        return Usage(
            input_tokens=max(0, self.input_tokens - self.cached_tokens - written),
            output_tokens=self.output_tokens,
            cost_usd=_for_display(self.cost or 0),
            cache_read_tokens=self.cached_tokens,
            cache_write_tokens=written,
        )

    @classmethod
    def from_usage(cls, usage: Usage, *, provenance: Provenance = "reported") -> "ModelUsage":
        """Give *usage* in this contract; its cost is taken as known unless it is zero.

        `Usage` does not say how long a cache write lives, so all of it counts as five minutes.
        """
        return cls(
            input_tokens=usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
            cached_tokens=usage.cache_read_tokens,
            cache_write_5m_tokens=usage.cache_write_tokens,
            output_tokens=usage.output_tokens,
            cost=Decimal(str(usage.cost_usd)) if usage.cost_usd else None,
            provenance=provenance,
        )


_DOUBT: tuple[Provenance, ...] = ("reported", "partial", "estimated", "unknown")


def _sum_of_costs(one: ModelUsage, other: ModelUsage) -> Decimal | None:
    """Add two costs; unknown wins, except over a usage that holds no tokens at all."""
    if one.cost is None and not one.total_tokens:
        return other.cost
    if other.cost is None and not other.total_tokens:
        return one.cost
    if one.cost is None or other.cost is None:
        return None
    try:
        return _EXACT.add(one.cost, other.cost)
    except Inexact:  # one of them is no amount of money: whoever told it, the sum is unknown
        return None


def _for_display(amount: Decimal | float) -> float:
    try:
        return min(float(amount), _LARGEST_FLOAT)
    except OverflowError:
        return _LARGEST_FLOAT


def sum_for_display(one: float, other: float) -> float:
    """Give the sum of two approximate costs, rounded to six places, or the largest float."""
    try:
        return min(round(float(one) + float(other), 6), _LARGEST_FLOAT)
    except OverflowError:  # a whole number may be larger than any float
        return _LARGEST_FLOAT


_LARGEST_FLOAT = sys.float_info.max
# Wide enough for any price times any count; a digit lost would be money lost, so it would raise.
_EXACT = Context(prec=1200, traps=[Inexact])


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in US dollars per million tokens of each kind."""

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write_5m: Decimal
    cache_write_1h: Decimal

    def __post_init__(self) -> None:
        for name in ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h"):
            amount = getattr(self, name)
            if not isinstance(amount, Decimal) or not amount.is_finite() or amount < 0:
                raise ValueError(
                    f"Price.{name} is a finite Decimal of zero or more; got {amount!r}"
                )

    def cost_of(self, usage: ModelUsage) -> Decimal:
        """Give the exact cost of *usage* in US dollars, whatever the current decimal context is."""
        written = usage.cache_write_5m_tokens + usage.cache_write_1h_tokens
        fresh = max(0, usage.input_tokens - usage.cached_tokens - written)
        with localcontext(_EXACT):
            millionths = (
                fresh * self.input
                + usage.cached_tokens * self.cache_read
                + usage.cache_write_5m_tokens * self.cache_write_5m
                + usage.cache_write_1h_tokens * self.cache_write_1h
                + usage.output_tokens * self.output
            )
            return millionths.scaleb(-6)
