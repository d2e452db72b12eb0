"""One of the processes that call one store at once: it prints what each call gave, and when.

It is told what to do as JSON, the arguments of `main`. All processes of a machine have one clock.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from psycopg_pool import AsyncConnectionPool

from agentkit.core.contracts.ports import StorePort
from agentkit.state.postgres import PostgresStore
from agentkit.state.redis import RedisStore

HISTORIES = 6
CALLS = 6
PATIENCE = 90.0
"""Seconds after which another process is taken for dead."""

Plan = list[tuple[str, list[Any]]]
Gate = Callable[[str], Awaitable[None]]


@asynccontextmanager
async def by_psycopg(url: str) -> AsyncGenerator[PostgresStore]:
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(url, open=False)
    async with pool, PostgresStore.open(pool=pool, timeout=60) as store:
        yield store


OPENINGS: dict[str, Any] = {
    "asyncpg": partial(PostgresStore.open, timeout=60),
    "psycopg": by_psycopg,
    "redis": RedisStore.open,
}


class Racing:
    """A store that reads in one round trip and writes in another, as the kit's mutants do.

    Every process has read, by *gate*, before any of them writes.
    """

    def __init__(self, store: StorePort, gate: Gate) -> None:
        self.get, self.set, self.gate = store.get, store.set, gate

    async def compare_and_set(self, key: str, expected: Any, value: Any) -> bool:
        if await self.get(key) != expected:
            return False
        await self.gate(f"{key}/read")
        await self.set(key, value)
        return True

    async def increment(self, key: str, by: int) -> int:
        total: int = (await self.get(key) or 0) + by
        await self.gate(f"{key}/read")
        await self.set(key, total)
        return total

    async def append(self, key: str, value: Any) -> None:
        entries = await self.list(key)
        await self.gate(f"{key}/read")
        await self.set(key, [*entries, value])

    async def list(self, key: str) -> list[Any]:
        return await self.get(key) or []


def swapping(dice: random.Random, me: int) -> Plan:
    kinds: list[tuple[str, list[Any]]] = [
        ("get", []),
        ("set", [me]),
        *[("compare_and_set", [expected, me]) for expected in (None, 0, 1, 2, 3)],
    ]
    return [("compare_and_set", [None, me]), *dice.choices(kinds, k=CALLS - 1)]


def counting(dice: random.Random, _: int) -> Plan:
    return [(verb, [dice.choice((1, 2, -1))] if verb == "increment" else []) for verb in _MOSTLY]


def logging(_: random.Random, me: int) -> Plan:
    return [("append", [[me, n]]) if n % 2 == 0 else ("list", []) for n in range(CALLS)]


_MOSTLY = ("increment", "get", "increment", "increment", "increment", "get")
PLANS = {"compare_and_set": swapping, "increment": counting, "append": logging}


async def main(*, how: str, url: str, space: str, me: int, processes: int) -> None:
    async with asyncio.timeout(PATIENCE), OPENINGS[how](url) as store:

        async def gate(name: str) -> None:
            """Wait until every process has come here."""
            total = await store.increment(f"{space}/gate/{name}")
            while total < processes:
                await asyncio.sleep(0.001)
                total = await store.get(f"{space}/gate/{name}")

        racing, told = Racing(store, gate), dict[str, list[Any]]()
        for verb, plan in PLANS.items():
            plans = [plan(random.Random(f"{n}/{me}"), me) for n in range(HISTORIES)]  # noqa: S311 - the same every time
            key = f"{space}/{verb}"
            told[verb] = [
                await history(store, f"{key}/{n}", each, gate=gate) for n, each in enumerate(plans)
            ]
            # One change each: who is refused a second would leave the others waiting for it.
            first = plans[0][:1]
            told[f"racing {verb}"] = [await history(racing, f"{key}/racing", first, gate=gate)]
        sys.stdout.write(json.dumps(told))


async def history(store: Any, key: str, plan: Plan, *, gate: Gate) -> list[Any]:
    """Make the calls of *plan* when every process is there, and a look when all have made theirs.

    Gives of each: verb, arguments, result, and when it began and ended.
    """
    made: list[Any] = []
    look = "list" if plan[0][0] == "append" else "get"
    await gate(f"{key}/begin")
    for verb, args in [*plan, ("gate", []), (look, [])]:
        if verb == "gate":
            await gate(f"{key}/end")
            continue
        begun = time.monotonic_ns()
        result = await getattr(store, verb)(key, *args)
        made.append([verb, args, result, begun, time.monotonic_ns()])
    return made


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
