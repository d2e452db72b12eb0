"""The sink that keeps everything."""

from agentkit.core.contracts.observation import Observation

__all__ = ["CollectingObserver"]


class CollectingObserver:
    """Keeps every observation in `items`, without bound: for tests and small programs."""

    def __init__(self) -> None:
        self.items: list[Observation] = []

    async def emit(self, obs: Observation) -> None:
        """Keep *obs*."""
        self.items.append(obs)

    async def close(self) -> None:
        """Do nothing: nothing is buffered."""
