"""Clauses: a vector index whose connection is cut, or whose calls are cancelled."""

import asyncio

import pytest

from agentkit.core.contracts.errors import StoreUnavailable
from agentkit.core.contracts.ports import VectorPort
from agentkit.testing.suites._clause import clause
from agentkit.testing.suites._steps import cut_at_every_await
from agentkit.testing.suites._store_faults import CROWD
from agentkit.testing.suites._vector_finding import VectorSteps, chunks, ids

__all__ = ["VectorFaultClauses"]


class VectorFaultClauses(VectorSteps):
    """A cut is told and forgiven; a cancelled call is whole or absent, and harms no other."""

    @clause("VECTOR-FAULT-01", since="1.0", hook="break_connection")
    async def an_unreachable_backend_is_told(self, index: VectorPort) -> None:
        await self.break_connection()

        with pytest.raises(StoreUnavailable):
            await index.upsert(self.scope, chunks("red"))
        with pytest.raises(StoreUnavailable):
            await index.search(self.scope, "red")

    @clause("VECTOR-FAULT-02", since="1.0", hook="break_connection")
    async def it_works_again_once_the_backend_is_back(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red"))
        await self.break_connection()
        with pytest.raises(StoreUnavailable):
            await index.upsert(self.scope, chunks("red", "red"))
        await self.restore()

        assert ids(await index.search(self.scope, "red")) == ["c0"]

    @clause("VECTOR-CANCEL-01", since="1.0")
    async def a_cancelled_upsert_is_whole_or_absent(self, index: VectorPort) -> None:
        old, new = chunks(*["red"] * 5, v=1), chunks(*["red"] * 5, v=2)
        await index.upsert(self.scope, old)
        async for nth in cut_at_every_await(lambda: index.upsert(self.scope, new)):
            found = await index.search(self.scope, "red", 9)
            assert [c.metadata["v"] for _, c in found] in ([1] * 5, [2] * 5), nth
            await index.upsert(self.scope, old)

    @clause("VECTOR-CANCEL-02", since="1.0")
    async def a_thousand_cancelled_searches_leave_the_index_usable(self, index: VectorPort) -> None:
        await index.upsert(self.scope, chunks("red"))
        tasks = [asyncio.ensure_future(index.search(self.scope, "red")) for _ in range(CROWD)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

        assert ids(await index.search(self.scope, "red")) == ["c0"]

    @clause("VECTOR-CANCEL-03", since="1.0")
    async def after_cancelled_searches_nobody_gets_anothers_reply(self, index: VectorPort) -> None:
        words = [f"word{n}" for n in range(20)]
        await index.upsert(self.scope, chunks(*words))
        tasks = [asyncio.ensure_future(index.search(self.scope, word, 1)) for word in words]
        await asyncio.sleep(0)
        _ = [task.cancel() for task in tasks[::2]]

        found = [await task for task in tasks[1::2]]
        assert [each[0][1].text for each in found] == words[1::2]
