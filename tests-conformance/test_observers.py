"""Every observer that ships keeps ObserverPort."""

from contextlib import nullcontext

import pytest

from agentkit.core.contracts.observation import Observation, ObserverPort
from agentkit.core.telemetry import NoopObserver
from agentkit.core.testing import RecordingObserver
from agentkit.integrations.observers import (
    CollectingObserver,
    Hooks,
    PolicyObserver,
    QueueObserver,
    RollupObserver,
)
from agentkit.testing import ObserverSuite, Opener


class Sink(CollectingObserver):
    """A sink that can be broken."""

    is_up = True

    async def emit(self, obs: Observation) -> None:
        self._check()
        await super().emit(obs)

    async def close(self) -> None:
        self._check()

    def _check(self) -> None:
        if not self.is_up:
            raise ConnectionResetError("the sink is gone")


class WrapperSuite(ObserverSuite):
    """The hooks of an observer that stands before another."""

    @pytest.fixture
    def adapter(self) -> Opener:
        self.sink = Sink()
        observer = self.wrap(self.sink)
        return lambda: nullcontext(observer)

    def wrap(self, sink: ObserverPort) -> ObserverPort:
        raise NotImplementedError

    async def received(self) -> list[Observation]:
        return self.sink.items

    async def break_connection(self) -> None:
        self.sink.is_up = False

    async def restore(self) -> None:
        self.sink.is_up = True


class TestCollectingObserver(ObserverSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.observer = CollectingObserver()
        return lambda: nullcontext(self.observer)

    async def received(self) -> list[Observation]:
        return self.observer.items


class TestRecordingObserver(ObserverSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.observer = RecordingObserver()
        return lambda: nullcontext(self.observer)

    async def received(self) -> list[Observation]:
        return self.observer.items


class TestNoopObserver(ObserverSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        return lambda: nullcontext(NoopObserver())


class TestQueueObserver(ObserverSuite):
    @pytest.fixture
    def adapter(self) -> Opener:
        self.observer = QueueObserver()
        self.taken: list[Observation] = []
        return lambda: nullcontext(self.observer)

    async def received(self) -> list[Observation]:
        stream = self.observer.stream()
        self.taken += [await anext(stream) for _ in range(self.observer.pending)]
        return self.taken


class TestPolicyObserver(WrapperSuite):
    def wrap(self, sink: ObserverPort) -> ObserverPort:
        return PolicyObserver.everything(sink)


class TestPolicyObserverOfSummaries(WrapperSuite):
    def wrap(self, sink: ObserverPort) -> ObserverPort:
        return PolicyObserver.summaries(sink)


class TestPolicyObserverOfResults(
    WrapperSuite,
    deviates={"OBSERVER-CLOSE-02": "it is there to leave updates out"},
):
    def wrap(self, sink: ObserverPort) -> ObserverPort:
        return PolicyObserver.result_only(sink)


class TestRollupObserver(WrapperSuite):
    def wrap(self, sink: ObserverPort) -> ObserverPort:
        return RollupObserver(sink)


class TestHooks(WrapperSuite):
    def wrap(self, sink: ObserverPort) -> ObserverPort:
        return Hooks(sink).on("*", lambda _: 1 / 0)


class TestStackOfObservers(WrapperSuite):
    def wrap(self, sink: ObserverPort) -> ObserverPort:
        return RollupObserver(PolicyObserver(Hooks(sink)), every=3)
