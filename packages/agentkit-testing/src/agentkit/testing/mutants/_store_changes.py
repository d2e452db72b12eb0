"""Stores that swap, count and log wrongly."""

import builtins
import json
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.store_rules import check_by
from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._reference import ReferenceStore
from agentkit.testing.mutants._trial import breaks


class _OwnSwap(ReferenceStore):
    """The base of those that compare in a way of their own."""

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        key, text, ttl = self.key(key), self.encode(value), self.ttl(ttl)
        await self.trip()
        if not self.agrees(self.live(key), expected):
            return False
        self.put(key, text, ttl)
        return True

    def agrees(self, held: str | None, expected: Any) -> bool:
        """Whether what is *held* is what is *expected*."""
        return (held or "null") == self.encode(expected)


@breaks("STORE-CAS-01")
class SaysNothingOfASwap(ReferenceStore):
    """It gives what the driver gives: how many rows changed."""

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> Any:
        return int(await super().compare_and_set(key, expected, value, ttl=ttl))


@breaks("STORE-CAS-02")
class SwapsWhateverIsThere(_OwnSwap):
    """It does not compare."""

    def agrees(self, held: str | None, expected: Any) -> bool:
        return super().agrees(held, expected) or True


@breaks("STORE-CAS-03", "STORE-LAW-06")
class SwapsOnlyWhatIsThere(_OwnSwap):
    """It swaps with UPDATE, which finds no row."""

    def agrees(self, held: str | None, expected: Any) -> bool:
        return held is not None and super().agrees(held, expected)


@breaks("STORE-CAS-04")
class TakesNoneForAbsentOnly(_OwnSwap):
    """It inserts where None is expected, and finds the key taken."""

    def agrees(self, held: str | None, expected: Any) -> bool:
        return held is None if expected is None else super().agrees(held, expected)


@breaks("STORE-CAS-05")
class TakesAbsentForFalse(_OwnSwap):
    """It lets an absent key equal whatever is empty or false."""

    def agrees(self, held: str | None, expected: Any) -> bool:
        return not expected if held is None else super().agrees(held, expected)


@breaks("STORE-CAS-06", "STORE-LAW-03")
class ComparesInOrder(_OwnSwap):
    """It compares texts whose keys are in no order."""

    def agrees(self, held: str | None, expected: Any) -> bool:
        return json.dumps(self.decode(held or "null")) == json.dumps(expected)


@breaks("STORE-CAS-07", "STORE-LAW-03")
class ComparesAsPython(_OwnSwap):
    """It compares with ==, for which True is 1."""

    def agrees(self, held: str | None, expected: Any) -> bool:
        self.encode(expected)
        return bool(self.decode(held or "null") == expected)


@breaks("STORE-CAS-01", "STORE-CAS-08")
class ComparesIdentity(_OwnSwap):
    """It wants the very object it gave."""

    def agrees(self, held: str | None, expected: Any) -> bool:
        return self.decode(held or "null") is expected


@breaks("STORE-CAS-09", "STORE-CAS-10", "STORE-LINEAR-01")
class ComparesThenSwaps(ReferenceStore):
    """It reads in one round trip and writes in another."""

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        if self.encode(await self.get(key)) != self.encode(expected):
            return False
        await self.set(key, value, ttl=ttl)
        return True


@breaks("STORE-CAS-11")
class ExpectsWhatItWouldStore(_OwnSwap):
    """It lets a tuple equal the list it would become."""

    def agrees(self, held: str | None, expected: Any) -> bool:
        return json.dumps(self.decode(held or "null")) == json.dumps(expected, default=str)


