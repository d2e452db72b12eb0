"""The doubles of core.testing keep their ports."""

from contextlib import nullcontext

import pytest

from agentkit.core.testing import FakeClock, JsonStore, MemoryCheckpoints
from agentkit.testing import CheckpointSuite, StoreSuite


class TestJsonStore(StoreSuite):
    @pytest.fixture
    def adapter(self) -> object:
        self.clock = FakeClock()
        store = JsonStore(clock=self.clock)
        return lambda: nullcontext(store)

    async def advance(self, seconds: float) -> None:
        await self.clock.sleep(seconds)


class TestMemoryCheckpoints(CheckpointSuite):
    @pytest.fixture
    def adapter(self) -> object:
        store = MemoryCheckpoints()
        return lambda: nullcontext(store)
