"""Connections with the settings of a URL or of somebody's client, and without their retries."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

__all__ = ["Address", "Source"]

_PATIENCE = 5.0
# What belongs to the pool it was made for: notices of maintenance act on that pool's connections.
_OF_A_POOL = (
    "connection_pool",
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

    async def ask(self, *command: str) -> Any:
        """Give the answer to *command* over a connection that is open for it alone."""
        connection = await self.open()
        try:
            return await self.answer(connection, *command)
        finally:
            await connection.disconnect(nowait=True)

    async def answer(self, connection: AbstractConnection, *command: str) -> Any:
        """Give the answer to *command* over *connection*, in as long as connecting may take."""
        driver: Any = connection  # what it sends and reads is not typed
        async with asyncio.timeout(self._connect_in):
            await driver.send_command(*command, check_health=False)
            return await driver.read_response(disable_decoding=True)


def _seconds(given: Any, default: float = _PATIENCE) -> float:
    return default if given is None else float(given)
