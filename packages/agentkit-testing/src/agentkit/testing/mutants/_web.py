"""Correct web ports, and those that tell too much, too little, or in the driver's words."""

import asyncio
import builtins
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from agentkit.core.contracts.errors import (
    EgressDenied,
    ErrorClass,
    Failure,
    ProviderAuthError,
    ProviderError,
)
from agentkit.core.contracts.ports import FetchResponse, SearchHit
from agentkit.testing._play import provider_error
from agentkit.testing.mutants._trial import Trial, breaks, tries
from agentkit.testing.suites import FetchSuite, SearchSuite

__all__ = ["ReferenceFetch", "ReferenceSearch", "Web"]

DENIED = "http://169.254.169.254/latest/meta-data"


class Web:
    """The web, in this process; asking is one suspension."""

    def __init__(self) -> None:
        self.content: Any = []
        self.requests = 0
        self.is_up = True
        self.is_hanging = False
        self.secret = uuid4().hex

    def play(self, content: Any) -> None:
        """Answer with *content* from now on."""
        self.content = content
        self.is_hanging = False

    async def ask(self) -> Any:
        """Give what is there."""
        await asyncio.sleep(0)
        if not self.is_up:
            raise ConnectionRefusedError(111, "Connection refused")
        self.requests += 1
        if self.is_hanging:
            await asyncio.Event().wait()
        return self.content


class ReferenceWeb:
    """What both ports share."""

    def __init__(self, web: Web) -> None:
        self.web = web

    async def ask(self) -> Any:
        """Ask, and translate what goes wrong."""
        try:
            content = await self.web.ask()
        except OSError:
            error = self.unreachable()
        else:
            if not isinstance(content, Failure):
                return content
            error = self.refused(provider_error(content))
        raise error

    def unreachable(self) -> Exception:
        """Give our error for a backend that is not there."""
        return ProviderError("cannot connect", error_class=ErrorClass.TRANSIENT)

    def refused(self, told: ProviderError) -> Exception:
        """Give our error for what the backend told."""
        kind = ProviderAuthError if told.status in {401, 403} else ProviderError
        text = str(told).replace(self.web.secret, "[secret]")
        return kind(text, status=told.status, error_class=told.error_class)


