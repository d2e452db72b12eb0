"""Watch a run in the terminal: many updates as few lines, and every error and result at once.

The work reads a folder of logs, all files at the same time, and tells of every line it has read,
of the first error in each file aloud. What it tells passes a stack of observers: hooks that
collect the errors, a rollup that makes one summary of sixty updates, and a queue from which the
view reads at its own pace.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from agentkit.core.contracts.observation import Observation
from agentkit.core.runtime import RunContext, Services
from agentkit.integrations.observers import Hooks, QueueObserver, RollupObserver

SAMPLE = Path(__file__).parent / "data" / "logs"
MARKS = {"summary": "…", "error": "!", "result": "="}


def main(argv: list[str] | None = None) -> int:
    """Run the example and give its exit status."""
    options = _options(argv)
    files = sorted(options.folder.glob("*.log"))
    if not files:
        print(f"error: there are no logs in {options.folder}", file=sys.stderr)
        return 1
    asyncio.run(watch(files, every=options.every))
    return 0


async def watch(files: list[Path], *, every: int) -> None:
    """Read *files* and show what is told meanwhile, a summary for *every* updates."""
    queue = QueueObserver()
    errors: list[Observation] = []
    observer = Hooks(RollupObserver(queue, every=every)).on("error", errors.append)
    ctx = RunContext("reading", services=Services(observer=observer))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_show(queue))
        await _read_all(files, ctx)
        await observer.close()  # the rest of the updates, and the end of the view
    print(f"{len(errors)} files have errors; {queue.dropped} updates were dropped")


async def _show(queue: QueueObserver) -> None:
    async for obs in queue.stream():
        print(f"{obs.seq:5} {MARKS.get(obs.kind, ' ')} {obs.render}")


async def _read_all(files: list[Path], ctx: RunContext) -> None:
    texts = {path.name: await asyncio.to_thread(path.read_text, "utf-8") for path in files}
    logs = {name: text.splitlines() for name, text in texts.items()}
    async with asyncio.TaskGroup() as tasks:
        for name, lines in logs.items():
            tasks.create_task(_read(name, lines, ctx))
    await ctx.emit("result", f"{sum(map(len, logs.values()))} lines in {len(logs)} files")


async def _read(name: str, lines: list[str], ctx: RunContext) -> None:
    first = next((number for number, line in enumerate(lines) if " ERROR " in line), None)
    for number, line in enumerate(lines):
        if number == first:
            await ctx.emit("error", f"{name}:{number + 1}: {line}", agent=name)
        else:
            await ctx.emit("progress", f"{name}:{number + 1}", agent=name)
        await asyncio.sleep(0)  # let the others, and the view, have their turn


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=SAMPLE, help="of *.log files")
    parser.add_argument("--every", type=int, default=60, help="updates in a summary (default: 60)")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
