"""Where connections come from: a URL, or the settings of somebody's client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from agentkit.core.contracts.errors import StoreValueError

__all__ = ["Address", "Client", "Seeds", "Source", "source_of"]

Client = Redis | RedisCluster
"""The clients that a store takes its settings from."""

_PATIENCE = 5.0
# What belongs to the pool it was made for: notices of maintenance act on that pool's connections.
_OF_A_POOL = (
    "maint_notifications_config",
    "maint_notifications_pool_handler",
    "oss_cluster_maint_notifications_handler",
    "himport_registry",
)


class Address(NamedTuple):
    """Where one node of a cluster is."""

    host: str
    port: int


class Source:
    """Opens connections of our own with the *settings* given, and without any retry.

    A connection that is lost is told at once: the driver would send a command again whose reply was
    lost, and so count or append twice.
    """

    def __init__(self, kind: type[AbstractConnection], settings: Mapping[str, Any]) -> None:
        given = {name: value for name, value in settings.items() if name not in _OF_A_POOL}
        self._kind = kind
        self.patience = _seconds(given.get("socket_timeout"))
        self._connect_in = _seconds(given.get("socket_connect_timeout"), self.patience)
        self._settings: dict[str, Any] = {
            **given,
            "retry": Retry(NoBackoff(), 0),
            "retry_on_error": [],
            "retry_on_timeout": False,
            "health_check_interval": 0,
            "socket_timeout": None,  # what waits for many replies at once has a clock of its own
            "socket_connect_timeout": self._connect_in,
        }

    async def open(self, address: Address | None = None) -> AbstractConnection:
        """Open one connection, to *address* if given, and say who we are."""
        place = {} if address is None else address._asdict()
        connection = self._kind(**{**self._settings, **place})
        try:
            async with asyncio.timeout(self._connect_in):
                await connection.connect()  # type: ignore[no-untyped-call]  # the driver's
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        return connection


class Seeds(NamedTuple):
    """Some servers of a cluster, and what their clients are to use for the addresses it tells."""

    addresses: list[Address]
    remap: Callable[[str, int], tuple[str, int]]


def source_of(url: str | None, client: Client | None) -> tuple[Source, Seeds | None]:
    """Give the source that *url* or *client* stands for, and where to find its cluster, if any.

    Raises:
        StoreValueError: *url* is malformed, or not exactly one of the two was given.

    """
    if (url is None) == (client is None):
        raise StoreValueError("give either a url or a client")
    if isinstance(client, RedisCluster):
        return _cluster_source(client)
    pool = _pool_of(url) if client is None else client.connection_pool
    return Source(pool.connection_class, pool.connection_kwargs), None


def _pool_of(url: str | None) -> ConnectionPool:
    kind: Any = ConnectionPool  # what it takes besides is not typed
    try:
        pool: ConnectionPool = kind.from_url(_checked(url or ""))
        pool.connection_class(**pool.connection_kwargs)  # it takes every option, and opens nothing
    except (ValueError, TypeError, RedisError):
        # Not in the driver's words, which repeat parts of the URL: they may be a password's.
        raise StoreValueError(
            "this is no URL of a Redis server, as redis://user:password@host:6379/0 (options that "
            "redis-py knows go after a ?; what is special in a password is percent-encoded)"
        ) from None
    return pool


def _checked(url: str) -> str:
    """Give *url* back if it names a server and, if a database, its number; else `ValueError`.

    The driver would take the default in its place.
    """
    parts = urlsplit(url)
    database = "" if parts.scheme == "unix" else parts.path.strip("/")
    if not url.startswith(f"{parts.scheme}://") or not (database or "0").isdecimal():
        raise ValueError("no server, or no number")
    return url


def _cluster_source(client: RedisCluster) -> tuple[Source, Seeds]:
    manager = client.nodes_manager
    nodes = [*manager.startup_nodes.values(), *client.get_nodes()]
    seeds = [Address(node.host, int(node.port)) for node in nodes]
    source = Source(nodes[0].connection_class, nodes[0].connection_kwargs)
    return source, Seeds(seeds, manager.remap_host_port)


def _seconds(given: Any, default: float = _PATIENCE) -> float:
    return default if given is None else float(given)
