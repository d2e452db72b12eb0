"""The versions of runs, numbered and fenced: logic over a `CheckpointPort`."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentkit.core.contracts.observation import TracePort
from agentkit.core.contracts.ports import Checkpoint, CheckpointPort, CheckpointStatus, ClockPort
from agentkit.core.runtime._clock import SystemClock
from agentkit.core.telemetry import NoopTrace, span_around

__all__ = ["Checkpointer"]

_WRITER = "writer"


class Checkpointer:
    """Saves the state of runs as version after version.

    It reads the latest version of a run once, then counts by itself and lets the store decide: each
    carries this writer's random id, so of two workers on one run the second to save a version gets
    `CheckpointConflict` and stops. It belongs to one event loop, like the run that uses it.
    """

    def __init__(self, port: CheckpointPort, clock: ClockPort | None = None) -> None:
        self.port = port
        self._clock = clock or SystemClock()
        self._writer = os.urandom(16).hex()
        self._versions: dict[str, int] = {}
        self._unsure: set[str] = set()
        self._locks: dict[str, asyncio.Lock] = {}

    @classmethod
    def over(
        cls, given: "Checkpointer | CheckpointPort | None", clock: ClockPort | None = None
    ) -> "Checkpointer | None":
        """Give the checkpointer that *given* is, or one over it where it is a store."""
        if given is None or isinstance(given, Checkpointer):
            return given
        return cls(given, clock)

    async def snapshot(
        self,
        run_id: str,
        state: Mapping[str, Any],
        *,
        status: CheckpointStatus = CheckpointStatus.RUNNING,
        metadata: Mapping[str, Any] | None = None,
        ctx: Any = None,
    ) -> Checkpoint:
        """Save *state* as the next version of *run_id* and give what was saved.

        Raises:
            CheckpointConflict: Another writer has saved this version first; until `resume` reads
                where the run stands, every further snapshot conflicts as well.
            CheckpointerError: The store failed; a snapshot after it finds out whether it wrote.
            StoreValueError: *state* or *metadata* is not JSON.

        """
        trace: TracePort = NoopTrace() if ctx is None else ctx.trace
        async with self._locks.setdefault(run_id, asyncio.Lock()):
            checkpoint = Checkpoint(
                run_id,
                await self._next_version(run_id),
                dict(state),
                self._clock.now(),
                status,
                {**(metadata or {}), _WRITER: self._writer},
            )
            async with span_around(
                trace, "checkpointer.snapshot", "internal", run_id=run_id, status=str(status)
            ):
                await self._save(checkpoint)
        return _without_writer(checkpoint)

    async def resume(self, run_id: str, *, include_terminal: bool = False) -> Checkpoint | None:
        """Give where *run_id* stands, or None when there is nothing to go on from.

        A run that is over is given only with *include_terminal*.

        Raises:
            CheckpointerError: The store failed.

        """
        latest = await self.port.latest(run_id)
        self._versions[run_id] = latest.version if latest else 0
        self._unsure.discard(run_id)
        if latest is None or (latest.status.is_terminal() and not include_terminal):
            return None
        return _without_writer(latest)

    async def at_version(self, run_id: str, version: int) -> Checkpoint | None:
        """Give this *version* of *run_id*, or None."""
        found = await self.port.at_version(run_id, version)
        return found and _without_writer(found)

    async def list_versions(self, run_id: str) -> list[int]:
        """Give the versions of *run_id* in ascending order."""
        return await self.port.list_versions(run_id)

    async def delete(self, run_id: str) -> None:
        """Remove every version of *run_id*."""
        await self.port.delete(run_id)
        self._versions.pop(run_id, None)
        self._locks.pop(run_id, None)
        self._unsure.discard(run_id)

    async def _next_version(self, run_id: str) -> int:
        known = self._versions.get(run_id)
        if known is None or run_id in self._unsure:
            latest = await self.port.latest(run_id)
            # Of a version that appeared since, only our own counts: another's is a conflict to
            # meet.
            if known is None or (latest and latest.metadata.get(_WRITER) == self._writer):
                known = latest.version if latest else 0
            self._versions[run_id] = known
            self._unsure.discard(run_id)
        return known + 1

    async def _save(self, checkpoint: Checkpoint) -> None:
        # A save that fails or is cancelled may have been written all the same.
        self._unsure.add(checkpoint.run_id)
        await self.port.save(checkpoint)
        self._unsure.discard(checkpoint.run_id)
        self._versions[checkpoint.run_id] = checkpoint.version


def _without_writer(checkpoint: Checkpoint) -> Checkpoint:
    metadata = {name: value for name, value in checkpoint.metadata.items() if name != _WRITER}
    return replace(checkpoint, metadata=metadata)
