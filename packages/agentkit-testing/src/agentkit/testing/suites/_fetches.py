"""The suite of FetchPort."""

import math
from typing import ClassVar

import pytest

from agentkit.core.contracts.errors import EgressDenied, ErrorClass
from agentkit.core.contracts.ports import FetchPort, FetchResponse
from agentkit.testing.suites._clause import clause, hook
from agentkit.testing.suites._steps import cut_at_every_await
from agentkit.testing.suites._web_steps import WebSteps, ends_as

__all__ = ["FetchSuite"]

BODIES = ["hello", "", "\u00e9 \U0001f600\r\n\u2028", "<p>&amp;</p>", "x" * 300_000, "[DONE]\n\n"]
BRIEFLY = 0.05


def page(url: str, body: str = "hello", *, status: int = 200) -> FetchResponse:
    """Make what stands at *url*."""
    headers = {"content-type": "text/plain; charset=utf-8", "x-own": "one"}
    return FetchResponse(url, status, headers, body, "text/plain", 1.0)


class FetchClauses(WebSteps):
    """A fetch gives what stands at an address, whatever its status is."""

    @hook
    def url(self) -> str:
        """Give an address of the backend."""
        raise NotImplementedError

    @hook
    async def play(self, response: FetchResponse) -> None:
        """Let *response* stand at its address from now on."""
        raise NotImplementedError

    @hook
    async def hang(self) -> None:
        """Let `url` take a request and never answer it, until the next `play`."""
        raise NotImplementedError

    @hook
    def denied(self) -> str:
        """Give an address that the adapter's guard refuses."""
        raise NotImplementedError

    @clause("FETCH-PORT-01", since="1.0")
    async def an_adapter_has_the_verb_of_its_port(self, port: FetchPort) -> None:
        assert callable(port.fetch)

    @clause("FETCH-GET-01", since="1.0", hook=("play", "url"))
    async def what_stands_there_is_given(self, port: FetchPort) -> None:
        await self.play(page(self.url()))
        found = await port.fetch(self.url())

        assert (found.status, found.body) == (200, "hello")
        assert found.content_type.startswith("text/plain")

    @clause("FETCH-GET-02", since="1.0", hook=("play", "url"))
    async def an_error_status_is_an_answer(self, port: FetchPort) -> None:
        for status in (404, 403, 429, 500, 503):
            await self.play(page(self.url(), "gone", status=status))
            found = await port.fetch(self.url())

            assert (found.status, found.body) == (status, "gone")

    @clause("FETCH-GET-03", since="1.0", hook=("play", "url"))
    async def text_survives_exactly(self, port: FetchPort) -> None:
        for body in BODIES:
            await self.play(page(self.url(), body))

            assert (await port.fetch(self.url())).body == body

    @clause("FETCH-GET-04", since="1.0", hook=("play", "url"))
    async def headers_are_given(self, port: FetchPort) -> None:
        await self.play(page(self.url()))
        found = await port.fetch(self.url())

        assert {name.lower(): value for name, value in found.headers.items()}["x-own"] == "one"

    @clause("FETCH-GET-05", since="1.0", hook=("play", "url"))
    async def where_and_when_it_was_fetched_is_told(self, port: FetchPort) -> None:
        await self.play(page(self.url()))
        found = await port.fetch(self.url())

        assert found.url == self.url()
        assert math.isfinite(found.fetched_at)

    @clause("FETCH-GUARD-01", since="1.0", hook=("denied", "requests"))
    async def a_denied_address_is_not_asked(self, port: FetchPort) -> None:
        before = await self.requests()
        with pytest.raises(EgressDenied):
            await port.fetch(self.denied())

        assert await self.requests() == before

    @clause("FETCH-TIME-01", since="1.0", hook=("hang", "play", "url"))
    async def an_address_that_never_answers_is_given_up(self, port: FetchPort) -> None:
        await self.hang()
        with pytest.raises(TimeoutError):
            await port.fetch(self.url(), timeout_s=BRIEFLY)

        await self.play(page(self.url()))
        assert (await port.fetch(self.url())).body == "hello"

    @clause("FETCH-FAULT-01", since="1.0", hook=("break_connection", "play", "url"))
    async def an_unreachable_address_is_told_and_forgiven(self, port: FetchPort) -> None:
        await self.play(page(self.url()))
        await self.break_connection()
        await ends_as(ErrorClass.TRANSIENT, lambda: port.fetch(self.url()))
        await self.restore()

        assert (await port.fetch(self.url())).body == "hello"

    @clause("FETCH-CANCEL-01", since="1.0", hook=("play", "url"))
    async def a_fetch_cancelled_anywhere_leaves_it_usable(self, port: FetchPort) -> None:
        await self.play(page(self.url()))
        async for nth in cut_at_every_await(lambda: port.fetch(self.url())):
            assert (await port.fetch(self.url())).body == "hello", nth


class FetchSuite(FetchClauses):
    """What a fetch promises; subclass it and define the `adapter` fixture.

    Hooks: `url` with `play`, `hang`, `denied`, `requests`, `break_connection` with `restore`.
    """

    port: ClassVar[str] = "FetchPort"
    version: ClassVar[str] = "1.0"
