"""Fixtures: each server starts when a test first asks for it, and stops with the session.

The kit's pytest plugin registers them, so that a test only names one. `AGENTKIT_TEST_REDIS_URL`
puts a server of your own in the place of both; give it an empty one, for tests write to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from agentkit.testing.servers._place import GivenServer, Server
from agentkit.testing.servers._redis import RedisServer, redis_binary, valkey_binary

__all__ = ["redis_server", "valkey_server"]


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Server]:
    """A Redis 8 (its `url`), or the server that `AGENTKIT_TEST_REDIS_URL` names."""
    with _given_or(redis_binary) as server:
        yield server


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[Server]:
    """A Valkey 9 (its `url`), or the server that `AGENTKIT_TEST_REDIS_URL` names."""
    with _given_or(valkey_binary) as server:
        yield server


def _given_or(binary: Callable[[], Path]) -> AbstractContextManager[Server]:
    url = os.environ.get("AGENTKIT_TEST_REDIS_URL")
    return nullcontext(GivenServer(url=url)) if url else RedisServer(binary)
