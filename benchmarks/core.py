"""How core compares with the floor and with a peer: `python benchmarks/core.py [ROUNDS]`.

Figures differ from machine to machine; the ratios are what stays. Nothing is asserted: a figure
that is over its aim says so.
"""

import asyncio
import sys

import chats
import streams
import values
from measuring import compare, table

__all__ = ["main"]


def main(rounds: int) -> None:
    """Print the table."""
    print(f"medians of {rounds} interleaved rounds, Python {sys.version.split()[0]}\n")
    print(table(asyncio.run(_measured(rounds))))


async def _measured(rounds: int) -> list[str]:
    quick = [*chats.calls(), *streams.middlewares(), *streams.interruption(), *values.values()]
    slow = [*chats.memory(), *values.imports()]
    return [*await compare(quick, rounds), *await compare(slow, max(5, rounds // 3))]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
