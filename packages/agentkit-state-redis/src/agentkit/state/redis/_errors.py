"""What the driver raises, as what a port promises."""

from __future__ import annotations

import ssl
from collections.abc import Generator
from contextlib import contextmanager

from redis.asyncio.sentinel import MasterNotFoundError
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    ClusterDownError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
)
from redis.exceptions import ConnectionError as LostConnectionError
from redis.exceptions import TimeoutError as NoAnswerError

from agentkit.core.contracts.errors import AgentkitError

__all__ = ["translated"]

_WHAT: list[tuple[type[BaseException] | tuple[type[BaseException], ...], str]] = [
    ((AuthenticationError, AuthorizationError), "the server refused the credentials"),
    (NoPermissionError, "the user may not run this command on this key"),
    (BusyLoadingError, "the server is loading its data"),
    (ReadOnlyError, "the server is a replica and takes no writes"),
    (OutOfMemoryError, "the server is out of memory"),
    ((ClusterDownError, RedisClusterException), "the cluster cannot serve this key"),
    ((NoAnswerError, TimeoutError), "the server did not answer in time"),
    (MasterNotFoundError, "no sentinel knows a primary of this service"),
    (ssl.SSLError, "no secure connection to the server"),
    ((LostConnectionError, OSError, EOFError), "no connection to the server"),
    (ResponseError, "the server refused the command"),
    (RedisError, "the driver failed"),
]
_DRIVER = (RedisError, RedisClusterException, OSError, EOFError, TimeoutError)
_WITH_TEXT = (ResponseError, ClusterDownError)


@contextmanager
def translated(unavailable: type[AgentkitError]) -> Generator[None]:
    """Raise *unavailable* for whatever the driver raises inside.

    Only a server's own answer is quoted: the driver's other texts may hold the URL and what is
    secret in it, and for that reason nothing is chained either.
    """
    try:
        yield
    except _DRIVER as problem:
        what = next(text for kinds, text in _WHAT if isinstance(problem, kinds))
        quoted = f": {problem}" if isinstance(problem, _WITH_TEXT) else ""
        raise unavailable(f"{what}{quoted}") from None
