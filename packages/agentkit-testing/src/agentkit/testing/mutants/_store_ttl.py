"""Stores whose expiry comes too early, too late, never, or to the wrong key."""

import builtins
import warnings
from typing import Any

from agentkit.core.contracts.errors import StoreValueError
from agentkit.testing.mutants._backend import Backend, Space
from agentkit.testing.mutants._reference import (
    IgnoringStore,
    LackingStore,
    Produce,
    ReferenceStore,
)
from agentkit.testing.mutants._trial import breaks


@breaks("STORE-TTL-01", "STORE-LAW-07")
class NeverExpires(ReferenceStore):
    """It takes a ttl and says nothing."""

    def put(self, key: str, text: str, ttl: int | None) -> None:
        super().put(key, text, ttl and None)


@breaks("STORE-TTL-01")
class ExpiresEarly(ReferenceStore):
    """It counts from the last whole second before."""

    def put(self, key: str, text: str, ttl: int | None) -> None:
        super().put(key, text, None if ttl is None else max(1, ttl - 2))


@breaks("STORE-TTL-02", "STORE-LAW-07")
class InheritsTheEnd(ReferenceStore):
    """It leaves the first end where it is."""

    def put(self, key: str, text: str, ttl: int | None) -> None:
        end = self.space.ends.get(key)
        super().put(key, text, ttl)
        if end is not None and ttl is not None:
            self.space.ends[key] = end


@breaks("STORE-TTL-03", "STORE-TTL-09", "STORE-TTL-17")
class NeverClearsAnEnd(ReferenceStore):
    """It updates the value and leaves the expiry, even of what is over."""

    def live(self, key: str) -> str | None:
        is_over = self.space.ends.get(key, self.backend.now + 1) <= self.backend.now
        return None if is_over else self.space.texts.get(key)

    def put(self, key: str, text: str, ttl: int | None) -> None:
        end = self.space.ends.get(key)
        super().put(key, text, ttl)
        if end is not None and ttl is None:
            self.space.ends[key] = end


@breaks("STORE-TTL-04")
class SlidesOnReading(ReferenceStore):
    """It gives a key that is read its whole ttl again."""

    async def get(self, key: str) -> Any:
        held = await super().get(key)
        if key in self.space.ends:
            self.space.ends[key] = self.backend.now + 2
        return held


@breaks("STORE-TTL-04")
class SlidesOnAHit(ReferenceStore):
    """It lets a hit of get_or_set bring its own ttl."""

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        given = await super().get_or_set(key, fn, ttl=ttl)
        self.put(key, self.encode(given), ttl)
        return given


@breaks("STORE-TTL-05")
class ScansTheExpired(ReferenceStore):
    """It filters on reading a key, not on scanning."""

    def found(self, prefix: str) -> builtins.list[str]:
        return [key for key in self.space.texts if key.startswith(prefix)]


@breaks("STORE-TTL-05")
class CountsTheExpired(ReferenceStore):
    """It lets what is over use up the limit."""

    def found(self, prefix: str) -> builtins.list[str]:
        before = [key for key in self.space.texts if key.startswith(prefix)]
        alive = super().found(prefix)
        return alive[: -(len(before) - len(alive)) or None]


@breaks("STORE-TTL-06")
class ProducesForEver(ReferenceStore):
    """It loses the ttl between get_or_set and the write."""

    async def produce(self, key: str, fn: Produce, ttl: int | None) -> str:
        return await super().produce(key, fn, ttl and None)


@breaks("STORE-TTL-07")
class SwapsTheExpired(ReferenceStore):
    """It compares with what is over."""

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        if self.space.texts.get(self.key(key)) == self.encode(expected):
            self.space.ends.pop(key, None)
        return await super().compare_and_set(key, expected, value, ttl=ttl)


@breaks("STORE-TTL-08")
class SwapsInForEver(ReferenceStore):
    """It loses the ttl of a swap."""

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        self.ttl(ttl)
        return await super().compare_and_set(key, expected, value)


