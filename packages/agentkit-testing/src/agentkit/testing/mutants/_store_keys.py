"""Stores that mix up keys, and scans that tell something else than is there."""

import asyncio
import builtins
import fnmatch
import re
import unicodedata
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

from agentkit.core.contracts.errors import StoreValueError
from agentkit.core.contracts.store_rules import check_limit, check_prefix
from agentkit.testing.mutants._backend import Backend
from agentkit.testing.mutants._reference import Produce, ReferenceStore
from agentkit.testing.mutants._trial import breaks


@breaks("STORE-KEY-01", "STORE-LAW-04")
class FoldsCase(ReferenceStore):
    """Its column compares without case."""

    def key(self, key: str) -> str:
        return super().key(key).casefold()


@breaks("STORE-KEY-01")
class NormalisesKeys(ReferenceStore):
    """Its file system keeps one normal form."""

    def key(self, key: str) -> str:
        return unicodedata.normalize("NFC", super().key(key))


@breaks("STORE-KEY-01")
class StripsKeys(ReferenceStore):
    """It trims blanks."""

    def key(self, key: str) -> str:
        return super().key(key).strip()


@breaks("STORE-KEY-01", "STORE-KEY-04")
class MakesKeysSafe(ReferenceStore):
    """It puts an underscore for what no file name may have."""

    def key(self, key: str) -> str:
        return re.sub(r"[/\\:*?]", "_", super().key(key))


@breaks("STORE-KEY-02")
class ScansQuotedKeys(ReferenceStore):
    """It gives keys as they are in its file names."""

    def found(self, prefix: str) -> builtins.list[str]:
        return [quote(key) for key in super().found(prefix)]


@breaks("STORE-KEY-03")
class DeletesByPattern(ReferenceStore):
    """It deletes with LIKE."""

    def remove(self, key: str) -> None:
        for each in fnmatch.filter(self.space.texts, key):
            super().remove(each)


@breaks("STORE-KEY-04")
class NamesLogsSafely(ReferenceStore):
    """It keeps logs under names without punctuation."""

    async def append(self, key: str, value: Any) -> None:
        await super().append(re.sub(r"\W", "_", key), value)

    async def list(self, key: str) -> builtins.list[Any]:
        return await super().list(re.sub(r"\W", "_", key))


@breaks("STORE-KEY-05")
class CutsKeys(ReferenceStore):
    """It keeps 255 characters of a key, as many as a file name has."""

    def key(self, key: str) -> str:
        return super().key(key)[:255]


@breaks("STORE-KEY-06")
class RefusesLongKeys(ReferenceStore):
    """It takes half of what the rules allow."""

    def key(self, key: str) -> str:
        if len(super().key(key)) > 512:
            raise StoreValueError("too long")
        return key


@breaks("STORE-KEY-07")
class TakesAnyKey(ReferenceStore):
    """It makes text of whatever it is given."""

    def key(self, key: str) -> str:
        return str(key)


@breaks("STORE-KEY-08")
class ProducesBeforeItChecks(ReferenceStore):
    """It looks at the key when there is something to store."""

    async def get_or_set(self, key: str, fn: Produce, *, ttl: int | None = None) -> Any:
        product = None if self.space.texts.get(key) else await fn()

        async def made() -> Any:
            return product

        return await super().get_or_set(key, made, ttl=ttl)


