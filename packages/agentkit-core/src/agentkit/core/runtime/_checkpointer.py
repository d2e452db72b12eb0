"""The versions of runs, numbered and fenced: logic over a `CheckpointPort`."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from agentkit.core.contracts._checks import shown
from agentkit.core.contracts.observation import TracePort
from agentkit.core.contracts.ports import Checkpoint, CheckpointPort, CheckpointStatus, ClockPort
from agentkit.core.contracts.store_rules import check_key
from agentkit.core.runtime._checks import check_has
from agentkit.core.runtime._clock import SystemClock
from agentkit.core.telemetry import NoopTrace, span_around

__all__ = ["Checkpointer"]

_WRITER = "writer"


class Checkpointer:
    """Saves the state of runs as version after version.

    It reads the latest version of a run once, then counts by itself and lets the store decide: each
    carries this writer's random id, so of two workers on one run the second to save a version gets
    `CheckpointConflict` and stops. A run is saved from one event loop at a time.

    Raises:
        TypeError: *port* is no `CheckpointPort`, or *clock* no `ClockPort`.

    """

    def __init__(self, port: CheckpointPort, clock: ClockPort | None = None) -> None:
        check_has("a checkpointer's port", port, "save", "latest")
        if clock is not None:
            check_has("a checkpointer's clock", clock, "now")
        self.port = port
        self._clock = clock or SystemClock()
        self._writer = os.urandom(16).hex()
        self._versions: dict[str, int] = {}
        self._unsure: set[str] = set()
        self._locks: dict[str, _Lock] = {}

    @classmethod
    def over(
        cls, given: "Checkpointer | CheckpointPort | None", clock: ClockPort | None = None
    ) -> "Checkpointer | None":
        """Give the checkpointer that *given* is, or one over it where it is a store."""
        if given is None or isinstance(given, Checkpointer):
            return given
        return cls(given, clock)

    def fork(self) -> "Checkpointer":
        """Give a checkpointer over the same store that is a writer of its own.

        Whoever drives a run takes one and saves with it before anything else happens: then two that
        drive one run fence each other, also where they share this object.
        """
        return Checkpointer(self.port, self._clock)

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
            StoreValueError: *run_id* is no key, or *state* or *metadata* is not JSON.
            TypeError: *state* or *metadata* is no dict, or *status* no `CheckpointStatus`.
            RuntimeError: The run is just being saved from another event loop.

        """
        check_key(run_id)
        _check_parts(state, metadata, status)
        trace: TracePort = NoopTrace() if ctx is None else ctx.trace
        async with self._lock(run_id):
            checkpoint = Checkpoint(
                run_id,
                await self._next_version(run_id),
                dict(state),
                self._clock.now(),
                status,
                {**(metadata or {}), _WRITER: self._writer},
            )
            metrics = getattr(ctx, "metrics", None)
            attrs = {"run_id": run_id, "status": str(status)}
            async with span_around(
                trace, "checkpointer.snapshot", "internal", metrics=metrics, **attrs
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

    def _lock(self, run_id: str) -> asyncio.Lock:
        """Give the lock that keeps the versions of *run_id* in order."""
        loop = asyncio.get_running_loop()
        held = self._locks.get(run_id)
        if held is not None and held.loop is not loop:
            if held.lock.locked() and not held.loop.is_closed():
                raise RuntimeError(
                    f"run {run_id!r} is just being saved from another event loop: drive a run in "
                    "one loop, or give each loop a context of its own"
                )
            held = None  # that loop is done with it
        if held is None:
            held = self._locks[run_id] = _Lock(loop, asyncio.Lock())
        return held.lock

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


class _Lock(NamedTuple):
    """A lock, and the loop that it belongs to."""

    loop: asyncio.AbstractEventLoop
    lock: asyncio.Lock


def _check_parts(state: object, metadata: object, status: object) -> None:
    if not isinstance(state, Mapping):
        raise TypeError(f"a run's state is a dict; got {shown(state)}")
    if not isinstance(metadata, Mapping | None):
        raise TypeError(f"a checkpoint's metadata is a dict; got {shown(metadata)}")
    if not isinstance(status, CheckpointStatus):
        raise TypeError(f"a checkpoint's status is a CheckpointStatus; got {shown(status)}")


def _without_writer(checkpoint: Checkpoint) -> Checkpoint:
    metadata = {name: value for name, value in checkpoint.metadata.items() if name != _WRITER}
    return replace(checkpoint, metadata=metadata)
