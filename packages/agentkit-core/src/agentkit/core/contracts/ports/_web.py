"""The seams to the web: search and fetch."""

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from agentkit.core.serialization import FrozenDict, deep_freeze

__all__ = ["FetchPort", "FetchResponse", "SearchHit", "SearchPort"]


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One result of a web search."""

    url: str
    title: str
    snippet: str
    score: float | None = None
    metadata: dict[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", deep_freeze(self.metadata))

    def __hash__(self) -> int:
        return hash((self.url, self.title))


@dataclass(frozen=True, slots=True)
class FetchResponse:
    """A fetched text; `fetched_at` is in unix seconds by the adapter's clock."""

    url: str
    status: int
    headers: dict[str, str]
    body: str
    content_type: str
    fetched_at: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "headers", deep_freeze(self.headers))

    def __hash__(self) -> int:
        return hash((self.url, self.status, self.content_type, self.fetched_at))


@runtime_checkable
class SearchPort(Protocol):
    """Web search."""

    async def search(
        self, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> list[SearchHit]:
        """Give at most *k* hits for *query*, best first; *where* narrows as the engine can.

        Raises:
            ProviderError: The engine refused or failed.

        """
        ...


@runtime_checkable
class FetchPort(Protocol):
    """The network, as text; allowlists, caches and rate limits are the adapter's business."""

    async def fetch(self, url: str, *, timeout_s: float = 10.0) -> FetchResponse:
        """Give what stands at *url*, an HTTP error status included.

        Raises:
            EgressDenied: The adapter's guard refuses the address; nothing was sent.
            TimeoutError: Nothing came within *timeout_s* seconds.
            ProviderError: The address cannot be reached.

        """
        ...
