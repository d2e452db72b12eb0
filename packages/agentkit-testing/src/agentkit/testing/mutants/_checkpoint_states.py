"""Checkpoint stores that mix up runs, change states, or take a fault badly."""

import asyncio
import dataclasses
import json
from types import MappingProxyType, SimpleNamespace
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.ports import Checkpoint
from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._reference import ReferenceCheckpoints
from agentkit.testing.mutants._trial import breaks


@breaks("CHECKPOINT-RUN-01")
class FoldsRuns(ReferenceCheckpoints):
    """Its column compares without case."""

    def run(self, run_id: str) -> str:
        return super().run(run_id).casefold()


@breaks("CHECKPOINT-RUN-02")
class JoinsRunAndVersion(ReferenceCheckpoints):
    """It writes both into one key, with nothing that parts them."""

    def write(self, run: str, version: int, text: str) -> None:
        super().write("", int.from_bytes(f"{run}{version}".encode()), text)
        self.space.runs.setdefault(run, {})[version] = text

    def read(self, run: str, version: int) -> Checkpoint | None:
        text = self.space.runs.get("", {}).get(int.from_bytes(f"{run}{version}".encode()))
        return None if text is None else self.decode(run, version, text)


@breaks("CHECKPOINT-RUN-03")
class TakesAnyRun(ReferenceCheckpoints):
    """It makes text of whatever it is given."""

    def run(self, run_id: str) -> str:
        return str(run_id)


@breaks("CHECKPOINT-RUN-04")
class RefusesLongRuns(ReferenceCheckpoints):
    """It takes what fits into a file name."""

    def run(self, run_id: str) -> str:
        if len(super().run(run_id)) > 255:
            raise StoreValueError("too long")
        return run_id


@breaks("CHECKPOINT-RUN-05")
class SharesRuns(ReferenceCheckpoints):
    """It forgets under which namespace it was opened."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace and "shared")


@breaks("CHECKPOINT-STATE-01")
class ReadsStatesInDoubles(ReferenceCheckpoints):
    """It reads every number as a double."""

    def decode(self, run: str, version: int, text: str) -> Checkpoint:
        found = super().decode(run, version, text)
        state = json.loads(
            json.dumps(found.state), parse_int=lambda digits: int(float(digits[:300]))
        )
        return dataclasses.replace(found, state=state)


@breaks("CHECKPOINT-STATE-02")
class CutsStates(ReferenceCheckpoints):
    """It refuses what is larger than a megabyte."""

    def encode(self, cp: Checkpoint) -> str:
        text = super().encode(cp)
        if len(text) > 2**20:
            raise StoreValueError("too large")
        return text


@breaks("CHECKPOINT-STATE-03")
class ThawsStates(ReferenceCheckpoints):
    """It gives plain dicts on the way out."""

    def decode(self, run: str, version: int, text: str) -> Checkpoint:
        found = super().decode(run, version, text)
        for field in ("state", "metadata"):
            object.__setattr__(found, field, json.loads(json.dumps(getattr(found, field))))
        return found


@breaks("CHECKPOINT-STATE-04")
class WrapsStates(ReferenceCheckpoints):
    """It freezes with MappingProxyType, which json does not know."""

    def decode(self, run: str, version: int, text: str) -> Checkpoint:
        found = super().decode(run, version, text)
        object.__setattr__(found, "state", MappingProxyType(found.state))
        return found


@breaks("CHECKPOINT-STATE-05")
class KeepsTheStateItWasGiven(ReferenceCheckpoints):
    """It keeps the caller's own object."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.given: dict[tuple[str, int], Any] = {}

    async def save(self, cp: Checkpoint) -> None:
        await super().save(cp)
        self.given[cp.run_id, cp.version] = cp.state

    def decode(self, run: str, version: int, text: str) -> Checkpoint:
        found = super().decode(run, version, text)
        return dataclasses.replace(found, state=self.given.get((run, version), found.state))


@breaks("CHECKPOINT-STATE-06")
class StringifiesStates(ReferenceCheckpoints):
    """It dumps with default=str."""

    def encode(self, cp: Checkpoint) -> str:
        parts = [cp.state, cp.created_at, cp.status.value, cp.metadata]
        return json.dumps(parts, default=str, sort_keys=True, skipkeys=True)


@breaks("CHECKPOINT-STATE-07")
class BuildsWhatItReads(ReferenceCheckpoints):
    """It makes objects of dicts that name a class."""

    def decode(self, run: str, version: int, text: str) -> Checkpoint:
        found = super().decode(run, version, text)
        state = json.loads(json.dumps(found.state), object_hook=_build)
        return dataclasses.replace(found, state=state)


@breaks("CHECKPOINT-STATE-08")
class MissesEmptyStates(ReferenceCheckpoints):
    """It takes an empty state for none."""

    def read(self, run: str, version: int) -> Checkpoint | None:
        found = super().read(run, version)
        return found if found and found.state else None


@breaks("CHECKPOINT-FAULT-01")
class LetsItsDriverSpeak(ReferenceCheckpoints):
    """It lets the driver's own error out."""

    async def trip(self) -> None:
        if not self.backend.is_up:
            raise ConnectionResetError("by peer")
        await super().trip()


@breaks("CHECKPOINT-FAULT-02")
class NeverReconnects(ReferenceCheckpoints):
    """It never opens a new connection."""

    is_broken = False

    async def trip(self) -> None:
        self.is_broken = self.is_broken or not self.backend.is_up
        if self.is_broken:
            self.backend.is_up = False
        await super().trip()


@breaks("CHECKPOINT-CANCEL-01")
class SavesTheStateLater(ReferenceCheckpoints):
    """It writes the row in one round trip and its state in another."""

    async def save(self, cp: Checkpoint) -> None:
        text = self.encode(cp)
        empty = self.encode(dataclasses.replace(cp, state={}))
        self.space.runs.setdefault(self.run(cp.run_id), {}).setdefault(cp.version, empty)
        await self.trip()
        if self.space.runs[cp.run_id].get(cp.version) == empty:
            del self.space.runs[cp.run_id][cp.version]
        self.write(cp.run_id, self.version(cp.version), text)


@breaks("CHECKPOINT-CANCEL-02")
class ReservesVersions(ReferenceCheckpoints):
    """It takes a version before it saves, and keeps it when it is cancelled."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.taken: set[tuple[str, int]] = set()

    async def save(self, cp: Checkpoint) -> None:
        if (cp.run_id, cp.version) in self.taken:
            raise self.conflict(cp.run_id, cp.version)
        self.taken.add((cp.run_id, cp.version))
        await super().save(cp)
        self.taken.remove((cp.run_id, cp.version))


@breaks("CHECKPOINT-CANCEL-03")
class DeletesOneByOne(ReferenceCheckpoints):
    """It removes each version by a round trip of its own."""

    async def delete(self, run_id: str) -> None:
        for version in await self.list_versions(run_id):
            await asyncio.sleep(0)
            self.space.runs[run_id].pop(version, None)


def _build(data: dict[str, Any]) -> Any:
    is_order = {"__class__", "py/object", "lc", "$type"} & data.keys()
    return SimpleNamespace(kind="built") if is_order else data
