"""A correct replay store, and those that lose records or raise into the run."""

import asyncio
import json
import re

from agentkit.core.contracts.errors import StoreUnavailable, StoreValueError
from agentkit.core.contracts.replay import ReplayRecord
from agentkit.core.contracts.store_rules import decode_value, encode_value
from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._store_trials import BackendTrial
from agentkit.testing.mutants._trial import breaks, tries
from agentkit.testing.suites import ReplaySuite

__all__ = ["ReferenceReplay"]


class ReferenceReplay:
    """A `ReplayStore` that keeps every clause."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        self.backend = backend
        self.texts = backend.space(namespace).texts

    async def close(self) -> None:
        """Leave the backend as it is."""

    async def put(self, record: ReplayRecord) -> None:
        """Keep *record*, or count it."""
        try:
            await self.keep(record)
        except Exception:  # noqa: BLE001  # watching a run must not hurt it
            self.count()

    async def get(self, span_id: str) -> ReplayRecord | None:
        """Give the record of *span_id*."""
        try:
            return await self.find(span_id)
        except Exception:  # noqa: BLE001  # as above
            return None

    async def keep(self, record: ReplayRecord) -> None:
        """Write *record* in one step."""
        span, text = self.span(record.span_id), self.encode(record)
        await self.trip()
        self.write(span, text)

    async def find(self, span_id: str) -> ReplayRecord | None:
        """Read the record of *span_id*."""
        span = self.span(span_id)
        await self.trip()
        text = self.read(span)
        return None if text is None else self.decode(span_id, text)

    async def trip(self) -> None:
        """Go to the backend and back."""
        await self.backend.trip()

    def span(self, span_id: str) -> str:
        """Give *span_id* if it is one."""
        if not re.fullmatch("[0-9a-f]{16,32}", span_id):
            raise StoreValueError(f"no span id: {span_id!r}")
        return span_id

    def encode(self, record: ReplayRecord) -> str:
        """Give the text of *record*."""
        return encode_value([record.operation, record.request, record.response])

    def decode(self, span_id: str, text: str) -> ReplayRecord:
        """Give the record of *text*."""
        return ReplayRecord(span_id, *decode_value(text))

    def write(self, span: str, text: str) -> None:
        """Write *text*."""
        self.texts[span] = text

    def read(self, span: str) -> str | None:
        """Give the text that is there."""
        return self.texts.get(span)

    def count(self) -> None:
        """Count a record that could not be kept."""
        self.backend.lost += 1


@tries(ReferenceReplay)
class _ReplayTrial(BackendTrial, ReplaySuite):
    async def lost(self) -> int:
        return self.server.lost


@breaks("REPLAY-PORT-01")
class ReadsNothing(ReferenceReplay):
    """It leaves out a verb of the port."""

    get = None  # type: ignore[assignment]


@breaks("REPLAY-KEEP-01")
class DropsResponses(ReferenceReplay):
    """It has no column for responses."""

    def decode(self, span_id: str, text: str) -> ReplayRecord:
        return ReplayRecord(span_id, *decode_value(text)[:2])


@breaks("REPLAY-KEEP-02")
class GivesTheLast(ReferenceReplay):
    """It gives the latest where there is none."""

    def read(self, span: str) -> str | None:
        return super().read(span) or next(iter(self.texts.values()), None)


@breaks("REPLAY-KEEP-03")
class KeepsTheFirstRecord(ReferenceReplay):
    """It writes a span once."""

    def write(self, span: str, text: str) -> None:
        self.texts.setdefault(span, text)


@breaks("REPLAY-KEEP-04")
class CutsSpans(ReferenceReplay):
    """It names spans by their first half."""

    def span(self, span_id: str) -> str:
        return super().span(span_id)[:16]


@breaks("REPLAY-KEEP-05")
class ForgetsRecordsOnClosing(ReferenceReplay):
    """It keeps everything in a connection's temporary tables."""

    async def close(self) -> None:
        self.texts.clear()