@breaks("STORE-CAS-12")
class KeepsWhatIsSwappedIn(ReferenceStore):
    """It stores the caller's own object."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.given: dict[str, Any] = {}

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        self.given[key] = value
        return await super().compare_and_set(key, expected, value, ttl=ttl)

    async def get(self, key: str) -> Any:
        return self.given.get(key) or await super().get(key)


@breaks("STORE-CAS-13")
class KnowsPlainValuesOnly(_OwnSwap):
    """It compares types, and a frozen dict is another."""

    def agrees(self, held: str | None, expected: Any) -> bool:
        return super().agrees(held, expected) and type(self.decode(held or "null")) is type(
            expected
        )


@breaks("STORE-COUNT-01")
class CountsFromOne(ReferenceStore):
    """It takes a new counter for counted."""

    def total(self, key: str, by: int) -> int:
        return super().total(key, by + (self.live(key) is None))


@breaks("STORE-COUNT-02", "STORE-LAW-05")
class CountsUpOnly(ReferenceStore):
    """It refuses to count down."""

    def total(self, key: str, by: int) -> int:
        if by < 0:
            raise StoreValueError("a counter only grows")
        return super().total(key, by)


@breaks("STORE-COUNT-03")
class CutsAmounts(ReferenceStore):
    """It makes a whole number of the amount."""

    async def increment(self, key: str, by: Any = 1, *, ttl: int | None = None) -> int:
        return await super().increment(key, int(by or 0), ttl=ttl)


@breaks("STORE-COUNT-04")
class MakesTheCounterFirst(ReferenceStore):
    """It writes a zero before it looks at the amount."""

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        self.space.texts.setdefault(self.key(key), "0")
        return await super().increment(key, by, ttl=ttl)


@breaks("STORE-COUNT-05")
class CountsOnAnything(ReferenceStore):
    """It makes a whole number of what is stored."""

    def total(self, key: str, by: int) -> int:
        held = self.decode(self.live(key) or "0")
        return int(held or 0) + by if not isinstance(held, (str, list, dict)) else by


@breaks("STORE-COUNT-06", "STORE-LAW-05")
class CountsInFourBytes(ReferenceStore):
    """Its column is an int4."""

    def total(self, key: str, by: int) -> int:
        total = super().total(key, by)
        if abs(total) >= 2**31:
            raise StoreValueError("integer out of range")
        return total


@breaks("STORE-COUNT-07")
class CountsWithoutEnd(ReferenceStore):
    """It counts beyond what a backend with 64 bits can hold."""

    def total(self, key: str, by: int) -> int:
        held = self.decode(self.live(key) or "0")
        return held + by if type(held) is int else super().total(key, by)


@breaks("STORE-COUNT-08", "STORE-LINEAR-02")
class ReadsThenCounts(ReferenceStore):
    """It reads in one round trip and writes in another."""

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        check_by(self.key(key), by)
        await self.trip()
        total = self.total(key, by)
        await self.set(key, total, ttl=ttl)
        return total


@breaks("STORE-COUNT-09", "STORE-LINEAR-02")
class CountsThenReads(ReferenceStore):
    """It counts in one round trip and reads the total in another."""

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        await super().increment(key, by, ttl=ttl)
        return int(await self.get(key) or 0)


@breaks("STORE-COUNT-10", "STORE-LAW-06")
class CountsElsewhere(ReferenceStore):
    """It keeps counters in a table of their own."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.counters: dict[str, int] = {}

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        await super().increment(key, by, ttl=ttl)
        self.counters[key] = self.counters.get(key, 0) + by
        return self.counters[key]


@breaks("STORE-LOG-01", "STORE-LAW-02")
class LogsBackwards(ReferenceStore):
    """It pushes at the head."""

    async def list(self, key: str) -> builtins.list[Any]:
        return (await super().list(key))[::-1]


@breaks("STORE-LOG-02")
class HasNoEmptyLog(ReferenceStore):
    """It gives None for a log it does not know."""

    async def list(self, key: str) -> Any:
        return (await super().list(key)) or None


@breaks("STORE-LOG-03", "STORE-LAW-06")
class LogsAmongValues(ReferenceStore):
    """It keeps a log as the value of its key."""

    async def append(self, key: str, value: Any) -> None:
        await super().append(key, value)
        self.put(key, self.encode(await self.list(key)), None)


@breaks("STORE-LOG-04")
class DeletesLogs(ReferenceStore):
    """It deletes whatever has that name."""

    def remove(self, key: str) -> None:
        super().remove(key)
        self.space.logs.pop(key, None)


@breaks("STORE-LOG-05", "STORE-LINEAR-03")
class ReadsThenAppends(ReferenceStore):
    """It reads the log, and writes it back longer."""

    async def append(self, key: str, value: Any) -> None:
        text = self.encode(value)
        entries = [*self.space.logs.get(self.key(key), []), text]
        await self.trip()
        self.space.logs[key] = entries


@breaks("STORE-LOG-06", "STORE-LINEAR-03")
class LogsPerWriter(ReferenceStore):
    """It keeps the entries of each instance together."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.mine: list[str] = []

    async def append(self, key: str, value: Any) -> None:
        await super().append(key, value)
        self.mine.append(self.encode(value))

    async def list(self, key: str) -> builtins.list[Any]:
        entries = self.space.logs.get(self.key(key), [])
        await self.trip()
        return [self.decode(text) for text in sorted(entries, key=self.mine.__contains__)]


@breaks("STORE-LOG-07")
class DropsTheFalse(ReferenceStore):
    """It logs nothing for an empty or false entry."""

    async def append(self, key: str, value: Any) -> None:
        if value:
            await super().append(key, value)


@breaks("STORE-LOG-08")
class LogsWhatItWasGiven(ReferenceStore):
    """It keeps the caller's own entries, and gives out its own list of them."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.given: dict[str, list[Any]] = {}

    async def append(self, key: str, value: Any) -> None:
        await super().append(key, value)
        self.given.setdefault(key, []).append(value)

    async def list(self, key: str) -> builtins.list[Any]:
        return self.given.get(key) or await super().list(key)


@breaks("STORE-LOG-09")
class LogsText(ReferenceStore):
    """It logs the repr of what is no JSON."""

    async def append(self, key: str, value: Any) -> None:
        try:
            self.encode(value)
        except StoreValueError:
            value = repr(value)
        await super().append(key, value)
