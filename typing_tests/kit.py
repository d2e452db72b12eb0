"""What type checkers say of the kit: a suite wants one fixture, and hooks as it has them."""

from contextlib import nullcontext
from typing import assert_type

import pytest

from agentkit.state.stores import InMemoryStore
from agentkit.testing import Feature, Opener, StoreSuite
from agentkit.testing.faults import TcpProxy
from agentkit.testing.servers import RedisServer, valkey_binary


class MyStore(StoreSuite, ignores={Feature.TTL}):
    @pytest.fixture
    def adapter(self) -> Opener:
        store = InMemoryStore()
        return lambda: nullcontext(store)

    async def advance(self, seconds: float) -> None: ...


async def faults(port: int) -> None:
    async with TcpProxy(port) as proxy:
        assert_type(proxy, TcpProxy)
        assert_type(proxy.port, int)


def servers() -> None:
    with RedisServer(valkey_binary) as server:
        assert_type(server, RedisServer)
        assert_type(server.url, str)