@breaks("STORE-TTL-09")
class SwapsUnderTheOldEnd(ReferenceStore):
    """It swaps the value and leaves the expiry."""

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        end = self.space.ends.get(key)
        has_applied = await super().compare_and_set(key, expected, value, ttl=ttl)
        if end is not None and ttl is None:
            self.space.ends[key] = end
        return has_applied


@breaks("STORE-TTL-10")
class RefusesAndMovesTheEnd(ReferenceStore):
    """It sets the expiry whether or not it swaps."""

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        has_applied = await super().compare_and_set(key, expected, value, ttl=ttl)
        if ttl is not None and key in self.space.texts:
            self.space.ends[key] = self.backend.now + ttl
        return has_applied


@breaks("STORE-TTL-10")
class RefusesAndClearsTheEnd(ReferenceStore):
    """It clears the expiry before it compares."""

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        self.live(self.key(key))
        self.space.ends.pop(key, None)
        return await super().compare_and_set(key, expected, value, ttl=ttl)


@breaks("STORE-TTL-11", "STORE-TTL-12")
class TakesAnyTtl(ReferenceStore):
    """It makes a number of whatever it is given, and takes zero for never."""

    def ttl(self, ttl: int | None) -> int | None:
        return None if ttl is None else int(ttl) or None


@breaks("STORE-TTL-12")
class LooksAtTheTtlLast(ReferenceStore):
    """It produces and writes, then finds the ttl out of range."""

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        given = await super().get_or_set(key, fn)
        self.put(key, self.encode(given), self.ttl(ttl))
        return given


@breaks("STORE-TTL-13")
class CountsInMilliseconds(ReferenceStore):
    """It overflows its 32 bits of milliseconds."""

    def put(self, key: str, text: str, ttl: int | None) -> None:
        super().put(key, text, ttl)
        if ttl is not None and ttl * 1000 >= 2**32:
            self.space.ends[key] = self.backend.now


@breaks("STORE-TTL-14")
class ExpiresWhatIsBelow(ReferenceStore):
    """It takes everything that begins with an expired key, and the log."""

    def live(self, key: str) -> str | None:
        over = [k for k, end in self.space.ends.items() if end <= self.backend.now]
        for each in [k for k in self.space.texts for o in over if k.startswith(o)]:
            self.remove(each)
        return super().live(key)


@breaks("STORE-TTL-15")
class BuriesTheEndWithoutTheKey(ReferenceStore):
    """It deletes a value and keeps its expiry for the next."""

    async def delete(self, key: str) -> None:
        end = self.space.ends.get(key)
        await super().delete(key)
        if end is not None:
            self.space.ends[key] = end

    def put(self, key: str, text: str, ttl: int | None) -> None:
        end = None if key in self.space.texts else self.space.ends.get(key)
        super().put(key, text, ttl)
        if end is not None and ttl is None:
            self.space.ends[key] = end


@breaks("STORE-TTL-16")
class ExpiresForItselfOnly(ReferenceStore):
    """It keeps expiry in the memory of the instance that wrote."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        shared = self.space
        self.space = Space(texts=shared.texts, logs=shared.logs)


@breaks("STORE-TTL-17")
class ReapsByTimer(ReferenceStore):
    """It deletes when the first end has come, whatever was written since."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.timers: dict[str, float] = {}

    def put(self, key: str, text: str, ttl: int | None) -> None:
        super().put(key, text, ttl)
        if ttl is not None:
            self.timers[key] = self.backend.now + ttl

    def live(self, key: str) -> str | None:
        if self.timers.get(key, self.backend.now + 1) <= self.backend.now:
            self.remove(key)
        return super().live(key)


@breaks("STORE-WINDOW-01")
class CountsForEver(ReferenceStore):
    """It loses the ttl of an increment."""

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        self.ttl(ttl)
        return await super().increment(key, by)


