"""The suite of ObserverPort."""

import asyncio
from collections import Counter
from typing import Any, ClassVar

import pytest

from agentkit.core.contracts.observation import CRITICAL_KINDS, Observation, ObserverPort
from agentkit.core.contracts.observation import TraceContext as Where
from agentkit.testing.suites._clause import clause, hook
from agentkit.testing.suites._samples import NOT_JSON
from agentkit.testing.suites._steps import cut_at_every_await, in_turn
from agentkit.testing.suites._suite import Suite

__all__ = ["ObserverSuite"]

VERBS = ("emit", "close")
ALWAYS = (*CRITICAL_KINDS, "interrupt")
KINDS = (*ALWAYS, "run_start", "progress", "step", "summary", "partial_result", "acme.own", "")
WHERE = Where("a" * 32, "b" * 16)
FLOOD = 1000
TASKS = 50


def observed(kind: str, seq: int, **fields: Any) -> Observation:
    """Make an observation with every field set, but those that *fields* give."""
    filled: dict[str, Any] = {
        "run_id": "run", "agent": "a", "payload": {"n": [seq]}, "render": f"{kind} {seq}",
        "ts": 1.5, "parent_id": "p", "trace_context": WHERE,
    }  # fmt: skip
    return Observation(kind, seq, **filled | fields)


class _ObserverSteps(Suite):
    """What the clauses of observers share."""

    @hook
    async def received(self) -> list[Observation]:
        """Give everything that has reached the end of the stack so far, in its order."""
        raise NotImplementedError

    async def critical(self) -> list[Observation]:
        """Give what has arrived of the kinds that no cadence may silence."""
        return [obs for obs in await self.received() if obs.kind in ALWAYS]


class EmittingClauses(_ObserverSteps):
    """What counts arrives at once, in order and once each, whatever comes between."""

    @clause("OBSERVER-PORT-01", since="1.0")
    async def an_adapter_has_the_verbs_of_its_port(self, observer: ObserverPort) -> None:
        verbs = [verb for verb in VERBS if verb not in self.partial]

        assert [verb for verb in verbs if not callable(getattr(observer, verb, None))] == []

    @clause("OBSERVER-EMIT-01", since="1.0")
    async def every_kind_is_taken(self, observer: ObserverPort) -> None:
        for seq, kind in enumerate(KINDS, start=1):
            await observer.emit(observed(kind, seq))
            await observer.emit(Observation(kind))

    @clause("OBSERVER-EMIT-02", since="1.0")
    async def any_payload_is_taken(self, observer: ObserverPort) -> None:
        for seq, payload in enumerate([None, "\ud800", *NOT_JSON], start=1):
            await observer.emit(observed("step", seq, payload=payload))
            await observer.emit(observed("result", seq, payload=payload))

    @clause("OBSERVER-EMIT-03", since="1.0", hook="received")
    async def what_counts_arrives_as_it_is(self, observer: ObserverPort) -> None:
        sent = [observed(kind, seq) for seq, kind in enumerate(ALWAYS, start=1)]
        for each in sent:
            await observer.emit(each)
        await observer.close()

        assert await self.critical() == sent

    @clause("OBSERVER-EMIT-04", since="1.0", hook="received")
    async def what_counts_arrives_at_once(self, observer: ObserverPort) -> None:
        for seq, kind in enumerate(ALWAYS, start=1):
            await observer.emit(observed("progress", seq))
            await observer.emit(observed(kind, seq))

            assert [obs.seq for obs in await self.critical()] == list(range(1, seq + 1))

    @clause("OBSERVER-EMIT-05", since="1.0", hook="received")
    async def what_counts_keeps_its_order(self, observer: ObserverPort) -> None:
        kinds = ("error", "progress", "result", "step", "interrupt", "summary", "result") * 5
        for seq, kind in enumerate(kinds, start=1):
            await observer.emit(observed(kind, seq))
        await observer.close()

        seqs = [seq for seq, kind in enumerate(kinds, start=1) if kind in ALWAYS]
        assert [obs.seq for obs in await self.critical()] == seqs

    @clause("OBSERVER-EMIT-06", since="1.0", hook="received")
    async def what_many_tasks_emit_arrives_once_each(self, observer: ObserverPort) -> None:
        async def run(number: int) -> None:
            for seq, kind in enumerate(("step", *ALWAYS, "progress"), start=1):
                await observer.emit(observed(kind, seq, run_id=str(number)))

        await asyncio.gather(*(run(number) for number in range(TASKS)))
        await observer.close()
        arrived = Counter((obs.run_id, obs.kind) for obs in await self.critical())
        assert arrived == {(str(n), kind): 1 for n in range(TASKS) for kind in ALWAYS}

    @clause("OBSERVER-EMIT-07", since="1.0", hook="received")
    async def a_flood_of_updates_drowns_nothing_that_counts(self, observer: ObserverPort) -> None:
        for kind in ALWAYS:
            await observer.emit(observed(kind, 0))
            for seq in range(1, FLOOD):
                await observer.emit(observed("progress", seq))

        assert [obs.kind for obs in await self.critical()] == list(ALWAYS)

    @clause("OBSERVER-EMIT-08", since="1.0", hook="received")
    async def nothing_arrives_twice(self, observer: ObserverPort) -> None:
        for seq in range(1, 40):
            await observer.emit(observed(("step", "result", "summary")[seq % 3], seq))
        await observer.close()
        await observer.close()

        arrived = Counter((obs.kind, obs.seq) for obs in await self.received())
        assert max(arrived.values()) == 1

    @clause("OBSERVER-EMIT-09", since="1.0", hook="received")
    async def updates_keep_their_order(self, observer: ObserverPort) -> None:
        for seq in range(1, 40):
            await observer.emit(observed("summary", seq))
        await observer.close()

        seqs = [obs.seq for obs in await self.received()]
        assert seqs == sorted(seqs)