@breaks("REPLAY-KEEP-06")
class RemembersWhatItRead(ReferenceReplay):
    """It does not look again."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.seen: dict[str, str | None] = {}

    def read(self, span: str) -> str | None:
        return self.seen.setdefault(span, super().read(span))


@breaks("REPLAY-KEEP-07")
class TakesFalseForNothing(ReferenceReplay):
    """It reads what is empty or false as None."""

    def decode(self, span_id: str, text: str) -> ReplayRecord:
        operation, request, response = decode_value(text)
        return ReplayRecord(span_id, operation, request or None, response or None)


@breaks("REPLAY-KEEP-08")
class ReadsPayloadsInDoubles(ReferenceReplay):
    """It makes every number a float."""

    def decode(self, span_id: str, text: str) -> ReplayRecord:
        return ReplayRecord(span_id, *json.loads(text, parse_int=float))


@breaks("REPLAY-KEEP-09")
class CutsPayloads(ReferenceReplay):
    """It has text columns of 64 KB."""

    def encode(self, record: ReplayRecord) -> str:
        text = super().encode(record)
        if len(text) > 65_535:
            raise StoreValueError("too long")
        return text


@breaks("REPLAY-KEEP-10")
class RewritesTheRecords(ReferenceReplay):
    """It reads all records, and writes them back with one more."""

    async def keep(self, record: ReplayRecord) -> None:
        texts = {**self.texts, self.span(record.span_id): self.encode(record)}
        await self.trip()
        self.texts.clear()
        self.texts.update(texts)


@breaks("REPLAY-KEEP-11", "REPLAY-CANCEL-01")
class WritesInTwoHalves(ReferenceReplay):
    """It writes into the file that readers read."""

    async def keep(self, record: ReplayRecord) -> None:
        span, text = self.span(record.span_id), self.encode(record)
        self.write(span, text[: len(text) // 2])
        await self.trip()
        self.write(span, text)


@breaks("REPLAY-KEEP-12")
class BuildsClasses(ReferenceReplay):
    """It makes an object of what names a class."""

    def decode(self, span_id: str, text: str) -> ReplayRecord:
        found = json.loads(text, object_hook=lambda d: Exception(d) if "__class__" in d else d)
        return ReplayRecord(span_id, *found)


class _Raising(ReferenceReplay):
    """The base of those that let failures of some sort out."""

    raises: tuple[type[Exception], ...] = ()

    async def put(self, record: ReplayRecord) -> None:
        try:
            await self.keep(record)
        except self.raises:
            raise
        except Exception:  # noqa: BLE001  # as the reference
            self.count()


@breaks("REPLAY-RAISE-01")
class RaisesForStrangePayloads(_Raising):
    """It wants JSON."""

    raises: tuple[type[Exception], ...] = (StoreValueError,)

    def span(self, span_id: str) -> str:
        return str(span_id)


@breaks("REPLAY-RAISE-01")
class SpeaksOfWhatItDropped(ReferenceReplay):
    """It puts the payload's representation into its log line."""

    async def put(self, record: ReplayRecord) -> None:
        try:
            await self.keep(record)
        except StoreValueError:
            self.backend.last_words = f"dropped {record.request!r}"


@breaks("REPLAY-RAISE-02")
class RaisesForStrangeSpans(_Raising):
    """It wants a span id."""

    raises: tuple[type[Exception], ...] = (TypeError, StoreValueError)

    def encode(self, record: ReplayRecord) -> str:
        return json.dumps([record.operation, record.request, record.response], default=str)


@breaks("REPLAY-RAISE-03")
class RaisesForWhoAsks(ReferenceReplay):
    """It wants a span id of those who ask."""

    async def get(self, span_id: str) -> ReplayRecord | None:
        return await self.find(span_id)


@breaks("REPLAY-RAISE-04")
class DeletesThenWritesRecords(ReferenceReplay):
    """It makes room before it knows what to write."""

    async def keep(self, record: ReplayRecord) -> None:
        self.texts.pop(self.span(record.span_id), None)
        await super().keep(record)


@breaks("REPLAY-RAISE-05")
class CountsNothing(ReferenceReplay):
    """It drops records without a count."""

    def count(self) -> None: ...


@breaks("REPLAY-RAISE-05")
class CountsEverything(ReferenceReplay):
    """It counts what it kept too."""

    async def put(self, record: ReplayRecord) -> None:
        await super().put(record)
        self.count()


@breaks("REPLAY-FAULT-01")
class RaisesWhenCutOff(_Raising):
    """It tells the run that its backend is away."""

    raises: tuple[type[Exception], ...] = (StoreUnavailable,)


@breaks("REPLAY-FAULT-02")
class RaisesWhenItCannotRead(ReferenceReplay):
    """It tells who asks that its backend is away."""

    async def get(self, span_id: str) -> ReplayRecord | None:
        try:
            return await self.find(span_id)
        except StoreValueError:
            return None


@breaks("REPLAY-FAULT-03")
class KeepsNothingMore(ReferenceReplay):
    """It gives up at the first failure."""

    has_failed = False

    async def trip(self) -> None:
        self.has_failed = self.has_failed or not self.backend.is_up
        if self.has_failed:
            raise StoreUnavailable("closed")
        await super().trip()


@breaks("REPLAY-CANCEL-01")
class RemovesWhenCut(ReferenceReplay):
    """It tidies up after a cancelled write, and takes too much away."""

    async def keep(self, record: ReplayRecord) -> None:
        try:
            await super().keep(record)
        except asyncio.CancelledError:
            self.texts.pop(record.span_id, None)
            raise
