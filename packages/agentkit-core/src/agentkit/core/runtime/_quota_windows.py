"""Where a quota counts: a sliding window in this process."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from agentkit.core.contracts.errors import MeterExceeded
from agentkit.core.runtime._money import in_words, total

__all__ = ["Ask", "LocalWindows", "Rates", "Seen", "Ticket", "Windows"]

_NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class Rates:
    """How much one tenant may do per window; None is no limit."""

    requests: int | None = None
    tokens: int | None = None
    cost: Decimal | None = None

    def refusal(self, key: str, seen: "Seen", ask: "Ask") -> str:
        """Say why *ask* may not join what is *seen* already, or nothing."""
        if self.requests is not None and seen.requests + 1 > self.requests:
            return f"{key}: {seen.requests:g} req ≥ {self.requests} rpm"
        if self.tokens is not None and seen.tokens + ask.tokens > self.tokens:
            return f"{key}: {seen.tokens:g} + {ask.tokens} tokens > {self.tokens} tpm"
        if self.cost is None:
            return ""
        cost = total(seen.cost, ask.bound or _NOTHING)
        if ask.bound is None and cost >= self.cost:
            return f"{key}: cost {in_words(cost)} ≥ {in_words(self.cost)}"
        return f"{key}: cost {in_words(cost)} > {in_words(self.cost)}" if cost > self.cost else ""


@dataclass(frozen=True, slots=True)
class Ask:
    """What one call asks: estimated tokens, and what it costs at worst where that is known."""

    tokens: int
    bound: Decimal | None


@dataclass(frozen=True, slots=True)
class Seen:
    """What a window holds: past calls, and what is held for calls in flight."""

    requests: float = 0
    tokens: float = 0
    cost: Decimal = _NOTHING


@dataclass(slots=True)
class Ticket:
    """An admitted call's place in the window that was open then."""

    key: str
    ask: Ask
    window: int = 0
    taken: dict[str, int] = field(default_factory=dict[str, int])


class Windows(Protocol):
    """Counts per tenant."""

    async def admit(self, key: str, ask: Ask) -> Ticket:
        """Count one call of *key* and hold what it asks, or raise `MeterExceeded`."""
        ...

    async def settle(self, ticket: Ticket, tokens: int, cost: Decimal) -> None:
        """Put what the call consumed in the place of what was held for it."""
        ...

    async def release(self, ticket: Ticket) -> None:
        """Take the call out of the count again."""
        ...


@dataclass(slots=True)
class _Entry:
    """What was consumed at one time."""

    at: float
    requests: int = 0
    tokens: int = 0
    cost: Decimal = _NOTHING


class _Tenant:
    """One tenant's window: what happened in it, oldest first, and what is held."""

    __slots__ = ("cost", "entries", "held", "requests", "tokens")

    def __init__(self) -> None:
        self.entries: deque[_Entry] = deque()
        self.held: dict[int, tuple[Ticket, _Entry]] = {}
        self.requests = self.tokens = 0
        self.cost = _NOTHING

    def add(self, entry: _Entry) -> None:
        self.entries.append(entry)
        self._count(entry, 1)

    def forget_before(self, start: float) -> None:
        while self.entries and self.entries[0].at <= start:
            self._count(self.entries.popleft(), -1)

    def seen(self) -> Seen:
        asks = [ticket.ask for ticket, _ in self.held.values()]
        return Seen(
            self.requests,
            self.tokens + sum(ask.tokens for ask in asks),
            total(self.cost, *(ask.bound or _NOTHING for ask in asks)),
        )

    def admit(self, ticket: Ticket, now: float) -> None:
        entry = _Entry(now, requests=1)
        self.add(entry)
        self.held[id(ticket)] = ticket, entry

    def let_go(self, ticket: Ticket) -> _Entry | None:
        """Hold *ticket* no longer, and give its request if it was held."""
        return self.held.pop(id(ticket), (ticket, None))[1]

    def remove(self, entry: _Entry) -> None:
        """Take *entry* out again, if it is still in the window."""
        for index in range(len(self.entries) - 1, -1, -1):
            if self.entries[index] is entry:
                del self.entries[index]
                self._count(entry, -1)
                return

    def _count(self, entry: _Entry, sign: int) -> None:
        self.requests += sign * entry.requests
        self.tokens += sign * entry.tokens
        self.cost = total(self.cost, sign * entry.cost)


class LocalWindows:
    """A window that slides, in this process; safe between threads."""

    def __init__(self, rates: Rates, *, seconds: float, clock: Callable[[], float]) -> None:
        self._rates = rates
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._tenants: dict[str, _Tenant] = {}
        self._swept = clock()

    async def admit(self, key: str, ask: Ask) -> Ticket:
        """Count one call of *key* and hold what it asks, or raise `MeterExceeded`."""
        ticket = Ticket(key, ask)
        with self._lock:
            now = self._sweep()
            seen = self._seen(key, now)
            if reason := self._rates.refusal(key, seen, ask):
                raise MeterExceeded(reason)
            self._tenants.setdefault(key, _Tenant()).admit(ticket, now)
        return ticket

    async def settle(self, ticket: Ticket, tokens: int, cost: Decimal) -> None:
        """Put what the call consumed in the place of what was held for it."""
        with self._lock:
            now = self._sweep()
            tenant = self._tenants.setdefault(ticket.key, _Tenant())
            tenant.let_go(ticket)
            tenant.add(_Entry(now, tokens=tokens, cost=cost))

    async def release(self, ticket: Ticket) -> None:
        """Take the call out of the count again."""
        with self._lock:
            tenant = self._tenants.get(ticket.key)
            if tenant is not None and (entry := tenant.let_go(ticket)) is not None:
                tenant.remove(entry)
            self._prune(ticket.key, self._clock())

    def spent(self, key: str) -> Decimal:
        """Give the dollars in the window of *key* now; an unknown key is not created."""
        with self._lock:
            self._prune(key, self._clock())
            tenant = self._tenants.get(key)
            return _NOTHING if tenant is None else tenant.cost

    def _seen(self, key: str, now: float) -> Seen:
        self._prune(key, now)
        tenant = self._tenants.get(key)
        return Seen() if tenant is None else tenant.seen()

    def _prune(self, key: str, now: float) -> None:
        tenant = self._tenants.get(key)
        if tenant is None:
            return
        tenant.forget_before(now - self._seconds)
        if not tenant.entries and not tenant.held:
            del self._tenants[key]

    def _sweep(self) -> float:
        """Prune every tenant, at most once per window, and give the time."""
        now = self._clock()
        if now - self._swept >= self._seconds:
            self._swept = now
            for key in list(self._tenants):
                self._prune(key, now)
        return now
