"""How stores on servers compare with the raw driver: `python benchmarks/servers.py [ROUNDS]`.

The servers are those of `agentkit-testing[servers]`. Figures differ from machine to machine; the
ratios are what stays.
"""

import asyncio
import sys
from contextlib import AsyncExitStack

from measuring import compare, table
from servers_postgres import filtered_search, postgres_ratios
from servers_redis import ratios, scan_of_many


def main(rounds: int) -> None:
    """Print the table, and what a scan of many keys costs."""
    print(f"medians of {rounds} interleaved rounds, Python {sys.version.split()[0]}\n")
    print(table(asyncio.run(_measured(rounds))), "", *asyncio.run(scan_of_many()), sep="\n")
    print(*asyncio.run(filtered_search()), sep="\n")


async def _measured(rounds: int) -> list[str]:
    async with AsyncExitStack() as stack:
        rows = [*await ratios(stack), *await postgres_ratios(stack)]
        return await compare(rows, rounds)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
