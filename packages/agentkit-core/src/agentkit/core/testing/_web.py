"""The web, as a test wants it."""

from collections.abc import Mapping, Sequence
from typing import Any

from agentkit.core.contracts.ports import FetchResponse, SearchHit

__all__ = ["FakeFetch", "FakeSearch"]


class FakeSearch:
    """A `SearchPort` over *hits*: a list for every query, or lists by a part of the query."""

    def __init__(self, hits: Sequence[SearchHit] | Mapping[str, Sequence[SearchHit]] = ()) -> None:
        self._hits = hits
        self.queries: list[str] = []

    async def search(
        self, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> list[SearchHit]:
        """Give the first *k* hits whose metadata has every item of *where*."""
        self.queries.append(query)
        wanted = (where or {}).items()
        found = [hit for hit in self._found(query) if wanted <= hit.metadata.items()]
        return found[:k]

    def _found(self, query: str) -> Sequence[SearchHit]:
        if not isinstance(self._hits, Mapping):
            return self._hits
        return next((hits for part, hits in self._hits.items() if part in query), ())


class FakeFetch:
    """A `FetchPort` over *fixtures* by address; an address that is not among them is a KeyError."""

    def __init__(self, fixtures: Mapping[str, FetchResponse]) -> None:
        self._fixtures = dict(fixtures)
        self.urls: list[str] = []

    async def fetch(self, url: str, *, timeout_s: float = 10.0) -> FetchResponse:  # noqa: ARG002 - the port's
        """Give the fixture of *url*."""
        self.urls.append(url)
        return self._fixtures[url]
