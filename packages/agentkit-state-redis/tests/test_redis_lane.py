"""One connection for many calls: what shares a round trip, what is sent, what is left over."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from redis.asyncio import Redis
from redis.asyncio.sentinel import Sentinel
from redis.exceptions import ConnectionError as LostConnectionError
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as NoAnswerError

from agentkit.state.redis._lane import Lane
from agentkit.state.redis._opening import wire_to
from agentkit.state.redis._source import Address
from agentkit.testing.faults import TcpProxy, cancel_at_every_await
from agentkit.testing.servers import Server

ANY_SENTINEL: Any = Sentinel  # whose methods are not typed


def source_of(url: str | None = None, *, client: Any = None) -> Any:
    """Give what opens the connections of a store on *url* or with *client*."""
    wire: Any = wire_to(url, client)
    return wire._lanes._source


class Scene:
    """A lane to a server, through a proxy that counts."""

    def __init__(self, lane: Lane, proxy: TcpProxy) -> None:
        self.lane, self.proxy = lane, proxy
        self.key = f"lane-{uuid4().hex[:8]}"


@asynccontextmanager
async def scene_on(server: Server, *, patience: float = 5.0) -> AsyncGenerator[Scene]:
    place = urlsplit(server.url)
    async with TcpProxy(place.port or 6379) as proxy:
        source = source_of(server.url)
        lane = Lane(lambda: source.open(Address("127.0.0.1", proxy.port)), patience=patience)
        await lane.send("PING")
        yield Scene(lane, proxy)
        await lane.aclose()


def played(server: Server, play: Callable[[Scene], Awaitable[None]], **options: float) -> None:
    async def run() -> None:
        async with asyncio.timeout(20), scene_on(server, **options) as scene:
            await play(scene)

    asyncio.run(run())


def test_commands_of_one_turn_share_a_round_trip(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        before = scene.proxy.exchanges
        replies = [scene.lane.send("INCR", scene.key) for _ in range(200)]

        assert await asyncio.gather(*replies) == list(range(1, 201))
        assert scene.proxy.exchanges == before + 1

    played(redis_server, play)


def test_commands_run_in_the_order_they_were_sent(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        replies: list[Any] = []
        for number in range(50):
            replies.append(scene.lane.send("RPUSH", scene.key, number))
            await asyncio.sleep(0)
        await asyncio.gather(*replies)

        kept = await scene.lane.send("LRANGE", scene.key, 0, -1)
        assert kept == [b"%d" % number for number in range(50)]

    played(redis_server, play)


def test_a_command_cancelled_before_it_was_sent_is_not_sent(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        cancelled, kept = scene.lane.send("INCR", scene.key), scene.lane.send("INCR", scene.key)
        cancelled.cancel()

        assert await kept == 1

    played(redis_server, play)


def test_a_command_cancelled_after_it_was_sent_disturbs_no_other(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        replies = [scene.lane.send("ECHO", str(number)) for number in range(10)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        for reply in replies[::2]:
            reply.cancel()

        assert await asyncio.gather(*replies[1::2]) == [b"1", b"3", b"5", b"7", b"9"]

    played(redis_server, play)


def test_a_refusal_is_the_error_of_its_caller_alone(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        fine, wrong, after = (scene.lane.send(*c) for c in (("PING",), ("NONSENSE",), ("PING",)))
        with pytest.raises(ResponseError, match="unknown command"):
            await wrong

        assert await fine == await after == b"PONG"
        assert scene.proxy.connections == 1

    played(redis_server, play)


def test_wherever_a_caller_is_cancelled_the_next_gets_its_own_answer(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        async def ask() -> Any:
            return await scene.lane.send("ECHO", "cancelled")

        async for nth in cancel_at_every_await(ask):
            assert await scene.lane.send("ECHO", nth) == b"%d" % nth

    played(redis_server, play)


def test_what_is_in_flight_fails_with_its_connection(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        scene.proxy.delay(5)
        replies = [scene.lane.send("PING") for _ in range(3)]
        await asyncio.sleep(0.05)
        scene.proxy.cut()

        results = await asyncio.gather(*replies, return_exceptions=True)
        assert [type(each) for each in results] == [LostConnectionError] * 3

    played(redis_server, play)


def test_what_was_not_sent_goes_over_the_next_connection(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        scene.proxy.cut()
        await asyncio.sleep(0.05)

        assert await scene.lane.send("PING") == b"PONG"

    played(redis_server, play)


def test_a_server_that_takes_no_more_is_given_up_in_time(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        scene.proxy.delay(5)
        scene.proxy.blackhole()
        replies = [scene.lane.send("SET", scene.key, "x" * 30_000_000) for _ in range(2)]
        results = await asyncio.gather(*replies, return_exceptions=True)

        assert {type(each) for each in results} <= {NoAnswerError, LostConnectionError}
        await scene.proxy.heal()
        assert await scene.lane.send("PING") == b"PONG"

    played(redis_server, play, patience=0.2)


def test_answers_that_keep_coming_may_take_longer_than_one_may(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        sleep = "local t = redis.call('TIME')[2] return t"
        for _ in range(3):
            scene.proxy.delay(0.15)
            assert await scene.lane.send("EVAL", sleep, 0)

    played(redis_server, play, patience=0.4)


def test_a_closed_lane_says_so(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        waiting = scene.lane.send("PING")
        await scene.lane.aclose()
        await scene.lane.aclose()

        for reply in (waiting, scene.lane.send("PING")):
            with pytest.raises(LostConnectionError, match="the store is closed"):
                await reply

    played(redis_server, play)


def test_a_lane_closed_while_it_connects_lets_its_callers_go(redis_server: Server) -> None:
    async def run() -> None:
        never = asyncio.Event()

        async def connect() -> Any:
            await never.wait()

        lane = Lane(connect, patience=1.0)
        waiting = lane.send("PING")
        await asyncio.sleep(0)
        await lane.aclose()

        with pytest.raises(LostConnectionError, match="closed"):
            await waiting

    asyncio.run(run())


def test_a_connection_is_bounded_in_time(redis_server: Server) -> None:
    async def play(scene: Scene) -> None:
        scene.proxy.blackhole()
        url = f"redis://127.0.0.1:{scene.proxy.port}?socket_connect_timeout=0.1"
        source = source_of(url)

        with pytest.raises(TimeoutError):
            await source.open()

    played(redis_server, play)


@pytest.mark.parametrize("service", ["", "agentkit"], ids=["server", "sentinels"])
def test_our_connections_never_retry_and_the_clients_stay_as_they_were(service: str) -> None:
    client = a_client(service, host="host", db=3, username="user", password="pw")  # noqa: S106
    settings = source_of(client=client)._settings

    assert (settings["retry"].get_retries(), settings["retry_on_error"]) == (0, [])
    assert (settings["db"], settings["username"], settings["password"]) == (3, "user", "pw")
    assert (source_of(client=client).patience, settings["socket_timeout"]) == (0.5, None)
    assert client.connection_pool.connection_kwargs.get("retry") is not settings["retry"]
    assert client.connection_pool.connection_kwargs["socket_timeout"] == 0.5


def a_client(service: str, **settings: Any) -> Any:
    """Give a client with the *settings*, which knows sentinels of *service* if it is named."""
    sentinel = ANY_SENTINEL([("host", 26379)], socket_timeout=0.5, **settings)
    return sentinel.master_for(service) if service else Redis(socket_timeout=0.5, **settings)