@breaks("STORE-KEY-09")
class ScansAnyPrefix(ReferenceStore):
    """It makes text of whatever prefix it is given."""

    def scan(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[str]:
        return self.pages(str(prefix), check_limit(limit))


@breaks("STORE-KEY-10")
class SharesNamespaces(ReferenceStore):
    """It forgets under which namespace it was opened."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace and "shared")


@breaks("STORE-KEY-11")
class ScansEveryNamespace(ReferenceStore):
    """It scans the whole table."""

    def found(self, prefix: str) -> builtins.list[str]:
        spaces = self.backend.spaces.values()
        return [key for space in spaces for key in space.texts if key.startswith(prefix)]


@breaks("STORE-SCAN-01")
class ScansShortKeys(ReferenceStore):
    """It takes the prefix off."""

    def found(self, prefix: str) -> builtins.list[str]:
        return [key.removeprefix(prefix) for key in super().found(prefix)]


@breaks("STORE-SCAN-02")
class ScansBelowThePrefix(ReferenceStore):
    """It leaves out the key that equals the prefix."""

    def found(self, prefix: str) -> builtins.list[str]:
        return [key for key in super().found(prefix) if key != prefix]


@breaks("STORE-SCAN-03")
class ScansEveryWrite(ReferenceStore):
    """It gives a key as often as it was written."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.written: list[str] = []

    def put(self, key: str, text: str, ttl: int | None) -> None:
        super().put(key, text, ttl)
        self.written.append(key)

    def found(self, prefix: str) -> builtins.list[str]:
        keys = super().found(prefix)
        return [key for key in self.written if key in keys]


@breaks("STORE-SCAN-04")
class ScansByGlob(ReferenceStore):
    """It matches with KEYS prefix*."""

    def found(self, prefix: str) -> builtins.list[str]:
        return fnmatch.filter(super().found(""), f"{prefix}*")


@breaks("STORE-SCAN-04", "STORE-LAW-04")
class ScansByLike(ReferenceStore):
    """It matches with LIKE 'prefix%', its wildcards and its deaf ear for case."""

    def found(self, prefix: str) -> builtins.list[str]:
        pattern = re.escape(prefix).replace("%", ".*").replace("_", ".")
        return [key for key in super().found("") if re.match(pattern, key, re.IGNORECASE)]


@breaks("STORE-SCAN-05")
class ScansLogs(ReferenceStore):
    """It keeps logs where it keeps values, and gives both."""

    def found(self, prefix: str) -> builtins.list[str]:
        return super().found(prefix) + [key for key in self.space.logs if key.startswith(prefix)]


@breaks("STORE-SCAN-06")
class ScansTheDead(ReferenceStore):
    """It never takes a key out of its index."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.index: set[str] = set()

    def found(self, prefix: str) -> builtins.list[str]:
        return sorted(key for key in self.index if key.startswith(prefix))

    def put(self, key: str, text: str, ttl: int | None) -> None:
        super().put(key, text, ttl)
        self.index.add(key)


@breaks("STORE-SCAN-07")
class IndexesWhatIsSet(ReferenceStore):
    """It forgets its index in every verb but set."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.index: set[str] = set()

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        await super().set(key, value, ttl=ttl)
        self.index.add(key)

    def found(self, prefix: str) -> builtins.list[str]:
        return [key for key in super().found(prefix) if key in self.index]


@breaks("STORE-SCAN-08")
class TakesTheLimitForAPage(ReferenceStore):
    """It gives page after page of the size asked for."""

    async def pages(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        async for key in super().pages(prefix, limit and None):
            yield key


@breaks("STORE-SCAN-09")
class TakesZeroForNoLimit(ReferenceStore):
    """It asks whether the limit is true."""

    async def pages(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        async for key in super().pages(prefix, limit or None):
            yield key


@breaks("STORE-SCAN-10")
class CountsFromTheEnd(ReferenceStore):
    """It slices by a negative limit."""

    def scan(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[str]:
        return self.pages(check_prefix(prefix), limit)


@breaks("STORE-SCAN-11")
class WantsAPrefix(ReferenceStore):
    """It gives nothing for the empty prefix."""

    def found(self, prefix: str) -> builtins.list[str]:
        return super().found(prefix) if prefix else []


@breaks("STORE-SCAN-12")
class ScansOnePage(ReferenceStore):
    """It does not follow the cursor."""

    def found(self, prefix: str) -> builtins.list[str]:
        return super().found(prefix)[:500]


@breaks("STORE-SCAN-13")
class ScansTheLiveDict(ReferenceStore):
    """It iterates over what others are changing."""

    async def pages(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        await self.trip()
        for given, key in enumerate(self.space.texts):
            if given != limit and key.startswith(prefix):
                yield key


@breaks("STORE-SCAN-13")
class PagesByOffset(ReferenceStore):
    """It asks for the next page by how many it has given, while keys move."""

    async def pages(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        given = 0
        while given != limit and given < len(keys := sorted(self.found(prefix), reverse=True)):
            await self.trip()
            yield keys[given]
            given += 1


@breaks("STORE-SCAN-14")
class LocksWhileScanning(ReferenceStore):
    """It holds its one connection as long as a scan is open."""

    def __init__(self, backend: Backend, namespace: str = "one") -> None:
        super().__init__(backend, namespace)
        self.connection = asyncio.Lock()

    async def set(self, key: str, value: Any, *, ttl: int | None = None) -> None:
        async with self.connection:
            await super().set(key, value, ttl=ttl)

    async def pages(self, prefix: str, limit: int | None) -> AsyncIterator[str]:
        async with self.connection:
            async for key in super().pages(prefix, limit):
                yield key