class ReferenceSearch(ReferenceWeb):
    """A `SearchPort` that keeps every clause."""

    async def search(
        self, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> list[SearchHit]:
        """Give the first *k* hits."""
        return self.cut(self.read(await self.ask()), k)

    def read(self, content: Sequence[SearchHit]) -> list[SearchHit]:
        """Give what the engine found."""
        return list(content)

    def cut(self, hits: list[SearchHit], k: int) -> list[SearchHit]:
        """Give the first *k*."""
        return hits[:k]


class ReferenceFetch(ReferenceWeb):
    """A `FetchPort` that keeps every clause."""

    async def fetch(self, url: str, *, timeout_s: float = 10.0) -> FetchResponse:
        """Give what stands there."""
        self.guard(url)
        async with self.patience(timeout_s):
            return self.read(await self.ask())

    def guard(self, url: str) -> None:
        """Refuse an address."""
        if url == DENIED:
            raise EgressDenied("not there")

    def patience(self, timeout_s: float) -> Any:
        """Give a scope that ends in time."""
        return asyncio.timeout(timeout_s)

    def read(self, content: FetchResponse) -> FetchResponse:
        """Give what stands there."""
        return content


class _WebTrial(Trial):
    def prepare(self) -> None:
        self.web = Web()

    def make(self) -> Any:
        return self.kind(self.web)

    async def requests(self) -> int:
        return self.web.requests

    def secret(self) -> str:
        return self.web.secret

    async def break_connection(self) -> None:
        self.web.is_up = False

    async def restore(self) -> None:
        self.web.is_up = True


@tries(ReferenceSearch)
class _SearchTrial(_WebTrial, SearchSuite):
    async def play(self, found: Any) -> None:
        self.web.play(found)

    async def fail(self, failure: Failure) -> None:
        self.web.content = failure


@tries(ReferenceFetch)
class _FetchTrial(_WebTrial, FetchSuite):
    async def play(self, response: Any) -> None:
        self.web.play(response)

    def url(self) -> str:
        return "https://example.com/page"

    def denied(self) -> str:
        return DENIED

    async def hang(self) -> None:
        self.web.is_hanging = True


class _Speaking(ReferenceWeb):
    """Lets the driver's own error out."""

    def unreachable(self) -> Exception:
        return ConnectionRefusedError(111, "Connection refused")


class _Retrying(ReferenceWeb):
    """Asks again what failed."""

    async def ask(self) -> Any:
        try:
            return await super().ask()
        except ProviderError:
            return await super().ask()


class _StayingBusy(ReferenceWeb):
    """Takes one call at a time, and a cancelled one for ever."""

    is_busy = False

    async def ask(self) -> Any:
        if self.is_busy:
            raise ProviderError("busy", error_class=ErrorClass.TRANSIENT)
        self.is_busy = True
        content = await super().ask()
        self.is_busy = False
        return content


@breaks("SEARCH-PORT-01")
class FindsNothing(ReferenceSearch):
    """It leaves out the verb of the port."""

    search = None  # type: ignore[assignment]


@breaks("SEARCH-HIT-01")
class SortsByTitle(ReferenceSearch):
    """It brings hits into an order of its own."""

    def read(self, content: Sequence[SearchHit]) -> list[SearchHit]:
        return sorted(content, key=lambda hit: hit.title, reverse=True)


@breaks("SEARCH-HIT-01")
class UnquotesAddresses(ReferenceSearch):
    """It tidies addresses up."""

    def read(self, content: Sequence[SearchHit]) -> list[SearchHit]:
        return [replace(hit, url=hit.url.partition("?")[0]) for hit in content]


@breaks("SEARCH-HIT-02")
class FindsAPage(ReferenceSearch):
    """It gives a page of the engine's size."""

    def cut(self, hits: list[SearchHit], k: int) -> list[SearchHit]:
        return hits[:5]


@breaks("SEARCH-HIT-03")
class FindsTen(ReferenceSearch):
    """It gives ten where it is told nothing."""

    async def search(
        self, query: str, k: int = 10, where: dict[str, Any] | None = None
    ) -> list[SearchHit]:
        return await super().search(query, k, where)


@breaks("SEARCH-HIT-04")
class FailsForNothing(ReferenceSearch):
    """It fails where nothing was found."""

    def read(self, content: Sequence[SearchHit]) -> list[SearchHit]:
        return [content[0], *content[1:]]


@breaks("SEARCH-HIT-05")
class TakesZeroForTheUsual(ReferenceSearch):
    """It takes zero for nothing said."""

    def cut(self, hits: list[SearchHit], k: int) -> list[SearchHit]:
        return super().cut(hits, k or 5)


@breaks("SEARCH-HIT-06")
class GivesItsOwnHits(ReferenceSearch):
    """It gives the list that it keeps."""

    kept: list[SearchHit] | None = None

    def cut(self, hits: list[SearchHit], k: int) -> list[SearchHit]:
        if self.kept is None:
            self.kept = super().cut(hits, k)
        return self.kept


@breaks("SEARCH-HIT-07")
class QuotesNothing(ReferenceSearch):
    """It puts the query into an address as it is."""

    async def search(
        self, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> list[SearchHit]:
        if not query.isascii() or builtins.set("\n#&") & builtins.set(query):
            raise ValueError("no address")
        return await super().search(query, k, where)


@breaks("SEARCH-WHERE-01")
class WidensByAFilter(ReferenceSearch):
    """It adds what it has itself of a site."""

    async def search(
        self, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> list[SearchHit]:
        more = [SearchHit("https://own.example", "Own", "")] if where else []
        return [*more, *await super().search(query, k, where)]


@breaks("SEARCH-ONCE-01")
class SearchesAgain(_Retrying, ReferenceSearch):
    """It asks again what failed."""


@breaks("SEARCH-ERROR-01")
class TakesAllForTransient(ReferenceSearch):
    """It calls every failure transient."""

    def refused(self, told: ProviderError) -> Exception:
        return ProviderError(str(told), status=told.status, error_class=ErrorClass.TRANSIENT)


@breaks("SEARCH-ERROR-02")
class RepeatsTheKey(ReferenceSearch):
    """It tells what the engine told, key and all."""

    def refused(self, told: ProviderError) -> Exception:
        return told


@breaks("SEARCH-FAULT-01")
class SpeaksAsASocket(_Speaking, ReferenceSearch):
    """It lets the driver's own error out."""


@breaks("SEARCH-CANCEL-01")
class StaysBusySearching(_StayingBusy, ReferenceSearch):
    """It takes one search at a time, and a cancelled one for ever."""


@breaks("FETCH-PORT-01")
class FetchesNothing(ReferenceFetch):
    """It leaves out the verb of the port."""

    fetch = None  # type: ignore[assignment]


@breaks("FETCH-GET-01")
class KnowsNoTypes(ReferenceFetch):
    """It does not say what a text is."""

    def read(self, content: FetchResponse) -> FetchResponse:
        return replace(content, content_type="")


@breaks("FETCH-GET-02")
class RaisesForStatus(ReferenceFetch):
    """It takes an error status for a failure."""

    def read(self, content: FetchResponse) -> FetchResponse:
        if content.status >= 400:
            raise ProviderError(f"status {content.status}", status=content.status)
        return content


@breaks("FETCH-GET-03")
class DecodesAsLatin(ReferenceFetch):
    """It reads every text in one old encoding."""

    def read(self, content: FetchResponse) -> FetchResponse:
        return replace(content, body=content.body.encode().decode("latin-1"))


@breaks("FETCH-GET-04")
class DropsHeaders(ReferenceFetch):
    """It gives no headers."""

    def read(self, content: FetchResponse) -> FetchResponse:
        return replace(content, headers={})


@breaks("FETCH-GET-05")
class NamesAnotherAddress(ReferenceFetch):
    """It gives the address that its proxy was asked for."""

    def read(self, content: FetchResponse) -> FetchResponse:
        return replace(content, url=f"http://proxy/{content.url}")


@breaks("FETCH-GUARD-01")
class GuardsAfterwards(ReferenceFetch):
    """It looks at the address when the answer is there."""

    async def fetch(self, url: str, *, timeout_s: float = 10.0) -> FetchResponse:
        await self.web.ask()
        return await super().fetch(url, timeout_s=timeout_s)


@breaks("FETCH-TIME-01")
class WaitsForEver(ReferenceFetch):
    """It takes a timeout and does not heed it."""

    def patience(self, timeout_s: float) -> Any:
        return asyncio.timeout(None)


@breaks("FETCH-FAULT-01")
class FetchesLikeASocket(_Speaking, ReferenceFetch):
    """It lets the driver's own error out."""


@breaks("FETCH-CANCEL-01")
class StaysBusyFetching(_StayingBusy, ReferenceFetch):
    """It takes one fetch at a time, and a cancelled one for ever."""
