"""The seam to what a span has no room for: whole requests and responses."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from agentkit.core.serialization import deep_freeze

__all__ = ["ReplayRecord", "ReplayStore"]


@dataclass(frozen=True, slots=True)
class ReplayRecord:
    """The payloads of one call, found again by its span, whose id the store checks."""

    span_id: str
    operation: str
    request: Any
    response: Any | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "request", deep_freeze(self.request))
        object.__setattr__(self, "response", deep_freeze(self.response))

    def __hash__(self) -> int:
        return hash((self.span_id, self.operation))


@runtime_checkable
class ReplayStore(Protocol):
    """Side storage for payloads."""

    async def put(self, record: ReplayRecord) -> None:
        """Keep *record*; it never raises into a run, and counts what it could not keep."""
        ...

    async def get(self, span_id: str) -> ReplayRecord | None:
        """Give the record of *span_id*, or None."""
        ...
