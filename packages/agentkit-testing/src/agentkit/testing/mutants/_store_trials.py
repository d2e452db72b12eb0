"""The trials of stores and checkpoint stores, over a backend in this process."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._reference import (
    IgnoringStore,
    LackingStore,
    ReferenceCheckpoints,
    ReferenceStore,
)
from agentkit.testing.mutants._trial import Trial, tries
from agentkit.testing.suites import CheckpointSuite, Feature, Opener, StoreSuite

__all__ = ["BackendTrial"]


class BackendTrial(Trial):
    """The hooks, over a backend in this process."""

    def prepare(self) -> None:
        """Start a backend."""
        self.server = Backend()

    async def advance(self, seconds: float) -> None:
        """Turn the backend's clock."""
        self.server.now += seconds

    def other_namespace(self) -> Opener:
        """Give the adapter on the same backend under another name."""
        return self.opener("other")

    async def break_connection(self) -> None:
        """Pull the cable."""
        self.server.is_up = False

    async def restore(self) -> None:
        """Plug it in again."""
        self.server.is_up = True

    def opener(self, namespace: str = "one") -> Opener:
        """Give what opens one more instance on the backend."""

        @asynccontextmanager
        async def opened() -> AsyncGenerator[Any]:
            adapter: Any = self.kind(self.server, namespace)
            try:
                yield adapter
            finally:
                await adapter.close()

        return opened


@tries(ReferenceStore)
class _StoreTrial(BackendTrial, StoreSuite): ...


@tries(LackingStore)
class _LackingTrial(BackendTrial, StoreSuite, lacks={Feature.TTL}): ...


@tries(IgnoringStore)
class _IgnoringTrial(BackendTrial, StoreSuite, ignores={Feature.TTL}): ...


@tries(ReferenceCheckpoints)
class _CheckpointTrial(BackendTrial, CheckpointSuite): ...
