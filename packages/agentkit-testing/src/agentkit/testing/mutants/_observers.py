"""A correct observer, and those that drop, delay, repeat or reorder what counts."""

import asyncio
import json
from contextlib import suppress
from typing import Any

from agentkit.core.contracts.observation import Observation
from agentkit.testing.mutants._trial import Trial, breaks, tries
from agentkit.testing.suites import ObserverSuite

__all__ = ["ReferenceObserver", "Sink"]

EVERY = 8
ROOM = 100
ALWAYS = ("result", "error", "interrupt")


class Sink:
    """What an observer hands on to; taking is one suspension."""

    def __init__(self) -> None:
        self.items: list[Observation] = []
        self.is_up = True

    async def take(self, obs: Observation) -> None:
        """Keep *obs*."""
        await asyncio.sleep(0)
        self.check()
        self.items.append(obs)

    async def close(self) -> None:
        """Close."""
        self.check()

    def check(self) -> None:
        """Fail while it is broken."""
        if not self.is_up:
            raise ConnectionResetError("the sink is gone")


class ReferenceObserver:
    """An `ObserverPort` that keeps every clause: it holds updates back, and nothing that counts."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.held: list[Observation] = []

    async def emit(self, obs: Observation) -> None:
        """Hand on what counts at once, and updates a few at a time."""
        if self.counts(obs):
            await self.try_to_hand_on(obs)
            return
        self.hold(obs)
        if len(self.held) >= EVERY:
            await self.try_to_flush()

    async def close(self) -> None:
        """Hand on what is held, and close the sink."""
        await self.flush()
        await self.sink.close()

    def counts(self, obs: Observation) -> bool:
        """Whether *obs* is of a kind that is never held."""
        return obs.kind in ALWAYS

    def hold(self, obs: Observation) -> None:
        """Hold *obs* back."""
        self.held.append(obs)

    async def flush(self) -> None:
        """Hand on what is held."""
        held, self.held = self.held, []
        for obs in held:
            await self.hand_on(obs)

    async def try_to_flush(self) -> None:
        """Hand on what is held, and let no failure out."""
        await self.quietly(self.flush())

    async def try_to_hand_on(self, obs: Observation) -> None:
        """Hand *obs* on, and let no failure out."""
        await self.quietly(self.hand_on(obs))

    async def quietly(self, work: Any) -> None:
        """Do *work*, and let no failure out."""
        with suppress(Exception):  # the sink is not ours and must not hurt the run
            await work

    async def hand_on(self, obs: Observation) -> None:
        """Hand *obs* on."""
        await self.sink.take(obs)


@tries(ReferenceObserver)
class _ObserverTrial(Trial, ObserverSuite):
    def prepare(self) -> None:
        self.sink = Sink()

    def make(self) -> Any:
        return self.kind(self.sink)

    async def received(self) -> list[Observation]:
        return self.sink.items

    async def break_connection(self) -> None:
        self.sink.is_up = False

    async def restore(self) -> None:
        self.sink.is_up = True


@breaks("OBSERVER-PORT-01")
class CannotBeClosed(ReferenceObserver):
    """It leaves out a verb of the port."""

    close = None  # type: ignore[assignment]


@breaks("OBSERVER-EMIT-01")
class KnowsItsKindsOnly(ReferenceObserver):
    """It refuses a kind that it does not know."""

    async def emit(self, obs: Observation) -> None:
        if "." in obs.kind:
            raise ValueError(f"no kind: {obs.kind}")
        await super().emit(obs)


@breaks("OBSERVER-EMIT-02")
class WritesPayloadsAsJson(ReferenceObserver):
    """It makes JSON of payloads, whatever they are."""

    async def emit(self, obs: Observation) -> None:
        json.dumps(obs.payload)
        await super().emit(obs)


@breaks("OBSERVER-EMIT-03")
class SendsTheTextOnly(ReferenceObserver):
    """It hands on what is shown."""

    async def hand_on(self, obs: Observation) -> None:
        await super().hand_on(Observation(obs.kind, obs.seq, render=obs.render, run_id=obs.run_id))


@breaks("OBSERVER-EMIT-03", "OBSERVER-EMIT-04")
class ForgetsInterrupts(ReferenceObserver):
    """It takes an interrupt for an update, of which it drops some."""

    def counts(self, obs: Observation) -> bool:
        return obs.kind in {"result", "error"}

    def hold(self, obs: Observation) -> None:
        if obs.kind != "interrupt":
            super().hold(obs)


@breaks("OBSERVER-EMIT-04")
class HoldsEverything(ReferenceObserver):
    """It holds results back too, until there are enough."""

    def counts(self, obs: Observation) -> bool:
        return obs.kind == ""


@breaks("OBSERVER-EMIT-05")
class SendsErrorsFirst(ReferenceObserver):
    """It lets errors overtake results."""

    def counts(self, obs: Observation) -> bool:
        return obs.kind == "error"


@breaks("OBSERVER-EMIT-06")
class KeepsTheLastOnly(ReferenceObserver):
    """It has one place for what is being handed on."""

    current: Observation | None = None

    async def hand_on(self, obs: Observation) -> None:
        self.current = obs
        await asyncio.sleep(0)
        await super().hand_on(self.current)


@breaks("OBSERVER-EMIT-07")
class DropsTheOldest(ReferenceObserver):
    """It has room for so many, of whatever kind."""

    async def hand_on(self, obs: Observation) -> None:
        await super().hand_on(obs)
        del self.sink.items[:-ROOM]


@breaks("OBSERVER-EMIT-08")
class SendsTheLastAgain(ReferenceObserver):
    """It closes with what it has handed on last."""

    last: Observation | None = None

    async def hand_on(self, obs: Observation) -> None:
        self.last = obs
        await super().hand_on(obs)

    async def close(self) -> None:
        await super().close()
        if self.last is not None:
            await self.hand_on(self.last)


@breaks("OBSERVER-EMIT-09")
class SendsTheLastFirst(ReferenceObserver):
    """It hands on what it holds from the top of the pile."""

    async def flush(self) -> None:
        self.held.reverse()
        await super().flush()


@breaks("OBSERVER-CLOSE-01")
class ClosesOnce(ReferenceObserver):
    """It fails when it is closed again."""

    is_closed = False

    async def close(self) -> None:
        if self.is_closed:
            raise RuntimeError("closed")
        self.is_closed = True
        await super().close()


@breaks("OBSERVER-CLOSE-02")
class DropsWhatItHolds(ReferenceObserver):
    """It closes without a look at what it holds."""

    async def close(self) -> None:
        self.held.clear()
        await super().close()


@breaks("OBSERVER-CLOSE-03")
class SaysGoodbye(ReferenceObserver):
    """It ends with a summary of nothing."""

    async def close(self) -> None:
        await self.hand_on(Observation("summary", render="0 updates"))
        await super().close()


@breaks("OBSERVER-FAULT-01")
class LetsTheSinkSpeak(ReferenceObserver):
    """It lets out whatever the sink raises."""

    async def quietly(self, work: Any) -> None:
        await work


@breaks("OBSERVER-FAULT-02")
class GivesUpOnTheSink(ReferenceObserver):
    """It hands nothing on to a sink that has failed once."""

    has_failed = False

    async def hand_on(self, obs: Observation) -> None:
        self.has_failed = self.has_failed or not self.sink.is_up
        if not self.has_failed:
            await super().hand_on(obs)


@breaks("OBSERVER-FAULT-02")
class SendsWhatWasLostLater(ReferenceObserver):
    """It keeps what could not be handed on, and sends it when it is long out of date."""

    async def try_to_hand_on(self, obs: Observation) -> None:
        self.held.append(obs)
        try:
            while self.held:
                await self.hand_on(self.held[0])
                self.held.pop(0)
        except ConnectionResetError:
            pass


@breaks("OBSERVER-FAULT-03")
class ClosesInSilence(ReferenceObserver):
    """It says nothing of a flush that failed."""

    async def close(self) -> None:
        await self.quietly(super().close())


@breaks("OBSERVER-CANCEL-01")
class SendsAgainWhenCut(ReferenceObserver):
    """It hands on again what was being handed on."""

    async def hand_on(self, obs: Observation) -> None:
        await super().hand_on(obs)
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            await super().hand_on(obs)
            raise
