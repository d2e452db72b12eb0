"""Checkpoint stores that overwrite, forget, or bring versions into disorder."""

import dataclasses
import json

from agentkit.core.contracts.ports import Checkpoint
from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._reference import ReferenceCheckpoints
from agentkit.testing.mutants._trial import breaks


@breaks("CHECKPOINT-PORT-01")
class ListsNothing(ReferenceCheckpoints):
    """It leaves out a verb of the port."""

    list_versions = None  # type: ignore[assignment]


@breaks("CHECKPOINT-SAVE-01", "CHECKPOINT-LAW-01")
class DropsMetadata(ReferenceCheckpoints):
    """It has no column for metadata."""

    def decode(self, run: str, version: int, text: str) -> Checkpoint:
        return dataclasses.replace(super().decode(run, version, text), metadata={})


@breaks("CHECKPOINT-SAVE-02")
class MissesTheUnknown(ReferenceCheckpoints):
    """It fails on a run it does not know."""

    def versions(self, run: str) -> list[int]:
        return sorted(self.space.runs[run])


@breaks("CHECKPOINT-SAVE-03")
class TakesTheNewestForTheLatest(ReferenceCheckpoints):
    """It orders by the time of creation."""

    async def latest(self, run_id: str) -> Checkpoint | None:
        run = self.run(run_id)
        found = [self.read(run, version) for version in await self.list_versions(run_id)]
        return max((cp for cp in found if cp), key=lambda cp: cp.created_at, default=None)


@breaks("CHECKPOINT-SAVE-03")
class TakesTheLastSavedForTheLatest(ReferenceCheckpoints):
    """It orders by the row."""

    async def latest(self, run_id: str) -> Checkpoint | None:
        versions = list(self.space.runs.get(self.run(run_id), {}))
        await self.trip()
        return self.read(run_id, versions[-1]) if versions else None


@breaks("CHECKPOINT-SAVE-04", "CHECKPOINT-SAVE-03", "CHECKPOINT-LAW-02")
class SortsVersionsAsText(ReferenceCheckpoints):
    """It puts 10 before 9."""

    def versions(self, run: str) -> list[int]:
        return sorted(super().versions(run), key=str)


@breaks("CHECKPOINT-SAVE-05")
class GivesTheOneBefore(ReferenceCheckpoints):
    """It gives the nearest version below."""

    def read(self, run: str, version: int) -> Checkpoint | None:
        below = [each for each in self.versions(run) if each <= version]
        return super().read(run, below[-1]) if below else None


@breaks("CHECKPOINT-SAVE-06")
class KeepsTheLastStateOnly(ReferenceCheckpoints):
    """It has one row per run and a list of version numbers."""

    def write(self, run: str, version: int, text: str) -> None:
        super().write(run, version, text)
        self.space.runs[run] = dict.fromkeys(self.space.runs[run], text)


@breaks("CHECKPOINT-SAVE-07")
class GivesTheStatusAsText(ReferenceCheckpoints):
    """It does not make a status of what it reads."""

    def decode(self, run: str, version: int, text: str) -> Checkpoint:
        found = super().decode(run, version, text)
        object.__setattr__(found, "status", found.status.value)
        return found


@breaks("CHECKPOINT-SAVE-08")
class RoundsTime(ReferenceCheckpoints):
    """It keeps milliseconds."""

    def decode(self, run: str, version: int, text: str) -> Checkpoint:
        found = super().decode(run, version, text)
        return dataclasses.replace(found, created_at=round(found.created_at, 3))


@breaks("CHECKPOINT-SAVE-09", "CHECKPOINT-DELETE-05")
class CachesRuns(ReferenceCheckpoints):
    """It remembers what it has read of a run and does not look again."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.seen: dict[str, Checkpoint] = {}

    async def latest(self, run_id: str) -> Checkpoint | None:
        found = self.seen.get(run_id) or await super().latest(run_id)
        if found is not None:
            self.seen[run_id] = found
        return found


@breaks("CHECKPOINT-SAVE-10")
class ForgetsRunsOnClosing(ReferenceCheckpoints):
    """It keeps everything in a connection's temporary tables."""

    async def close(self) -> None:
        self.space.runs.clear()


@breaks("CHECKPOINT-SAVE-11")
class TakesAnyVersion(ReferenceCheckpoints):
    """It takes version 0."""

    def version(self, version: int) -> int:
        return version


@breaks("CHECKPOINT-CONFLICT-01")
class SavesOnce(ReferenceCheckpoints):
    """It calls saving the same again a conflict."""

    def write(self, run: str, version: int, text: str) -> None:
        if version in self.versions(run):
            raise self.conflict(run, version)
        super().write(run, version, text)


