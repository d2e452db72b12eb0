"""Clauses: an embedding call is one request, and what goes wrong with it is told."""

import asyncio
import pickle
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentkit.core.contracts.errors import ErrorClass, ProviderAuthError
from agentkit.core.contracts.llm import EmbeddingClient
from agentkit.core.testing import Turn
from agentkit.testing._play import Cut, failing
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._model_cancel import HANGING, WAVE
from agentkit.testing.suites._model_errors import PERMANENT, TRANSIENT, everything_told_by
from agentkit.testing.suites._model_steps import BackendSteps, failed
from agentkit.testing.suites._steps import cut_at_every_await
from agentkit.testing.suites._store_faults import CROWD

__all__ = ["EmbeddingErrorClauses", "EmbeddingFaultClauses", "EmbeddingOnceClauses"]

TEXTS = ["apple", "boat"]
CUT = Cut(turn=Turn("hello"), after=20)


def ways(client: EmbeddingClient) -> list[Callable[[], Awaitable[Any]]]:
    """Give every way to ask for a vector."""
    return [lambda: client.embed(TEXTS), lambda: client.embed_single("apple")]


class EmbeddingOnceClauses(BackendSteps):
    """A call is one request, whatever becomes of it."""

    @clause("EMBED-ONCE-01", since="1.0", hook=("play", "requests"))
    async def a_call_is_one_request(self, client: EmbeddingClient) -> None:
        for count, way in enumerate(ways(client), start=1):
            await way()

            assert await self.requests() == count

    @clause("EMBED-ONCE-02", since="1.0", hook=("play", "requests"))
    async def a_failed_call_is_one_request(self, client: EmbeddingClient) -> None:
        for failure in (failing(429, retry_after=0.0), failing(400), failing(503), CUT):
            await self.play([failure])
            for way in ways(client):
                before = await self.requests()
                await failed(way)

                assert await self.requests() == before + 1

    @clause("EMBED-ONCE-03", since="1.0", hook="requests")
    async def no_texts_are_no_request(self, client: EmbeddingClient) -> None:
        await client.embed([])

        assert await self.requests() == 0


class EmbeddingErrorClauses(BackendSteps):
    """A backend's failure is a `ProviderError`, which says whether trying again may help."""

    @clause("EMBED-ERROR-01", since="1.0", hook="play")
    async def what_may_pass_is_transient(self, client: EmbeddingClient) -> None:
        for status in TRANSIENT:
            await self.play([failing(status)])
            for way in ways(client):
                error = await failed(way)

                assert (error.error_class, error.status) == (ErrorClass.TRANSIENT, status)

    @clause("EMBED-ERROR-02", since="1.0", hook="play")
    async def what_will_not_pass_is_permanent(self, client: EmbeddingClient) -> None:
        for status in PERMANENT:
            await self.play([failing(status, message="the timeout of 503 s is overloaded")])
            for way in ways(client):
                error = await failed(way)

                assert (error.error_class, error.status) == (ErrorClass.PERMANENT, status)

    @clause("EMBED-ERROR-03", since="1.0", hook="play")
    async def a_refused_credential_is_told_apart(self, client: EmbeddingClient) -> None:
        await self.play([failing(401)])
        for way in ways(client):
            assert isinstance(await failed(way), ProviderAuthError)

    @clause("EMBED-ERROR-04", since="1.0", hook="play")
    async def when_to_come_back_is_told(self, client: EmbeddingClient) -> None:
        await self.play([failing(429, retry_after=7.0)])
        for way in ways(client):
            assert (await failed(way)).retry_after == 7.0

    @clause("EMBED-ERROR-05", since="1.0", hook="play")
    async def an_answer_that_breaks_off_is_raised(self, client: EmbeddingClient) -> None:
        for then in ("reset", "close"):
            await self.play([Cut(turn=Turn("hello"), after=20, then=then)])
            for way in ways(client):
                await failed(way)

    @clause("EMBED-ERROR-06", since="1.0", hook="play")
    async def a_failure_leaves_it_usable(self, client: EmbeddingClient) -> None:
        for failure in (failing(500), failing(401), CUT):
            await self.play([failure])
            for way in ways(client):
                await failed(way)
            await self.play([Turn("well again")])

            assert len((await client.embed(TEXTS)).embeddings) == 2

    @clause("EMBED-ERROR-07", since="1.0", hook="play")
    async def an_error_goes_through_a_pickle(self, client: EmbeddingClient) -> None:
        for failure in (failing(500, retry_after=1.0), failing(401), CUT):
            await self.play([failure])
            error = await failed(ways(client)[0])
            copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - made in the line above

            assert (type(copy), copy.args) == (type(error), error.args)

    @clause("EMBED-ERROR-08", since="1.0", hook=("play", "secret"))
    async def no_error_tells_the_credential(self, client: EmbeddingClient) -> None:
        echo = failing(401, message=f"there is no key {self.secret()} here")
        for failure in (failing(400), failing(503), CUT, echo):
            await self.play([failure])
            for way in ways(client):
                told = "".join([repr(client), *everything_told_by(await failed(way))])

                assert self.secret() not in told


class EmbeddingFaultClauses(BackendSteps):
    """A cut is told and forgiven; a cancelled call is over, and harms no other."""

    @clause("EMBED-FAULT-01", since="1.0", hook="break_connection")
    async def an_unreachable_backend_is_told(self, client: EmbeddingClient) -> None:
        await self.break_connection()

        for way in ways(client):
            assert (await failed(way)).error_class is ErrorClass.TRANSIENT

    @clause("EMBED-FAULT-02", since="1.0", hook="break_connection")
    async def it_works_again_once_the_backend_is_back(self, client: EmbeddingClient) -> None:
        await client.embed(TEXTS)
        await self.break_connection()
        await failed(ways(client)[0])
        await self.restore()

        assert len((await client.embed(TEXTS)).embeddings) == 2

    @clause("EMBED-CANCEL-01", since="1.0")
    async def a_call_cancelled_anywhere_leaves_it_usable(self, client: EmbeddingClient) -> None:
        async for nth in cut_at_every_await(lambda: client.embed(TEXTS)):
            assert len((await client.embed(TEXTS)).embeddings) == 2, nth

    @clause("EMBED-CANCEL-02", since="1.0")
    async def a_thousand_cancelled_calls_leave_it_usable(self, client: EmbeddingClient) -> None:
        for _ in range(CROWD // WAVE):
            tasks = [asyncio.ensure_future(client.embed(TEXTS)) for _ in range(WAVE)]
            await asyncio.sleep(0)
            _ = [task.cancel() for task in tasks]
            await asyncio.wait(tasks)

        assert len((await client.embed(TEXTS)).embeddings) == 2

    @clause("EMBED-CANCEL-03", since="1.0", hook=("play", "requests", "unfinished"))
    async def cancelling_a_call_stops_the_answer(self, client: EmbeddingClient) -> None:
        await self.play([Cut(turn=HANGING.turn, after=10, then="hang")])
        task = asyncio.ensure_future(client.embed(TEXTS))
        await self.asked()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert await self.unfinished() == 0
