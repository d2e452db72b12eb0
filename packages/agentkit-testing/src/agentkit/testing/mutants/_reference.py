"""Correct adapters, made of small steps, so that a mutant is one step done wrong."""

import builtins
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from agentkit.core.contracts.errors import CheckpointConflict, StoreValueError
from agentkit.core.contracts.ports import Checkpoint, CheckpointStatus
from agentkit.core.contracts.store_rules import (
    add_to_counter,
    check_by,
    check_key,
    check_limit,
    check_prefix,
    check_ttl,
    decode_value,
    encode_value,
)
from agentkit.core.execution import SingleFlight
from agentkit.testing.mutants._backend import Backend, Space

__all__ = [
    "IgnoringStore",
    "LackingStore",
    "Produce",
    "ReferenceCheckpoints",
    "ReferenceStore",
]

Produce = Callable[[], Awaitable[Any]]

_NULL = encode_value(None)


class ReferenceStore:
    """A `StorePort` that keeps every clause."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        self.backend = backend
        self.space: Space = backend.space(namespace)
        self.flight: SingleFlight = SingleFlight()

    async def close(self) -> None:
        """Leave the backend as it is."""

    async def get(self, key: str) -> Any | None:
        """Give the value at *key*, or None."""
        held = await self.fetch(self.key(key))
        return None if held is None else self.decode(held)

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        """Put *value* at *key*."""
        key, text, ttl = self.key(key), self.encode(value), self.ttl(ttl)
        await self.trip()
        self.put(key, text, ttl)

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        """Give the value at *key*, produced once where there is none."""
        key, ttl = self.key(key), self.ttl(ttl)
        held = await self.fetch(key)
        if held is None:
            held = await self.flight.run(key, lambda: self.produce(key, fn, ttl))
        return self.decode(held)

    async def delete(self, key: str) -> None:
        """Remove the value at *key*."""
        key = self.key(key)
        await self.trip()
        self.remove(key)

    async def append(self, key: str, value: Any) -> None:
        """Add *value* to the log *key*."""
        key, text = self.key(key), self.encode(value)
        await self.trip()
        self.space.logs.setdefault(key, []).append(text)

    async def list(self, key: str) -> builtins.list[Any]:
        """Give the log *key*."""
        key = self.key(key)
        await self.trip()
        return [self.decode(text) for text in self.space.logs.get(key, [])]

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        """Put *value* at *key* if it holds *expected*."""
        key, text, ttl = self.key(key), self.encode(value), self.ttl(ttl)
        wanted = self.encode(expected)
        await self.trip()
        if (self.live(key) or _NULL) != wanted:
            return False
        self.put(key, text, ttl)
        return True

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        """Add *by* to the counter at *key*."""
        key, ttl = self.key(key), self.ttl(ttl)
        check_by(key, by)
        await self.trip()
        total, window = self.total(key, by), self.space.ends.get(key)
        self.put(key, self.encode(total), ttl)
        if window is not None:
            self.space.ends[key] = window
        return total

    def scan(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[str]:
        """Give the keys under *prefix*."""
        return self.pages(check_prefix(prefix), check_limit(limit))

    async def pages(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        """Give what one trip found, *limit* keys at most."""
        await self.trip()
        for key in self.found(prefix)[:limit]:
            yield key

    def found(self, prefix: str) -> builtins.list[str]:
        """Give the live keys under *prefix* as they are now."""
        keys = [key for key in self.space.texts if key.startswith(prefix)]
        return [key for key in keys if self.live(key) is not None]

    async def produce(self, key: str, fn: Produce, ttl: int | None) -> str:
        """Run *fn* and store its product unless somebody was quicker; give what is stored."""
        text = self.encode(await fn())
        await self.trip()
        held = self.live(key)
        if held is None:
            self.put(key, text, ttl)
            held = text
        return held

    async def fetch(self, key: str) -> str | None:
        """Give the text at *key*, by one trip."""
        await self.trip()
        return self.live(key)

    async def trip(self) -> None:
        """Go to the backend and back."""
        await self.backend.trip()

    def key(self, key: str) -> str:
        """Give *key* as the backend has it."""
        return check_key(key)

    def ttl(self, ttl: int | None) -> int | None:
        """Give *ttl* if it can be kept."""
        return check_ttl(ttl)

    def encode(self, value: Any) -> str:
        """Give the text of *value*."""
        return encode_value(value)

    def decode(self, text: str) -> Any:
        """Give the value of *text*."""
        return decode_value(text)

    def live(self, key: str) -> str | None:
        """Give the text at *key* unless it is over."""
        if self.space.ends.get(key, self.backend.now + 1) <= self.backend.now:
            self.remove(key)
        return self.space.texts.get(key)

    def put(self, key: str, text: str, ttl: int | None) -> None:
        """Write *text* and when it ends, in one step."""
        self.space.texts[key] = text
        self.space.ends.pop(key, None)
        if ttl is not None:
            self.space.ends[key] = self.backend.now + ttl

    def remove(self, key: str) -> None:
        """Take *key* and its end away."""
        self.space.texts.pop(key, None)
        self.space.ends.pop(key, None)

    def total(self, key: str, by: int) -> int:
        """Give what the counter at *key* comes to."""
        held = self.live(key)
        return add_to_counter(key, 0 if held is None else self.decode(held), by)


class LackingStore(ReferenceStore):
    """A `StorePort` without expiry that says so."""

    def ttl(self, ttl: int | None) -> int | None:
        """Refuse any *ttl*."""
        if ttl is not None:
            raise NotImplementedError("this store has no expiry")
        return None


class IgnoringStore(ReferenceStore):
    """A `StorePort` that ignores a ttl and warns once."""

    has_warned: bool = False

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        """Put *value* at *key*, then warn."""
        self.ttl(ttl)
        await super().set(key, value)
        self.warn(ttl)

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        """Give the value at *key*, then warn."""
        self.ttl(ttl)
        given = await super().get_or_set(key, fn)
        self.warn(ttl)
        return given

    async def compare_and_set(
        self, key: str, expected: Any, value: Any, *, ttl: int | None = None
    ) -> bool:
        """Swap, then warn."""
        self.ttl(ttl)
        has_applied = await super().compare_and_set(key, expected, value)
        self.warn(ttl)
        return has_applied

    async def increment(self, key: str, by: int = 1, *, ttl: int | None = None) -> int:
        """Count, then warn."""
        self.ttl(ttl)
        total = await super().increment(key, by)
        self.warn(ttl)
        return total

    def warn(self, ttl: int | None) -> None:
        """Say once that *ttl* is not kept."""
        if ttl is not None and not self.has_warned:
            self.has_warned = True
            warnings.warn("this store ignores ttl: nothing expires", stacklevel=3)


class ReferenceCheckpoints:
    """A `CheckpointPort` that keeps every clause."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        self.backend = backend
        self.space: Space = backend.space(namespace)

    async def close(self) -> None:
        """Leave the backend as it is."""

    async def save(self, cp: Checkpoint) -> None:
        """Write *cp*, once."""
        run, version, text = self.run(cp.run_id), self.version(cp.version), self.encode(cp)
        await self.trip()
        self.write(run, version, text)

    async def latest(self, run_id: str) -> Checkpoint | None:
        """Give the highest version."""
        run = self.run(run_id)
        await self.trip()
        versions = self.versions(run)
        return self.read(run, versions[-1]) if versions else None

    async def at_version(self, run_id: str, version: int) -> Checkpoint | None:
        """Give this version."""
        run = self.run(run_id)
        await self.trip()
        return self.read(run, version)

    async def list_versions(self, run_id: str) -> list[int]:
        """Give the versions upwards."""
        run = self.run(run_id)
        await self.trip()
        return self.versions(run)

    async def delete(self, run_id: str) -> None:
        """Remove every version."""
        run = self.run(run_id)
        await self.trip()
        self.space.runs.pop(run, None)

    async def trip(self) -> None:
        """Go to the backend and back."""
        await self.backend.trip()

    def run(self, run_id: str) -> str:
        """Give *run_id* as the backend has it."""
        return check_key(run_id)

    def version(self, version: int) -> int:
        """Give *version* if a checkpoint can have it."""
        if version < 1:
            raise StoreValueError(f"a version counts from 1; got {version!r}")
        return version

    def encode(self, cp: Checkpoint) -> str:
        """Give the text of *cp*."""
        return encode_value([cp.state, cp.created_at, cp.status.value, cp.metadata])

    def decode(self, run: str, version: int, text: str) -> Checkpoint:
        """Give the checkpoint of *text*."""
        state, created_at, status, metadata = decode_value(text)
        return Checkpoint(run, version, state, created_at, CheckpointStatus(status), metadata)

    def write(self, run: str, version: int, text: str) -> None:
        """Write *text* unless another is there, in one step."""
        if self.space.runs.setdefault(run, {}).setdefault(version, text) != text:
            raise self.conflict(run, version)

    def read(self, run: str, version: int) -> Checkpoint | None:
        """Give what is there of *version*, or None."""
        text = self.space.runs.get(run, {}).get(version)
        return None if text is None else self.decode(run, version, text)

    def versions(self, run: str) -> list[int]:
        """Give the versions of *run* upwards."""
        return sorted(self.space.runs.get(run, {}))

    def conflict(self, run: str, version: int) -> CheckpointConflict:
        """Give the error of the second writer."""
        return CheckpointConflict(
            f"version {version} of run {run!r} is there with other content",
            run_id=run,
            version=version,
        )
