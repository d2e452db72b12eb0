"""Connections of our own are lent so that nobody is struck by another's cancelled statement."""

import asyncio
from typing import Any

from agentkit.state.postgres._connections import Connections
from agentkit.testing.servers import Server


async def cancelled(connection: Any) -> None:
    """Begin a statement on *connection* and cancel it; the server is told in the background."""
    call = asyncio.create_task(connection.execute("SELECT pg_sleep(1)"))
    await asyncio.sleep(0)
    call.cancel()
    await asyncio.wait([call])


def test_a_connection_at_its_goodbye_to_a_cancelled_statement_is_lent_last(
    postgres_server: Server,
) -> None:
    async def run() -> bool:
        lent = Connections(postgres_server.url)
        other, busy = [await lent.acquire(timeout=10) for _ in range(2)]
        await cancelled(busy)
        for connection in (other, busy):
            await lent.release(connection, timeout=0)
        next_lent = await lent.acquire(timeout=10)
        await lent.close()
        await next_lent.close()
        return next_lent is other

    assert asyncio.run(run())


def test_a_connection_that_ends_at_its_goodbye_is_lent_to_nobody(postgres_server: Server) -> None:
    async def run() -> tuple[bool, int]:
        lent = Connections(postgres_server.url)
        busy = await lent.acquire(timeout=10)
        await cancelled(busy)
        await lent.release(busy, timeout=0)
        next_lent = asyncio.create_task(lent.acquire(timeout=10))
        await asyncio.sleep(0)
        busy.terminate()
        other = await next_lent
        answer = await other.fetchval("SELECT 1")
        await other.close()
        return other is busy, answer

    assert asyncio.run(run()) == (False, 1)


def test_who_is_cancelled_while_a_connection_settles_takes_none_away(
    postgres_server: Server,
) -> None:
    async def run() -> bool:
        lent = Connections(postgres_server.url)
        busy = await lent.acquire(timeout=10)
        await cancelled(busy)
        await lent.release(busy, timeout=0)
        await cancelled_waiter(lent)
        again = await lent.acquire(timeout=10)
        await again.close()
        return again is busy

    assert asyncio.run(run())


async def cancelled_waiter(lent: Connections) -> None:
    waiter = asyncio.create_task(lent.acquire(timeout=10))
    await asyncio.sleep(0)
    waiter.cancel()
    await asyncio.wait([waiter])
