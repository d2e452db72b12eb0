"""Which wire a URL or a client stands for."""

from __future__ import annotations

from agentkit.state.redis._cluster import Cluster
from agentkit.state.redis._source import Client, source_of
from agentkit.state.redis._wire import Server, Wire

__all__ = ["wire_to"]


def wire_to(url: str | None, client: Client | None) -> Wire:
    """Give the wire to the server or cluster that *url* or *client* names; nothing is sent yet.

    Raises:
        StoreValueError: *url* is malformed, or not exactly one of the two was given.

    """
    source, seeds = source_of(url, client)
    return Server(source) if seeds is None else Cluster(source, seeds)
