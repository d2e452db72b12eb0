"""Stores that read back something else than was written."""

import copy
import json
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.serialization import deep_freeze
from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._reference import ReferenceStore
from agentkit.testing.mutants._trial import breaks


@breaks("STORE-PORT-01")
class HasNoScan(ReferenceStore):
    """It leaves out a verb of the port."""

    scan = None  # type: ignore[assignment]


@breaks("STORE-KV-01")
class InventsADefault(ReferenceStore):
    """It gives an empty dict for a key that is not there."""

    async def get(self, key: str) -> Any:
        return (await super().get(key)) or {}


@breaks("STORE-KV-02")
class KeepsTheFirst(ReferenceStore):
    """It writes with INSERT OR IGNORE."""

    def put(self, key: str, text: str, ttl: int | None) -> None:
        if key not in self.space.texts:
            super().put(key, text, ttl)


@breaks("STORE-KV-03")
class DeletesLater(ReferenceStore):
    """It leaves deleting to a sweep that never comes."""

    async def delete(self, key: str) -> None:
        self.key(key)


@breaks("STORE-KV-04")
class MissesWhatItDeletes(ReferenceStore):
    """It fails on a key that is not there."""

    def remove(self, key: str) -> None:
        del self.space.texts[key]
        self.space.ends.pop(key, None)


@breaks("STORE-KV-05", "STORE-KV-07")
class CachesReads(ReferenceStore):
    """It remembers what it has read and does not look again."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.seen: dict[str, str] = {}

    async def fetch(self, key: str) -> str | None:
        held = self.seen.get(key) or await super().fetch(key)
        if held is not None:
            self.seen[key] = held
        return held

    def put(self, key: str, text: str, ttl: int | None) -> None:
        super().put(key, text, ttl)
        self.seen[key] = text


@breaks("STORE-KV-06", "STORE-LOG-10")
class ForgetsOnClosing(ReferenceStore):
    """It keeps everything in a connection's temporary tables."""

    async def close(self) -> None:
        self.space.texts.clear()
        self.space.logs.clear()


@breaks("STORE-VALUE-01")
class ReadsByTruth(ReferenceStore):
    """It takes what is empty or false for absent."""

    def decode(self, text: str) -> Any:
        return super().decode(text) or None


@breaks("STORE-VALUE-02")
class DropsNul(ReferenceStore):
    """It strips NUL, which its column refuses."""

    def encode(self, value: Any) -> str:
        return super().encode(value).replace("\\u0000", "")


@breaks("STORE-VALUE-02", "STORE-LOG-11")
class ReplacesSurrogates(ReferenceStore):
    """It writes UTF-8 with errors="replace"."""

    def encode(self, value: Any) -> str:
        text = super().encode(value)
        return text.replace("\\ud800", "?").replace("\\udfff", "?")


@breaks("STORE-VALUE-03", "STORE-LOG-11", "STORE-LAW-01", "STORE-LAW-02")
class CountsInDoubles(ReferenceStore):
    """It reads every number as a double, as JavaScript and jsonb extracts do."""

    def decode(self, text: str) -> Any:
        value = json.loads(text, parse_int=float)
        return int(value) if isinstance(value, float) and value.is_integer() else value


@breaks("STORE-VALUE-03", "STORE-LAW-01")
class RoundsFloats(ReferenceStore):
    """It keeps fifteen digits of a float."""

    def decode(self, text: str) -> Any:
        return json.loads(text, parse_float=lambda digits: float(f"{float(digits):.15g}"))


@breaks("STORE-VALUE-04")
class LimitsDepth(ReferenceStore):
    """It refuses what is nested a hundred deep."""

    def encode(self, value: Any) -> str:
        text = super().encode(value)
        if "[" * 20 in text.replace('{"in":', ""):
            raise StoreValueError("too deep")
        return text


@breaks("STORE-VALUE-05")
class HasTextColumns(ReferenceStore):
    """It cuts what is longer than 65,535 bytes."""

    def decode(self, text: str) -> Any:
        value = super().decode(text)
        return value[:65_535] if isinstance(value, str) else value


@breaks("STORE-VALUE-06", "STORE-VALUE-12", "STORE-VALUE-13", "STORE-LOG-09")
class StringifiesStrangers(ReferenceStore):
    """It dumps with default=str: tuples become lists, objects their repr."""

    def encode(self, value: Any) -> str:
        return json.dumps(value, default=str, sort_keys=True, separators=(",", ":"), skipkeys=True)


@breaks("STORE-VALUE-07")
class WritesBeforeItChecks(ReferenceStore):
    """It makes the row, then finds that the value cannot be written."""

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        self.space.texts.setdefault(self.key(key), "null")
        await super().set(key, value, ttl=ttl)


@breaks("STORE-VALUE-08")
class RefusesLongIntegers(ReferenceStore):
    """It refuses an integer that the rules allow."""

    def encode(self, value: Any) -> str:
        text = super().encode(value)
        if len(text) >= 4300 and text.isdigit():
            raise StoreValueError("too many digits")
        return text


@breaks("STORE-VALUE-09")
class KeepsWhatItWasGiven(ReferenceStore):
    """It stores the caller's own object."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.given: dict[str, Any] = {}

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        await super().set(key, value, ttl=ttl)
        self.given[key] = value

    async def get(self, key: str) -> Any:
        if key in self.given:
            return copy.deepcopy(self.given[key])
        return await super().get(key)


@breaks("STORE-VALUE-10", "STORE-LOG-08", "STORE-FLIGHT-19")
class HandsOutItsOwn(ReferenceStore):
    """It decodes a text once and gives everybody the same object."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.decoded: dict[str, Any] = {}

    def decode(self, text: str) -> Any:
        return self.decoded.setdefault(text, super().decode(text))


@breaks("STORE-VALUE-11", "STORE-FLIGHT-20")
class ReadsBackFrozen(ReferenceStore):
    """It gives frozen containers, which its caller cannot change."""

    def decode(self, text: str) -> Any:
        return deep_freeze(super().decode(text))


@breaks("STORE-VALUE-14")
class UntiesKnots(ReferenceStore):
    """It writes null for a value that holds itself."""

    def encode(self, value: Any) -> str:
        try:
            json.dumps(value, default=str, skipkeys=True)
        except ValueError:
            return "null"
        return super().encode(value)
