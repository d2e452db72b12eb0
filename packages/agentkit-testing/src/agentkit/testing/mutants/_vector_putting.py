"""Vector indexes that put wrongly: twice, in part, or something else."""

import json
import unicodedata
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.types import Chunk, Scope
from agentkit.testing.mutants._backend import Backend, Row
from agentkit.testing.mutants._trial import breaks
from agentkit.testing.mutants._trips import LettingTheDriverSpeak, LosingConnections, StayingBroken
from agentkit.testing.mutants._vector_reference import ReferenceVector


@breaks("VECTOR-UPSERT-01")
class PutsAgain(ReferenceVector):
    """It inserts, whether the id is there or not."""

    def write(self, tenant: str, rows: dict[str, Row]) -> None:
        held = self.held(tenant)
        super().write(tenant, {id_ + "'" * (id_ in held): row for id_, row in rows.items()})


@breaks("VECTOR-UPSERT-02")
class KeepsTheOldVector(ReferenceVector):
    """It updates the text, not its vector."""

    def write(self, tenant: str, rows: dict[str, Row]) -> None:
        held = self.held(tenant)
        old = {id_: held[id_].embedded for id_ in rows if id_ in held}
        updated = {
            id_: Row(row.text, old.get(id_, row.embedded), row.metadata, row.filtered)
            for id_, row in rows.items()
        }
        super().write(tenant, updated)


@breaks("VECTOR-UPSERT-03")
class KeepsTheFirst(ReferenceVector):
    """It drops a chunk whose id it has already seen in this call."""

    def rows(self, chunks: list[Chunk]) -> dict[str, Row]:
        return super().rows(chunks[::-1])


@breaks("VECTOR-UPSERT-04")
class ReplacesTheTenant(ReferenceVector):
    """It takes what is put for all that there is."""

    def write(self, tenant: str, rows: dict[str, Row]) -> None:
        self.space.rows[tenant] = rows


@breaks("VECTOR-UPSERT-05")
class PutsTheFirstHundred(ReferenceVector):
    """It puts one batch."""

    def rows(self, chunks: list[Chunk]) -> dict[str, Row]:
        return super().rows(chunks[:100])


@breaks("VECTOR-UPSERT-06")
class ForgetsChunksOnClosing(ReferenceVector):
    """It keeps everything in a connection's temporary tables."""

    async def close(self) -> None:
        self.space.rows.clear()


@breaks("VECTOR-UPSERT-07")
class ReadsTheIndexOnce(ReferenceVector):
    """It remembers a tenant as it was first searched."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.seen: dict[str, dict[str, Row]] = {}

    def held(self, tenant: str) -> dict[str, Row]:
        return self.seen.setdefault(tenant, dict(super().held(tenant)))


@breaks("VECTOR-UPSERT-08")
class RewritesTheTenant(ReferenceVector):
    """It reads all rows, and writes them back with some more."""

    async def upsert(self, scope: Scope, chunks: list[Chunk]) -> None:
        tenant = self.tenant(scope)
        rows = self.held(tenant) | self.rows(chunks)
        await self.trip()
        self.space.rows[tenant] = rows


@breaks("VECTOR-UPSERT-09")
class StripsIds(ReferenceVector):
    """It strips ids."""

    def id(self, chunk_id: str) -> str:
        return super().id(chunk_id).strip()


@breaks("VECTOR-UPSERT-10")
class TakesAnyId(ReferenceVector):
    """It takes ids that are no keys."""

    def id(self, chunk_id: str) -> str:
        return chunk_id


@breaks("VECTOR-UPSERT-11")
class NormalisesTexts(ReferenceVector):
    """It brings texts into a normal form."""

    def row(self, chunk: Chunk) -> Row:
        text = unicodedata.normalize("NFC", chunk.text)
        return super().row(Chunk(chunk.id, text, chunk.metadata))


@breaks("VECTOR-UPSERT-12")
class PutsLater(ReferenceVector):
    """It keeps the caller's list until somebody searches."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.pending: list[tuple[str, list[Chunk]]] = []

    async def upsert(self, scope: Scope, chunks: list[Chunk]) -> None:
        self.pending.append((self.tenant(scope), chunks))

    def held(self, tenant: str) -> dict[str, Row]:
        while self.pending:
            other, chunks = self.pending.pop(0)
            self.write(other, self.rows(chunks))
        return super().held(tenant)


