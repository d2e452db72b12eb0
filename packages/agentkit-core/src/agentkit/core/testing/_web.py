"""The web, as a test wants it."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from agentkit.core.contracts.ports import FetchResponse, SearchHit
from agentkit.core.contracts.protocols import UrlGuard

__all__ = ["FakeFetch", "FakeSearch"]

Found: TypeAlias = Sequence[SearchHit] | Exception


class FakeSearch:
    """A `SearchPort` over *hits*: a list for every query, or lists by a part of the query.

    An exception in the place of a list is raised. A test may change *hits* along the way. `queries`
    keeps what was asked.
    """

    def __init__(self, hits: Found | Mapping[str, Found] = ()) -> None:
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
        found = self._hits
        if isinstance(found, Mapping):
            found = next((hits for part, hits in found.items() if part in query), ())
        if isinstance(found, Exception):
            raise found
        return found


class FakeFetch:
    """A `FetchPort` over *fixtures* by address; an address that is not among them is a KeyError.

    An exception in the place of a response is raised. A test may change *fixtures* along the way.
    What *guard* denies is not looked up; `urls` keeps the addresses that were.
    """

    def __init__(
        self,
        fixtures: Mapping[str, FetchResponse | Exception],
        *,
        guard: UrlGuard | None = None,
    ) -> None:
        self._fixtures = fixtures
        self._guard = guard
        self.urls: list[str] = []

    async def fetch(self, url: str, *, timeout_s: float = 10.0) -> FetchResponse:  # noqa: ARG002 - the port's
        """Give the fixture of *url*."""
        if self._guard is not None:
            await self._guard.check_url(url)
        self.urls.append(url)
        found = self._fixtures[url]
        if isinstance(found, Exception):
            raise found
        return found
