"""Where a run is saved: its slot, and the one way in and out of it."""

import asyncio
from typing import Any

from agentkit.agents.cognition._state import LoopState
from agentkit.core.contracts.errors import CheckpointerError, RunUnfinished
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.core.runtime import Checkpointer

__all__ = ["RunRecord"]


class RunRecord:
    """The saved state of one run; without a checkpointer it saves nothing.

    It is a writer of its own, also beside others on one `Checkpointer`: of two that drive one run
    the second to save stops. So the first save comes before anything else is done.
    """

    def __init__(self, ctx: Any, checkpointer: Any = None) -> None:
        self._ctx = ctx
        shared = Checkpointer.over(ctx.checkpointer if checkpointer is None else checkpointer)
        self._checkpointer = None if shared is None else shared.fork()
        self._lock = asyncio.Lock()

    @property
    def slot(self) -> str:
        """The key it is filed under."""
        return str(getattr(self._ctx, "slot", self._ctx.correlation_id))

    @property
    def is_durable(self) -> bool:
        """Whether anything is saved."""
        return self._checkpointer is not None

    async def save(
        self, state: LoopState, status: CheckpointStatus = CheckpointStatus.RUNNING
    ) -> None:
        """Save *state* as it is now.

        Raises:
            CheckpointConflict: Another worker has the run.
            CheckpointerError: The store failed.

        """
        if self._checkpointer is None:
            return
        # Tool calls end at any moment: what is encoded under the lock is what is saved last.
        async with self._lock:
            await self._checkpointer.snapshot(
                self.slot, state.to_json(), status=status, ctx=self._ctx
            )

    async def refuse_unfinished(self) -> None:
        """Return if a new run may begin in the slot.

        Raises:
            RunUnfinished: The run in it is not over.

        """
        if self._checkpointer is None:
            return
        saved = await self._where_it_stands(self._checkpointer)
        if saved is not None and not saved.status.is_terminal():
            raise RunUnfinished(
                f"run {self.slot!r} is {saved.status} at version {saved.version}: "
                "resume it, or begin under another run id",
                run_id=self.slot,
                status=str(saved.status),
            )

    async def load(self, agent: str) -> tuple[LoopState, CheckpointStatus]:
        """Give the saved state of *agent*'s run and where it stands.

        Raises:
            CheckpointerError: No checkpointer is wired, or what it has cannot be read.
            ValueError: Nothing is saved in the slot, or another agent's run.

        """
        if self._checkpointer is None:
            raise CheckpointerError(f"run {self.slot!r} cannot be resumed without a checkpointer")
        saved = await self._where_it_stands(self._checkpointer)
        if saved is None:
            raise ValueError(f"there is nothing to resume: no run {self.slot!r} is saved")
        state = LoopState.from_json(saved.state)
        if state.agent != agent:
            raise ValueError(f"run {self.slot!r} is of agent {state.agent!r}, not of {agent!r}")
        return state, saved.status

    async def _where_it_stands(self, checkpointer: Checkpointer) -> Checkpoint | None:
        saved = await checkpointer.resume(self.slot, include_terminal=True)
        # Whoever begins at the same moment reads the same before one of the two saves: with a store
        # that never waits the second would else read the first's save, and take the run from it.
        await asyncio.sleep(0)
        return saved
