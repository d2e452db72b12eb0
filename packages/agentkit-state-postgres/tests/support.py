"""A look into the tables, past the adapters."""

import asyncio
from typing import Any

import asyncpg  # type: ignore[import-untyped,unused-ignore]

from agentkit.testing.servers import Server

ASYNCPG: Any = asyncpg  # it has no types


def rows(server: Server, sql: str) -> list[tuple[Any, ...]]:
    """Give what *server* answers to *sql*."""

    async def run() -> list[tuple[Any, ...]]:
        connection = await ASYNCPG.connect(server.url)
        found = await connection.fetch(sql)
        await connection.close()
        return [tuple(row) for row in found]

    return asyncio.run(run())