@breaks("STORE-WINDOW-02", "STORE-LAW-07")
class SlidesItsWindow(ReferenceStore):
    """It opens the window anew with every hit, so that it never closes."""

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        total = await super().increment(key, by, ttl=ttl)
        if ttl is not None:
            self.space.ends[key] = self.backend.now + ttl
        return total


@breaks("STORE-WINDOW-03")
class ClosesItsWindow(ReferenceStore):
    """It counts with a plain write, which clears the expiry."""

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        total = await super().increment(key, by, ttl=ttl)
        if ttl is None:
            self.space.ends.pop(key, None)
        return total


@breaks("STORE-WINDOW-04")
class OpensAWindowAtFirstOnly(ReferenceStore):
    """It opens a window only with a new counter."""

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        is_new = self.live(self.key(key)) is None
        self.ttl(ttl)
        return await super().increment(key, by, ttl=ttl if is_new else None)


@breaks("STORE-WINDOW-05")
class RemembersItsWindow(ReferenceStore):
    """It opens the next window as long as the last, unasked."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.windows: dict[str, int] = {}

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        if ttl is not None and self.ttl(ttl):
            self.windows[key] = ttl
        return await super().increment(key, by, ttl=self.windows.get(key, ttl))


@breaks("STORE-WINDOW-06")
class OpensAWindowFirst(ReferenceStore):
    """It sets the expiry before it looks at what is stored."""

    def total(self, key: str, by: int) -> int:
        self.space.ends.setdefault(key, self.backend.now + 1)
        return super().total(key, by)


@breaks("STORE-LACK-01")
class WritesThenRefuses(LackingStore):
    """It writes the value, and refuses the ttl."""

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        await super().set(key, value)
        self.ttl(ttl)


@breaks("STORE-LACK-01")
class RefusesOnlyGoodTtls(LackingStore):
    """It calls a ttl out of range a bad value, though it takes none."""

    def ttl(self, ttl: Any) -> int | None:
        if ttl is not None and (ttl is True or not isinstance(ttl, int) or ttl < 1):
            raise StoreValueError("a ttl is a positive whole number")
        return super().ttl(ttl)


@breaks("STORE-TTL-01", "STORE-WINDOW-01")
class LacksInSilence(LackingStore):
    """It takes a ttl that it cannot keep."""

    def ttl(self, ttl: int | None) -> int | None:
        return ttl and None


@breaks("STORE-IGNORE-01")
class WarnsAlways(IgnoringStore):
    """It warns with every call."""

    def warn(self, ttl: int | None) -> None:
        super().warn(ttl)
        self.has_warned = False


@breaks("STORE-IGNORE-02")
class WarnsOfWritesOnly(IgnoringStore):
    """It says nothing of an increment."""

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        self.ttl(ttl)
        return await super().increment(key, by)


@breaks("STORE-IGNORE-03")
class RefusesSwapsWithATtl(IgnoringStore):
    """It answers a swap with a ttl as if it had lost."""

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        return ttl is None and await super().compare_and_set(key, expected, value)


@breaks("STORE-IGNORE-04")
class ExpiresInSecret(IgnoringStore):
    """It warns that nothing expires, and expires it."""

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        await super().set(key, value, ttl=ttl)
        if ttl is not None:
            self.space.ends[key] = self.backend.now + ttl


@breaks("STORE-IGNORE-05")
class IgnoresBadTtlsToo(IgnoringStore):
    """It does not look at what it ignores."""

    def ttl(self, ttl: int | None) -> int | None:
        return ttl


@breaks("STORE-IGNORE-06")
class WarnsBeforeItWrites(IgnoringStore):
    """It warns first, which is an error where warnings are, and writes nothing."""

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        if self.ttl(ttl) is not None and not self.has_warned:
            self.has_warned = True
            warnings.warn("this store ignores ttl", stacklevel=2)
        await super().set(key, value)