class ClosingClauses(_ObserverSteps):
    """Closing hands on what was held back; a broken sink hurts nobody but who closes."""

    @clause("OBSERVER-CLOSE-01", since="1.0")
    async def closing_again_changes_nothing(self, observer: ObserverPort) -> None:
        await observer.emit(observed("result", 1))

        await observer.close()
        await observer.close()

    @clause("OBSERVER-CLOSE-02", since="1.0", hook="received")
    async def what_was_held_back_is_handed_on(self, observer: ObserverPort) -> None:
        for seq in (1, 2, 3):
            await observer.emit(observed("summary", seq))
        await observer.close()

        assert [obs.seq for obs in await self.received()][-1:] == [3]

    @clause("OBSERVER-CLOSE-03", since="1.0", hook="received")
    async def closing_invents_nothing(self, observer: ObserverPort) -> None:
        await observer.close()

        assert await self.received() == []

    @clause("OBSERVER-FAULT-01", since="1.0", hook="break_connection")
    async def a_broken_sink_never_reaches_the_run(self, observer: ObserverPort) -> None:
        await self.break_connection()

        for seq in range(1, 100):
            await observer.emit(observed(("step", *ALWAYS)[seq % 4], seq))

    @clause("OBSERVER-FAULT-02", since="1.0", hook=("break_connection", "received"))
    async def it_works_again_once_the_sink_does(self, observer: ObserverPort) -> None:
        await self.break_connection()
        for seq in range(1, 20):
            await observer.emit(observed(("step", "result")[seq % 2], seq))
        await self.restore()
        await observer.emit(observed("result", 20))

        assert [obs.seq for obs in await self.critical()] == [20]

    @clause("OBSERVER-FAULT-03", since="1.0", hook="break_connection")
    async def who_closes_is_told_of_a_broken_sink(self, observer: ObserverPort) -> None:
        await observer.emit(observed("summary", 1))
        await self.break_connection()

        with pytest.raises(Exception, match=r"."):
            await observer.close()

    @clause("OBSERVER-CANCEL-01", since="1.0", hook="received")
    async def a_cancelled_emit_arrives_at_most_once(self, observer: ObserverPort) -> None:
        emits = (lambda seq=seq: observer.emit(observed("result", seq)) for seq in range(1, 99))
        nth, arrived = 0, list[int]()
        async for nth in cut_at_every_await(in_turn(emits)):
            arrived = [obs.seq for obs in await self.critical()]
            assert arrived == sorted(set(arrived)), nth

        assert nth in arrived


class ObserverSuite(ClosingClauses, EmittingClauses):
    """What an observer promises; subclass it and define the `adapter` fixture.

    Hooks: `received`, and `break_connection` with `restore` for what the observer hands on to.
    """

    port: ClassVar[str] = "ObserverPort"
    version: ClassVar[str] = "1.0"
    verbs: ClassVar[frozenset[str]] = frozenset(VERBS)
