"""A store of py-key-value keeps the part of StorePort that its protocol has."""

from contextlib import AbstractAsyncContextManager
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from agentkit.testing import Opener, StoreSuite

from .key_value import KeyValueBridge

disk: Any = pytest.importorskip("key_value.aio.stores.disk")


class TestKeyValueDiskStore(
    StoreSuite, partial={"append", "list", "compare_and_set", "increment", "scan"}
):
    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Opener:
        self.folder = tmp_path
        return lambda: self.open("one")

    def open(self, name: str) -> AbstractAsyncContextManager[KeyValueBridge]:
        return KeyValueBridge.over(disk.DiskStore(directory=self.folder / name))

    def other_namespace(self) -> Opener:
        return lambda: self.open("other")

    async def backend_version(self) -> str:
        return f"py-key-value-aio {metadata.version('py-key-value-aio')}"
