"""Which wire a URL or a client stands for."""

from __future__ import annotations

from typing import Any

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.connection import Connection, ConnectionPool, SSLConnection
from redis.asyncio.sentinel import SentinelConnectionPool

from agentkit.core.contracts.errors import StoreValueError
from agentkit.state.redis._cluster import Cluster, Seeds
from agentkit.state.redis._sentinels import Watched
from agentkit.state.redis._source import Address, Source
from agentkit.state.redis._urls import Named, named_by
from agentkit.state.redis._wire import Server, Wire

__all__ = ["Client", "wire_to"]

Client = Redis | RedisCluster
"""The clients that a store takes its settings from."""

_PORT = 6379


def wire_to(url: str | None, client: Client | None) -> Wire:
    """Give the wire to what *url* or *client* names; nothing is sent yet.

    Raises:
        StoreValueError: *url* is malformed, *client* is one of replicas, or not exactly one of the
            two was given.

    """
    if (url is None) == (client is None):
        raise StoreValueError("give either a url or a client")
    if client is None:
        return _to_named(named_by(url or ""))
    if isinstance(client, RedisCluster):
        return _to_cluster_of(client)
    pool = client.connection_pool
    return Server(_watched_by(pool) if isinstance(pool, SentinelConnectionPool) else _source(pool))


def _to_named(named: Named) -> Wire:
    first = named.servers[0]
    if named.is_cluster:
        return Cluster(_source(first), Seeds(list(map(_address, named.servers)), _as_told))
    if named.service:
        sentinels = list(map(_source, named.sentinels))
        kind, settings = first.connection_class, first.connection_kwargs
        return Server(Watched(kind, settings, service=named.service, sentinels=sentinels))
    return Server(_source(first))


def _to_cluster_of(client: RedisCluster) -> Wire:
    manager = client.nodes_manager
    nodes = [*manager.startup_nodes.values(), *client.get_nodes()]
    seeds = [Address(node.host, int(node.port)) for node in nodes]
    source = Source(nodes[0].connection_class, nodes[0].connection_kwargs)
    return Cluster(source, Seeds(seeds, manager.remap_host_port))


def _watched_by(pool: SentinelConnectionPool) -> Watched:
    watched: Any = pool  # what it has besides is not typed
    if not watched.is_master:
        raise StoreValueError(
            "this client is one of replicas, which take no writes; give Sentinel.master_for(...)"
        )
    # The pool's own kind of connection asks the sentinels itself, through the client.
    secure = issubclass(pool.connection_class, SSLConnection)
    return Watched(
        SSLConnection if secure else Connection,
        pool.connection_kwargs,
        service=watched.service_name,
        sentinels=[_source(each.connection_pool) for each in watched.sentinel_manager.sentinels],
        host=getattr(watched.sentinel_manager, "_force_master_ip", None),
    )


def _source(pool: ConnectionPool) -> Source:
    return Source(pool.connection_class, pool.connection_kwargs)


def _address(pool: ConnectionPool) -> Address:
    settings = pool.connection_kwargs
    return Address(settings["host"], settings.get("port", _PORT))


def _as_told(host: str, port: int) -> tuple[str, int]:
    return host, port
