"""What all instances of a reference adapter share: rows, a clock, and a cable to pull."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from agentkit.core.contracts.errors import StoreUnavailable

__all__ = ["Backend", "Row", "Space"]


@dataclass(slots=True)
class Space:
    """One namespace: texts and when they end, logs, the versions of runs, tenants' chunks."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    ends: dict[str, float] = field(default_factory=dict[str, float])
    logs: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    runs: dict[str, dict[int, str]] = field(default_factory=dict[str, "dict[int, str]"])
    rows: dict[str, dict[str, Row]] = field(default_factory=dict[str, "dict[str, Row]"])


@dataclass(frozen=True, slots=True)
class Row:
    """A chunk as a table has it: its text, the text that was embedded, its metadata as JSON."""

    text: str
    embedded: str
    metadata: str
    filtered: str


class Backend:
    """A server that lives in this process; each of its round trips is one suspension."""

    def __init__(self) -> None:
        self.now: float = 0.0
        self.is_up: bool = True
        self.lost = 0
        self.last_words = ""
        self.spaces: dict[str, Space] = {}

    def space(self, name: str) -> Space:
        """Give the namespace *name*."""
        return self.spaces.setdefault(name, Space())

    async def trip(self) -> None:
        """Go there and back; StoreUnavailable while the cable is pulled."""
        await asyncio.sleep(0)
        if not self.is_up:
            raise StoreUnavailable("the reference backend is cut off")
