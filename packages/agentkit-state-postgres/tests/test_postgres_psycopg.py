"""A store on a pool of psycopg is cancelled when it is asked to be, whatever its pool does."""

import asyncio
from typing import Any

import pytest
from psycopg_pool import AsyncConnectionPool

from agentkit.state.postgres import PostgresStore
from agentkit.testing.servers import Server


@pytest.mark.parametrize("turns", range(12))
def test_a_call_cancelled_as_it_is_lent_its_connection_is_cancelled(
    postgres_server: Server, turns: int
) -> None:
    async def run() -> tuple[bool, int]:
        pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
            postgres_server.url, open=False, min_size=1, max_size=1
        )
        async with pool, PostgresStore.open(pool=pool) as store:
            call = await waiting_for(pool, store)
            for _ in range(turns):
                await asyncio.sleep(0)
            is_late = call.done() or not call.cancel()
            await asyncio.wait([call])
            return is_late or call.cancelled(), await store.increment("count")

    was_cancelled, count = asyncio.run(run())
    assert was_cancelled
    assert count


async def waiting_for(pool: AsyncConnectionPool[Any], store: PostgresStore) -> asyncio.Task[Any]:
    """Give a call that waits for the only connection of *pool*, which now comes back."""
    connection = await pool.getconn()
    call = asyncio.create_task(store.get("k"))
    while not pool.get_stats().get("requests_waiting"):  # noqa: ASYNC110  # nothing else tells
        await asyncio.sleep(0)
    await pool.putconn(connection)
    return call
