"""The sink between a run and a view that reads at its own pace."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from agentkit.core.contracts.observation import Observation
from agentkit.integrations.observers._wrapper import ALWAYS

__all__ = ["QueueObserver"]


class QueueObserver:
    """A queue that never makes the run wait: `emit` adds, `stream` takes, in order.

    It holds at most *maxsize* observations that may be lost; one more evicts the oldest of them,
    counted in `dropped`. A `result`, an `error` or an `interrupt` is never evicted and takes no
    room from the others. A queue is for one event loop.

    Raises:
        ValueError: *maxsize* is less than 1.

    """

    def __init__(self, maxsize: int = 256) -> None:
        if maxsize < 1:
            raise ValueError(f"maxsize is at least 1; got {maxsize}")
        self._others: deque[Observation] = deque(maxlen=maxsize)
        self._arrived = 0  # of the others
        self._taken = 0  # of the others
        self._always: deque[tuple[int, Observation]] = deque()  # with how many others came before
        self._waiting: list[asyncio.Future[None]] = []
        self._closed = False

    @property
    def dropped(self) -> int:
        """How many observations were evicted."""
        return self._arrived - self._taken - len(self._others)

    @property
    def pending(self) -> int:
        """How many observations wait to be taken."""
        return len(self._always) + len(self._others)

    async def emit(self, obs: Observation) -> None:
        """Add *obs*, without waiting for anything."""
        if obs.kind in ALWAYS:
            self._always.append((self._arrived, obs))
        else:
            self._arrived += 1
            self._others.append(obs)
        if self._waiting:
            self._wake()

    async def close(self) -> None:
        """Let `stream` end once it has given what is there."""
        self._closed = True
        self._wake()

    async def stream(self) -> AsyncIterator[Observation]:
        """Give observations as they come, until the queue is closed and empty.

        Each goes to one consumer only, where several take from one queue.
        """
        while True:
            while self.pending:
                yield self._next()
            if self._closed:
                return
            await self._more()

    def _next(self) -> Observation:
        oldest = self._arrived - len(self._others)  # how many others came before the oldest here
        if self._always and (not self._others or self._always[0][0] <= oldest):
            return self._always.popleft()[1]
        self._taken += 1
        return self._others.popleft()

    async def _more(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        await waiter

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if not waiter.done():  # a consumer that was cancelled
                waiter.set_result(None)
