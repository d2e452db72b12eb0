"""Fixtures: each server starts when a test first asks for it, and stops with the session.

The kit's pytest plugin registers them, so that a test only names one. `AGENTKIT_TEST_REDIS_URL` and
`AGENTKIT_TEST_POSTGRES_DSN` put a server of your own in the place of both of its kind; give it an
empty one, for tests write to it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import pytest

from agentkit.testing.servers._place import GivenServer, Server
from agentkit.testing.servers._postgres import PostgresServer, postgres_16, postgres_18
from agentkit.testing.servers._redis import RedisServer, redis_binary, valkey_binary

__all__ = ["postgres_16_server", "postgres_server", "redis_server", "valkey_server"]


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Server]:
    """A Redis 8 (its `url`), or the server that `AGENTKIT_TEST_REDIS_URL` names."""
    with _given("AGENTKIT_TEST_REDIS_URL") or RedisServer(redis_binary) as server:
        yield server


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[Server]:
    """A Valkey 9 (its `url`), or the server that `AGENTKIT_TEST_REDIS_URL` names."""
    with _given("AGENTKIT_TEST_REDIS_URL") or RedisServer(valkey_binary) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A PostgreSQL 18 (its `url`), or the server that `AGENTKIT_TEST_POSTGRES_DSN` names."""
    with _given("AGENTKIT_TEST_POSTGRES_DSN") or PostgresServer(postgres_18) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_16_server() -> Iterator[Server]:
    """A PostgreSQL 16 (its `url`), or the server that `AGENTKIT_TEST_POSTGRES_DSN` names."""
    with _given("AGENTKIT_TEST_POSTGRES_DSN") or PostgresServer(postgres_16) as server:
        yield server


def _given(variable: str) -> AbstractContextManager[Server] | None:
    url = os.environ.get(variable)
    return nullcontext(GivenServer(url=url)) if url else None
