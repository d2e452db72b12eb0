"""An observer whose observations a test can look at."""

from agentkit.core.contracts.observation import Observation

__all__ = ["RecordingObserver"]


class RecordingObserver:
    """An `ObserverPort` that keeps every observation in `items`; `closed` tells of `close`."""

    def __init__(self) -> None:
        self.items: list[Observation] = []
        self.closed: bool = False

    async def emit(self, obs: Observation) -> None:
        """Keep *obs*."""
        self.items.append(obs)

    async def close(self) -> None:
        """Remember it."""
        self.closed = True
