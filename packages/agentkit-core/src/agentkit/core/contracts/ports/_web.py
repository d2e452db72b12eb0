"""The seams to the web: search and fetch."""

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from agentkit.core.contracts._checks import (
    check_counts,
    check_number,
    check_texts,
    freeze_mappings,
    no_data,
)

__all__ = ["FetchPort", "FetchResponse", "SearchHit", "SearchPort"]


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One result of a web search.

    Raises:
        TypeError: A field is of another type.
        ValueError: `score` is not finite.

    """

    url: str
    title: str
    snippet: str
    score: float | None = None
    metadata: dict[str, Any] = field(default_factory=no_data)

    def __post_init__(self) -> None:
        check_texts(self, "url", "title", "snippet")
        check_number(self, "score", optional=True, at_least=None)
        freeze_mappings(self, "metadata")

    def __hash__(self) -> int:
        return hash((self.url, self.title))


@dataclass(frozen=True, slots=True)
class FetchResponse:
    """A fetched text; `fetched_at` is in unix seconds by the adapter's clock.

    Raises:
        TypeError: A field is of another type.
        ValueError: `status` is negative, or `fetched_at` not finite.

    """

    url: str
    status: int
    headers: dict[str, str]
    body: str
    content_type: str
    fetched_at: float

    def __post_init__(self) -> None:
        check_texts(self, "url", "body", "content_type")
        check_counts(self, "status")
        check_number(self, "fetched_at", at_least=None)
        freeze_mappings(self, "headers")

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
