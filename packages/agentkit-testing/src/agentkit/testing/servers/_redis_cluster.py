"""A cluster of three, from the same binaries."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from agentkit.testing.servers._process import free_port
from agentkit.testing.servers._redis import RedisServer, command, follows, wait_until

__all__ = ["RedisCluster"]

_SLOTS = 16384
_HOST = "127.0.0.1"


class RedisCluster:
    """Three servers that share the slots among them, while its `with` block lasts.

    *replicas* are further servers, one for each of the first that many.
    """

    def __init__(self, binary: Callable[[], Path], *, replicas: int = 0) -> None:
        self.nodes: list[RedisServer] = [_node(binary) for _ in range(3 + replicas)]
        self._stack = ExitStack()

    @property
    def primaries(self) -> list[RedisServer]:
        """The three that had the slots at first."""
        return self.nodes[:3]

    @property
    def replicas(self) -> list[RedisServer]:
        """The others; the first follows the first primary, and so on."""
        return self.nodes[3:]

    @property
    def url(self) -> str:
        """Where its first node is."""
        return self.nodes[0].url

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for node in self.nodes:
                stack.enter_context(node)
            self._form()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _form(self) -> None:
        for number, node in enumerate(self.primaries):
            first, last = _SLOTS * number // 3, _SLOTS * (number + 1) // 3 - 1
            command(node.port, "CLUSTER", "ADDSLOTSRANGE", str(first), str(last))
            command(node.port, "CLUSTER", "SET-CONFIG-EPOCH", str(number + 1))
        for node in self.nodes[1:]:
            bus = command(node.port, "CONFIG", "GET", "cluster-port").split()[-1]
            command(self.nodes[0].port, "CLUSTER", "MEET", _HOST, str(node.port), bus)
        self._until(lambda node: f"cluster_known_nodes:{len(self.nodes)}" in _state(node))
        for primary, replica in zip(self.primaries, self.replicas, strict=False):
            name = command(primary.port, "CLUSTER", "MYID").split()[-1]
            command(replica.port, "CLUSTER", "REPLICATE", name)
        self._until(lambda node: "cluster_state:ok" in _state(node))
        self._until(lambda node: node not in self.replicas or follows(node.port))

    def _until(self, holds: Callable[[RedisServer], bool]) -> None:
        wait_until(lambda: all(map(holds, self.nodes)), failing="the cluster did not form in time")


def _node(binary: Callable[[], Path]) -> RedisServer:
    bus = str(free_port())
    port = ("--cluster-enabled", "yes", "--cluster-port", bus)
    haste = ("--cluster-node-timeout", "1000", "--repl-diskless-sync-delay", "0")
    return RedisServer(binary, *port, *haste)


def _state(node: RedisServer) -> str:
    return command(node.port, "CLUSTER", "INFO")