@breaks("CHECKPOINT-CONFLICT-01")
class ComparesStatesInOrder(ReferenceCheckpoints):
    """It compares texts whose keys are in no order."""

    def encode(self, cp: Checkpoint) -> str:
        super().encode(cp)
        return json.dumps([cp.state, cp.created_at, cp.status.value, cp.metadata])


@breaks("CHECKPOINT-CONFLICT-02", "CHECKPOINT-CONFLICT-05", "CHECKPOINT-LAW-02")
class Overwrites(ReferenceCheckpoints):
    """It writes with ON CONFLICT DO UPDATE."""

    def write(self, run: str, version: int, text: str) -> None:
        self.space.runs.setdefault(run, {})[version] = text


@breaks("CHECKPOINT-CONFLICT-02", "CHECKPOINT-LAW-02")
class ComparesStatesAsPython(ReferenceCheckpoints):
    """It compares with ==, for which True is 1."""

    def write(self, run: str, version: int, text: str) -> None:
        held = self.space.runs.setdefault(run, {}).setdefault(version, text)
        if json.loads(held) != json.loads(text):
            raise self.conflict(run, version)


@breaks("CHECKPOINT-CONFLICT-03")
class ComparesStatesOnly(ReferenceCheckpoints):
    """It takes a checkpoint of equal state for the same."""

    def write(self, run: str, version: int, text: str) -> None:
        held = self.space.runs.get(run, {}).get(version, text)
        if json.loads(held)[0] != json.loads(text)[0]:
            raise self.conflict(run, version)
        self.space.runs.setdefault(run, {})[version] = held


@breaks("CHECKPOINT-CONFLICT-04")
class GuardsTheLatestOnly(ReferenceCheckpoints):
    """It overwrites what is not the latest."""

    def write(self, run: str, version: int, text: str) -> None:
        if self.versions(run)[-1:] != [version]:
            self.space.runs.get(run, {}).pop(version, None)
        super().write(run, version, text)


@breaks("CHECKPOINT-CONFLICT-05")
class LooksThenSaves(ReferenceCheckpoints):
    """It looks in one round trip and writes in another."""

    async def save(self, cp: Checkpoint) -> None:
        text = self.encode(cp)
        held = self.space.runs.get(self.run(cp.run_id), {}).get(self.version(cp.version), text)
        await self.trip()
        if held != text:
            raise self.conflict(cp.run_id, cp.version)
        self.space.runs.setdefault(cp.run_id, {})[cp.version] = text


@breaks("CHECKPOINT-CONFLICT-06")
class RewritesTheRun(ReferenceCheckpoints):
    """It reads all versions, and writes them back with one more."""

    async def save(self, cp: Checkpoint) -> None:
        run, version, text = self.run(cp.run_id), self.version(cp.version), self.encode(cp)
        versions = dict(self.space.runs.get(run, {}))
        if versions.setdefault(version, text) != text:
            raise self.conflict(run, version)
        await self.trip()
        self.space.runs[run] = versions


@breaks("CHECKPOINT-CONFLICT-07")
class RefusesWhatIsBeingSaved(ReferenceCheckpoints):
    """It calls it a conflict when two save the same at once."""

    async def save(self, cp: Checkpoint) -> None:
        busy = self.backend.space("busy").runs
        if (cp.run_id in busy) and cp.version in busy[cp.run_id]:
            raise self.conflict(cp.run_id, cp.version)
        busy.setdefault(cp.run_id, {})[cp.version] = ""
        try:
            await super().save(cp)
        finally:
            busy[cp.run_id].pop(cp.version)


@breaks("CHECKPOINT-DELETE-01")
class DeletesTheLatest(ReferenceCheckpoints):
    """It removes one version."""

    async def delete(self, run_id: str) -> None:
        for version in (await self.list_versions(run_id))[-1:]:
            del self.space.runs[run_id][version]


@breaks("CHECKPOINT-DELETE-02")
class MissesTheRunItDeletes(ReferenceCheckpoints):
    """It fails on a run that is not there."""

    async def delete(self, run_id: str) -> None:
        self.run(run_id)
        await self.trip()
        del self.space.runs[run_id]


@breaks("CHECKPOINT-DELETE-03")
class BuriesRuns(ReferenceCheckpoints):
    """It marks a run as deleted, and never lets it live again."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.buried: set[str] = set()

    async def delete(self, run_id: str) -> None:
        await super().delete(run_id)
        self.buried.add(run_id)

    def versions(self, run: str) -> list[int]:
        return [] if run in self.buried else super().versions(run)


@breaks("CHECKPOINT-DELETE-04")
class DeletesByPrefix(ReferenceCheckpoints):
    """It removes every run whose id begins like that."""

    async def delete(self, run_id: str) -> None:
        await super().delete(run_id)
        for run in [each for each in self.space.runs if each.startswith(run_id)]:
            del self.space.runs[run]
