"""Connections of our own are lent so that nobody waits for another's cancelled statement."""

import asyncio

from agentkit.state.postgres._connections import Connections
from agentkit.testing.servers import Server


def test_a_connection_at_its_goodbye_to_a_cancelled_statement_is_lent_last(
    postgres_server: Server,
) -> None:
    async def run() -> bool:
        lent = Connections(postgres_server.url)
        other, busy = [await lent.acquire(timeout=10) for _ in range(2)]
        call = asyncio.create_task(busy.execute("SELECT pg_sleep(60)"))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])
        for connection in (other, busy):
            await lent.release(connection, timeout=0)
        next_lent = await lent.acquire(timeout=10)
        await lent.close()
        await next_lent.close()
        return next_lent is other

    assert asyncio.run(run())
