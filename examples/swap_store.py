"""Draw tickets from a store that is named by its URL: swapping it changes one setting.

python swap_store.py                      each kind of store in turn
python swap_store.py sqlite:tickets.db    run it twice: the second run goes on counting
"""

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from agentkit.core.contracts.errors import AgentkitError
from agentkit.core.contracts.ports import StorePort
from agentkit.state.stores import open_store

GUESTS = ("Ada", "Grace", "Barbara")


def main(argv: list[str]) -> int:
    """Run the example and give its exit status."""
    with TemporaryDirectory() as folder:
        for url in argv or _one_of_each(folder):
            try:
                asyncio.run(draw(url))
            except AgentkitError as exc:
                print(f"error: {exc}", file=sys.stderr)
                return 1
    return 0


async def draw(url: str) -> None:
    """Let every guest draw a ticket from the store at *url*, all at once, and show the log."""
    async with open_store(url) as store, asyncio.TaskGroup() as tasks:
        print(url.partition(":")[0])
        for guest in GUESTS:
            tasks.create_task(_draw_one(store, guest))
    async with open_store(url) as store:
        print(f"  kept for the next time: {len(await store.list('drawn'))}")


async def _draw_one(store: StorePort, guest: str) -> None:
    number = await store.increment("tickets")
    price = await store.get_or_set("price", _negotiate)  # once, however many ask at once
    await store.append("drawn", {"guest": guest, "number": number})
    print(f"  {guest} has ticket {number}, for {price} euros")


async def _negotiate() -> int:
    print("  (the price is agreed on)")
    return 12


def _one_of_each(folder: str) -> list[str]:
    here = Path(folder).as_uri().removeprefix("file:")
    return ["memory:", f"file:{here}/tickets", f"sqlite:{here}/tickets.db"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
