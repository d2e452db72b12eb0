"""The suite of ReplayStore."""

import asyncio
from functools import cached_property
from typing import Any, ClassVar
from uuid import uuid4

from agentkit.core.contracts.replay import ReplayRecord, ReplayStore
from agentkit.testing.suites._clause import clause, hook
from agentkit.testing.suites._judging import Opener
from agentkit.testing.suites._samples import FALSY, NOT_JSON, NUMBERS, TEXTS, same
from agentkit.testing.suites._steps import cut_at_every_await
from agentkit.testing.suites._suite import Suite

__all__ = ["ReplaySuite"]

VERBS = ("put", "get")

BAD_SPANS: list[Any] = [
    "", ".", "..", "../../escape", "a/b", "a\\b", "\x00", "\ud800", "x" * 5000, "g" * 16, None, 7,
]  # fmt: skip


class _ReplaySteps(Suite):
    """What the clauses of replay stores share."""

    @hook
    async def lost(self) -> int:
        """Give how many records the store says that it could not keep."""
        raise NotImplementedError

    @cached_property
    def span(self) -> str:
        """A span no other case uses."""
        return uuid4().hex[:16]

    def record(self, request: Any = "asked", response: Any = "said", *, of: str = "") -> Any:
        """Make a record of the case's span, or *of* another."""
        return ReplayRecord(of or self.span, "chat", request, response)


class KeepingClauses(_ReplaySteps):
    """What is put is read back, by its span, as plain data."""

    @clause("REPLAY-PORT-01", since="1.0")
    async def an_adapter_has_the_verbs_of_its_port(self, store: ReplayStore) -> None:
        verbs = [verb for verb in VERBS if verb not in self.partial]

        assert [verb for verb in verbs if not callable(getattr(store, verb, None))] == []

    @clause("REPLAY-KEEP-01", since="1.0")
    async def a_record_is_found_by_its_span(self, store: ReplayStore) -> None:
        put = self.record({"messages": [{"role": "user"}]}, {"content": "hello", "calls": []})
        await store.put(put)

        assert await store.get(self.span) == put

    @clause("REPLAY-KEEP-02", since="1.0")
    async def an_unknown_span_has_no_record(self, store: ReplayStore) -> None:
        await store.put(self.record())

        assert await store.get(uuid4().hex[:16]) is None

    @clause("REPLAY-KEEP-03", since="1.0")
    async def a_later_record_replaces_an_earlier_one(self, store: ReplayStore) -> None:
        await store.put(self.record({"a": 1, "b": 2}, "first and longer"))
        await store.put(self.record({"a": 3}, None))

        assert await store.get(self.span) == self.record({"a": 3}, None)

    @clause("REPLAY-KEEP-04", since="1.0")
    async def spans_that_look_alike_stay_apart(self, store: ReplayStore) -> None:
        spans = [self.span[:15] + digit for digit in "0123456789abcdef"]
        spans += [self.span + "0" * 16, self.span + "0" * 15 + "1"]
        for span in spans:
            await store.put(self.record(span, of=span))

        found = [await store.get(span) for span in spans]
        assert [record and record.request for record in found] == spans

    @clause("REPLAY-KEEP-05", since="1.0")
    async def a_record_outlives_the_instance_that_put_it(self, adapter: Opener) -> None:
        async with adapter() as first:
            await first.put(self.record())

        async with adapter() as second:
            assert await second.get(self.span) == self.record()

    @clause("REPLAY-KEEP-06", since="1.0")
    async def another_instance_reads_what_one_put(
        self, one: ReplayStore, other: ReplayStore
    ) -> None:
        await one.put(self.record("old"))
        await other.get(self.span)
        await one.put(self.record("new"))

        assert await other.get(self.span) == self.record("new")

    @clause("REPLAY-KEEP-07", since="1.0")
    async def empty_and_false_payloads_are_payloads(self, store: ReplayStore) -> None:
        for value in FALSY:
            await store.put(self.record(value, value))
            found = await store.get(self.span)

            assert found is not None
            assert same([found.request, found.response], [value, value])

    @clause("REPLAY-KEEP-08", since="1.0")
    async def payloads_survive_exactly(self, store: ReplayStore) -> None:
        await store.put(self.record([*TEXTS, *NUMBERS], dict.fromkeys(TEXTS, 1)))

        found = await store.get(self.span)
        assert found is not None
        assert same(found.request, [*TEXTS, *NUMBERS])
        assert same(found.response, dict.fromkeys(TEXTS, 1))

    @clause("REPLAY-KEEP-09", since="1.0")
    async def a_payload_of_a_megabyte_is_kept(self, store: ReplayStore) -> None:
        await store.put(self.record("é" * 500_000))

        found = await store.get(self.span)
        assert found is not None
        assert found.request == "é" * 500_000

    @clause("REPLAY-KEEP-10", since="1.0")
    async def what_many_put_at_once_is_all_there(
        self, one: ReplayStore, other: ReplayStore
    ) -> None:
        spans = [uuid4().hex[:16] for _ in range(40)]
        puts = [(one, other)[n % 2].put(self.record(n, of=s)) for n, s in enumerate(spans)]
        await asyncio.gather(*puts)

        found = [await one.get(span) for span in spans]
        assert [record and record.request for record in found] == list(range(40))

    @clause("REPLAY-KEEP-11", since="1.0")
    async def a_reader_sees_one_record_or_the_other(
        self, one: ReplayStore, other: ReplayStore
    ) -> None:
        async def write() -> None:
            for letter in "xyxyxyxy":
                await one.put(self.record([letter] * 2000))

        await one.put(self.record(["x"] * 2000))
        writing = asyncio.ensure_future(write())
        read = [await other.get(self.span) for _ in range(20)]
        await writing
        assert {record and "".join({*record.request}) for record in read} <= {"x", "y"}

    @clause("REPLAY-KEEP-12", since="1.0")
    async def what_is_read_is_data(self, store: ReplayStore) -> None:
        tempting = {"__class__": "builtins.Exception", "type": "text", "py/object": "os.system"}
        await store.put(self.record(tempting, [tempting]))

        assert await store.get(self.span) == self.record(tempting, [tempting])


