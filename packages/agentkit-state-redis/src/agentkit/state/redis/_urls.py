"""What a URL names: one server, some servers of a cluster, or the sentinels of a service."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from redis.asyncio.connection import ConnectionPool
from redis.exceptions import RedisError

from agentkit.core.contracts.errors import StoreValueError

__all__ = ["Named", "named_by"]

_SENTINELS_PORT = 26379


class Named(NamedTuple):
    """What a URL names; the pools have the settings, and open nothing."""

    servers: list[ConnectionPool]
    """The only server, some of a cluster, or the primary without its address."""
    is_cluster: bool = False
    service: str = ""
    sentinels: tuple[ConnectionPool, ...] = ()


class _Parts(NamedTuple):
    scheme: str
    who: str
    hosts: list[str]
    path: str
    query: str

    def url(self, host: str, *, path: str = "", query: str | None = None) -> str:
        options = self.query if query is None else query
        return f"{self.scheme}://{self.who}{host}/{path}?{options}"


def named_by(url: str) -> Named:
    """Give what *url* names; raises `StoreValueError` if it is malformed."""
    try:
        return _named(url)
    except (ValueError, TypeError, RedisError):
        # Not in the driver's words, which repeat parts of the URL: they may be a password's.
        raise StoreValueError(
            "this is no URL of a Redis server, as redis://user:password@host:6379/0, "
            "redis+cluster://host:6379,host:6379 or redis+sentinel://host,host/service/0 (rediss "
            "for TLS; options that redis-py knows go after a ?; what is special in a password is "
            "percent-encoded)"
        ) from None


def _named(url: str) -> Named:
    scheme, _, kind = url.partition("://")[0].partition("+")
    if kind == "cluster":
        return _cluster(_parts(scheme, url))
    if kind == "sentinel":
        return _sentinels(_parts(scheme, url))
    return Named([_pool_of(url)])


def _parts(scheme: str, url: str) -> _Parts:
    """Take *url* apart; several hosts are none of what a URL has elsewhere."""
    place, _, query = url.partition("://")[2].partition("?")
    authority, _, path = place.partition("/")
    who, at, hosts = authority.rpartition("@")
    each = hosts.split(",")
    if scheme not in ("redis", "rediss") or any(not host or host.startswith(":") for host in each):
        raise ValueError("no TCP, or no host")
    return _Parts(scheme, who + at, each, path, query)


def _cluster(parts: _Parts) -> Named:
    servers = [_pool_of(parts.url(host, path=parts.path)) for host in parts.hosts]
    if any(server.connection_kwargs.get("db") for server in servers):
        raise ValueError("a cluster has database 0 alone")
    return Named(servers, is_cluster=True)


def _sentinels(parts: _Parts) -> Named:
    service, _, database = parts.path.partition("/")
    if not service:
        raise ValueError("no service")
    options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    name, password = options.pop("sentinel_username", ""), options.pop("sentinel_password", "")
    who = f"{quote(name, safe='')}:{quote(password, safe='')}@" if password else ""
    query = urlencode(options)
    server = _pool_of(parts.url(parts.hosts[0], path=database, query=query))
    asked = [_pool_of(parts._replace(who=who).url(host, query=query)) for host in parts.hosts]
    for sentinel in asked:
        sentinel.connection_kwargs.setdefault("port", _SENTINELS_PORT)
        sentinel.connection_kwargs.pop("db", None)  # they have none
    return Named([server], service=unquote(service), sentinels=tuple(asked))


def _pool_of(url: str) -> ConnectionPool:
    kind: Any = ConnectionPool  # what it takes besides is not typed
    pool: ConnectionPool = kind.from_url(_checked(url))
    pool.connection_class(**pool.connection_kwargs)  # it takes every option, and opens nothing
    return pool


def _checked(url: str) -> str:
    """Give *url* back if it names a server and, if a database, its number; else `ValueError`.

    The driver would take the default in its place.
    """
    parts = urlsplit(url)
    if parts.fragment:
        raise ValueError("something after a #")
    database = "" if parts.scheme == "unix" else parts.path.strip("/")
    if not url.startswith(f"{parts.scheme}://") or not (database or "0").isdecimal():
        raise ValueError("no server, or no number")
    return url
