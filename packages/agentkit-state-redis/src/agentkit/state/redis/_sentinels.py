"""Connections to whichever server its sentinels call primary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redis.asyncio.connection import AbstractConnection
from redis.asyncio.sentinel import MasterNotFoundError
from redis.exceptions import ReadOnlyError, RedisError

from agentkit.state.redis._source import Address, Source

__all__ = ["Watched"]


class Watched(Source):
    """Opens connections to the primary of *service*, which *sentinels* are asked for each time.

    Whoever they name says itself whether it is primary: one that was demoted, or is not promoted
    yet, gets no call. *host* is where the primary is if not where the sentinels say.
    """

    def __init__(
        self,
        kind: type[AbstractConnection],
        settings: Mapping[str, Any],
        *,
        service: str,
        sentinels: list[Source],
        host: str | None = None,
    ) -> None:
        super().__init__(kind, settings)
        self._service = service
        self._sentinels = sentinels
        self._host = host

    async def open(self, address: Address | None = None) -> AbstractConnection:
        """Open one connection to *address*, or to who is primary now."""
        connection = await super().open(address or await self._primary())
        try:
            _check_primary(await self.answer(connection, "ROLE"))
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        return connection

    async def _primary(self) -> Address:
        """Ask the sentinels, one after another until one knows."""
        problem: Exception = MasterNotFoundError("no sentinel knows this service")
        for sentinel in self._sentinels:
            try:
                found = await sentinel.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._service)
            except (RedisError, OSError) as refusal:
                problem = refusal
                continue
            if found is not None:
                host, port = found
                return Address(self._host or host.decode(), int(port))
        raise problem


def _check_primary(answer: list[Any]) -> None:
    role, *_details = answer
    if role != b"master":
        raise ReadOnlyError("it is no primary, or not yet")
