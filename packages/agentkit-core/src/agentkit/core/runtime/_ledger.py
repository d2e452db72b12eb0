"""The books of a budget: what is spent, what is held for calls in flight, who may still come in."""

import threading
from dataclasses import dataclass
from decimal import Decimal

from agentkit.core.contracts.types import Usage
from agentkit.core.contracts.types._usage import sum_for_display
from agentkit.core.runtime._money import in_words, total

__all__ = ["Ledger", "Limits", "Tally"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The ceilings in force when a call asks: dollars and calls, None for no ceiling."""

    cost: Decimal | None = None
    calls: int | None = None

    def crossed(self, spent: Decimal, calls: int) -> str:
        """Say which limit *spent* or *calls* is over, or nothing."""
        if self.cost is not None and spent > self.cost:
            return f"cost {in_words(spent)} > {in_words(self.cost)}"
        if self.calls is not None and calls > self.calls:
            return f"calls {calls} > {self.calls}"
        return ""


class Ledger:
    """Exact sums, each changed in one step under a lock, so that no interleaving is ever seen.

    Nothing in here awaits: neither another task nor a cancellation gets in between.
    """

    __slots__ = ("calls", "held", "in_flight", "lock", "spent", "tally")

    def __init__(self, spent: Decimal, calls: int, usage: Usage) -> None:
        self.lock = threading.Lock()
        self.spent = spent
        self.held = Decimal(0)
        self.calls = calls
        self.tally = Tally(usage)
        self.in_flight = 0

    def refusal(self, limits: Limits, bound: Decimal | None) -> str:
        """Say why a call that costs at most *bound* (None: unknown) may not come in, or nothing."""
        calls = self.calls + self.in_flight
        if limits.calls is not None and calls >= limits.calls:
            return f"calls {calls + 1} > {limits.calls}"
        if limits.cost is None:
            return ""
        if crossed := Limits(limits.cost).crossed(self.spent, 0):
            return crossed
        committed = total(self.spent, self.held, bound or Decimal(0))
        if bound is None and committed >= limits.cost:
            return f"cost {in_words(committed)} ≥ {in_words(limits.cost)}{self._shares(bound)}"
        if bound is not None and committed > limits.cost:
            return f"cost {in_words(committed)} > {in_words(limits.cost)}{self._shares(bound)}"
        return ""

    def admit(self, bound: Decimal | None) -> None:
        """Hold the share of one more call."""
        self.in_flight += 1
        if bound:
            self.held = total(self.held, bound)

    def leave(self, bound: Decimal | None) -> None:
        """Give back the share of a call that was admitted."""
        self.in_flight -= 1
        if bound:
            self.held = total(self.held, -bound)

    def book(self, cost: Decimal | None, usage: Usage) -> None:
        """Book a call that was made; one of unknown *cost* counts as free."""
        self.calls += 1
        if cost:
            self.spent = total(self.spent, cost)
        self.tally.add(usage, cost_usd=0.0 if cost is None else usage.cost_usd)

    def _shares(self, bound: Decimal | None) -> str:
        shares = [f"{in_words(self.spent)} spent"]
        if self.held:
            shares.append(f"{in_words(self.held)} held for calls in flight")
        if bound is not None:
            shares.append(f"{in_words(bound)} for this call at worst")
        return f" ({', '.join(shares)})" if len(shares) > 1 else ""


class Tally:
    """What many calls consumed together: a `Usage` only once somebody reads it."""

    __slots__ = ("_cost_usd", "_input", "_output", "_read", "_written")

    def __init__(self, start: Usage) -> None:
        self._input = start.input_tokens
        self._output = start.output_tokens
        self._cost_usd = start.cost_usd
        self._read = start.cache_read_tokens
        self._written = start.cache_write_tokens

    def add(self, usage: Usage, *, cost_usd: float) -> None:
        """Add the tokens of *usage*, at *cost_usd*."""
        self._input += usage.input_tokens
        self._output += usage.output_tokens
        if cost_usd:
            self._cost_usd = sum_for_display(self._cost_usd, cost_usd)
        self._read += usage.cache_read_tokens
        self._written += usage.cache_write_tokens

    def usage(self) -> Usage:
        """Give the sum."""
        return Usage(self._input, self._output, self._cost_usd, self._read, self._written)
