"""The way to a cluster: every key has a slot, every slot a server, and both may move."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from redis.exceptions import AskError, ClusterDownError, MovedError, RedisError
from redis.exceptions import ConnectionError as LostConnectionError
from redis.exceptions import TimeoutError as NoAnswerError

from agentkit.core.execution import SingleFlight
from agentkit.state.redis._lane import Lane
from agentkit.state.redis._source import Address, Source
from agentkit.state.redis._wire import Lanes, Script, run_on

__all__ = ["Cluster", "Seeds"]

_REDIRECTIONS = 5
_LOST = (LostConnectionError, NoAnswerError, OSError)


class Seeds(NamedTuple):
    """Some servers of a cluster, and what their clients are to use for the addresses it tells."""

    addresses: list[Address]
    remap: Callable[[str, int], tuple[str, int]]


class Cluster:
    """The way to the cluster that *seeds* are some servers of.

    Which server has which slot is asked once, and again after a server was lost or has sent a call
    elsewhere. A call that was sent elsewhere did not run, so it is made again there; one whose
    connection was lost is not.
    """

    def __init__(self, source: Source, seeds: Seeds) -> None:
        self._lanes = Lanes(source)
        self._seeds = seeds
        self._owners: list[Address | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        self._is_stale = True
        self._suspect: Address | None = None
        self._flight = SingleFlight()

    async def call(self, name: str, key: bytes, *arguments: str | bytes | int) -> Any:
        """Give the answer to the command *name* on *key*."""
        return await self._routed(key, lambda lane: lane.send(name, key, *arguments))

    async def run(self, script: Script, key: bytes, *arguments: str | bytes | int) -> Any:
        """Give what *script* returns for *key* and what else it takes."""
        return await self._routed(key, lambda lane: run_on(lane, script, key, *arguments))

    async def lanes(self) -> AsyncIterator[Lane]:
        """Give a lane to each server that has slots."""
        await self._refresh()
        for address in dict.fromkeys(filter(None, self._owners)):
            yield self._lanes.to(address)

    async def greet(self) -> None:
        """Return once a server has said how the cluster is laid out."""
        await self._refresh()

    async def aclose(self) -> None:
        """Close the connection to each server."""
        await self._lanes.aclose()

    async def _routed(self, key: bytes, ask: Callable[[Lane], Awaitable[Any]]) -> Any:
        await self._refresh()
        slot = key_slot(key)
        address = self._owners[slot]
        for _ in range(_REDIRECTIONS):
            if address is None:
                break
            try:
                return await ask(self._lanes.to(address))
            except MovedError as moved:
                address = self._owners[slot] = self._elsewhere(moved, address)
                self._is_stale = True
            except AskError as once:
                return await self._ask_importer(self._elsewhere(once, address), ask)
            except _LOST:
                self._is_stale, self._suspect = True, address
                raise
        self._is_stale = True
        raise ClusterDownError(f"no server has slot {slot}")

    async def _ask_importer(self, address: Address, ask: Callable[[Lane], Awaitable[Any]]) -> Any:
        """Ask the server that a slot is moving to, which answers for it if told to by ASKING."""
        lane = self._lanes.to(address)
        told = lane.send("ASKING")
        answer = await ask(lane)  # what it sends first is sent right behind
        await told
        return answer

    async def _refresh(self) -> None:
        if self._is_stale:
            await self._flight.run("slots", self._learn)

    async def _learn(self) -> None:
        """Ask the servers, one after another until one knows, who has which slot."""
        known = dict.fromkeys([*filter(None, self._owners), *self._seeds.addresses])
        problem: Exception = ClusterDownError("no server of the cluster is known")
        for address in sorted(known, key=lambda each: each == self._suspect):
            try:
                rows = await self._lanes.to(address).send("CLUSTER", "SLOTS")
            except (RedisError, OSError) as refusal:
                problem = refusal
                continue
            self._owners = self._laid_out(rows, asked=address)
            self._is_stale = False
            return
        raise problem

    def _laid_out(self, rows: list[Any], *, asked: Address) -> list[Address | None]:
        """Give the owner of each slot, from the answer of the server *asked*."""
        owners: list[Address | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        for first, last, primary, *_replicas in rows:
            host = (primary[0] or b"").decode()
            owner = self._reached(host, int(primary[1]), asked)
            owners[first : last + 1] = [owner] * (last + 1 - first)
        return owners

    def _elsewhere(self, redirection: AskError, asked: Address) -> Address:
        told: Any = redirection
        return self._reached(told.host, told.port, asked)

    def _reached(self, host: str, port: int, asked: Address) -> Address:
        """Give where we reach what *asked* calls so; a server may not know its own host."""
        return Address(*self._seeds.remap(host or asked.host, port))