@breaks("VECTOR-META-01")
class ReadsNumbersAsFloats(ReferenceVector):
    """It makes every number a float."""

    def metadata(self, row: Row) -> dict[str, Any]:
        metadata: dict[str, Any] = json.loads(row.metadata, parse_int=float)
        return metadata


@breaks("VECTOR-META-02", "VECTOR-META-03", "VECTOR-UPSERT-10")
class PutsUntilItFails(ReferenceVector):
    """It writes row by row until one is wrong."""

    async def upsert(self, scope: Scope, chunks: list[Chunk]) -> None:
        await self.trip()
        for chunk in chunks:
            self.write(self.tenant(scope), self.rows([chunk]))


@breaks("VECTOR-META-02")
class StoresWhatHasAText(ReferenceVector):
    """It makes text of what is no JSON."""

    def encode(self, metadata: dict[str, Any]) -> str:
        try:
            return super().encode(metadata)
        except StoreValueError:
            return json.dumps({str(key): repr(value) for key, value in metadata.items()})


@breaks("VECTOR-META-03")
class TakesWhatJsonbRefuses(ReferenceVector):
    """It lets the database find out."""

    def check_texts(self, metadata: Any) -> None: ...


@breaks("VECTOR-META-04")
class ThawsMetadata(ReferenceVector):
    """It puts what it reads into a chunk behind its back."""

    def chunk(self, chunk_id: str, row: Row) -> Chunk:
        chunk = super().chunk(chunk_id, row)
        object.__setattr__(chunk, "metadata", json.loads(row.metadata))
        return chunk


@breaks("VECTOR-META-05")
class MergesMetadata(ReferenceVector):
    """It adds the new metadata to the old."""

    def write(self, tenant: str, rows: dict[str, Row]) -> None:
        for id_, row in rows.items():
            old = self.held(tenant).get(id_)
            merged = (json.loads(old.metadata) if old else {}) | json.loads(row.metadata)
            text = self.encode(merged)
            super().write(tenant, {id_: Row(row.text, row.embedded, text, text)})


@breaks("VECTOR-FAULT-01")
class LetsTheVectorDriverSpeak(LettingTheDriverSpeak, ReferenceVector):
    """It lets the driver's own error out."""


@breaks("VECTOR-FAULT-02")
class StaysBrokenAsAnIndex(StayingBroken, ReferenceVector):
    """It never opens a new connection."""


@breaks("VECTOR-CANCEL-01")
class PutsOneByOne(ReferenceVector):
    """It makes a round trip for each chunk."""

    async def upsert(self, scope: Scope, chunks: list[Chunk]) -> None:
        for id_, row in self.rows(chunks).items():
            await self.trip()
            self.write(self.tenant(scope), {id_: row})


@breaks("VECTOR-CANCEL-02")
class LosesConnectionsAsAnIndex(LosingConnections, ReferenceVector):
    """It does not give back the connection of a cancelled call."""


@breaks("VECTOR-CANCEL-03")
class MixesUpAnswers(ReferenceVector):
    """It leaves the answer to a cancelled search for the next to read."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.answers: list[list[tuple[float, Chunk]]] = []

    async def search(
        self, scope: Scope, query: str, k: int = 5, where: dict[str, Any] | None = None
    ) -> list[tuple[float, Chunk]]:
        found = self.ranked(self.tenant(scope), query, self.keeping(where))
        self.answers.append(self.cut(found, self.count(k)))
        await self.trip()
        return self.answers.pop(0)