class HarmlessClauses(_ReplaySteps):
    """A replay store never raises into a run, whatever it is given and whatever happens."""

    @clause("REPLAY-RAISE-01", since="1.0")
    async def a_payload_of_any_sort_raises_nothing(self, store: ReplayStore) -> None:
        for strange in [*NOT_JSON, Unspeakable()]:
            await store.put(self.record(strange, [strange]))
            await store.put(self.record({"a": strange}, None))

    @clause("REPLAY-RAISE-02", since="1.0")
    async def a_span_id_of_any_sort_raises_nothing(self, store: ReplayStore) -> None:
        for span in BAD_SPANS:
            await store.put(ReplayRecord(span, "chat", "asked"))

    @clause("REPLAY-RAISE-03", since="1.0")
    async def asking_for_a_span_id_of_any_sort_raises_nothing(self, store: ReplayStore) -> None:
        await store.put(self.record())
        for span in BAD_SPANS:
            found = await store.get(span)

            assert found is None or found.span_id == span

    @clause("REPLAY-RAISE-04", since="1.0")
    async def what_could_not_be_kept_leaves_what_was_there(self, store: ReplayStore) -> None:
        await store.put(self.record("good"))
        for strange in [object(), Unspeakable()]:
            await store.put(self.record(strange))

            assert await store.get(self.span) is not None

    @clause("REPLAY-RAISE-05", since="1.0", hook="lost")
    async def what_could_not_be_kept_is_counted(self, store: ReplayStore) -> None:
        before = await self.lost()
        await store.put(self.record())
        assert await self.lost() == before

        await store.put(ReplayRecord("../escape", "chat", "asked"))
        assert await self.lost() == before + 1

    @clause("REPLAY-FAULT-01", since="1.0", hook="break_connection")
    async def a_broken_backend_never_reaches_the_run(self, store: ReplayStore) -> None:
        await self.break_connection()

        await store.put(self.record())

    @clause("REPLAY-FAULT-02", since="1.0", hook="break_connection")
    async def of_a_broken_backend_nothing_is_read(self, store: ReplayStore) -> None:
        await store.put(self.record())
        await self.break_connection()

        assert await store.get(self.span) is None

    @clause("REPLAY-FAULT-03", since="1.0", hook="break_connection")
    async def it_works_again_once_the_backend_is_back(self, store: ReplayStore) -> None:
        await self.break_connection()
        await store.put(self.record("lost"))
        await self.restore()
        await store.put(self.record("kept"))

        assert await store.get(self.span) == self.record("kept")

    @clause("REPLAY-CANCEL-01", since="1.0")
    async def a_cancelled_put_is_whole_or_absent(self, store: ReplayStore) -> None:
        old, new = self.record(["old"] * 99), self.record(["new"] * 99)
        await store.put(old)
        async for nth in cut_at_every_await(lambda: store.put(new)):
            assert await store.get(self.span) in (old, new), nth

        assert await store.get(self.span) == new


class Unspeakable:
    """What cannot even be told of."""

    def __repr__(self) -> str:
        raise RuntimeError("it has no representation")


class ReplaySuite(HarmlessClauses, KeepingClauses):
    """What a replay store promises; subclass it and define the `adapter` fixture.

    A store that keeps nothing says `partial={"get"}`. Hooks: `lost`, `break_connection` with
    `restore`, `backend_version`.
    """

    port: ClassVar[str] = "ReplayStore"
    version: ClassVar[str] = "1.0"
    verbs: ClassVar[frozenset[str]] = frozenset(VERBS)
