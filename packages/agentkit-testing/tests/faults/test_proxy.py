"""TcpProxy passes everything on, and fails exactly where it is told to."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agentkit.testing.faults import Authority, TcpProxy, Way

End = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Echo:
    """A server that sends back what it gets, and remembers it."""

    def __init__(self) -> None:
        self.got = b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(100):
                self.got += data
                writer.write(data)
        except OSError:
            pass  # the proxy cut
        finally:
            writer.close()


class Scene:
    """An echo behind a proxy, and connections through it."""

    def __init__(self, echo: Echo, proxy: TcpProxy, trust: ssl.SSLContext | None) -> None:
        self.echo, self.proxy, self._trust = echo, proxy, trust
        self._writers: list[asyncio.StreamWriter] = []

    async def connect(self) -> End:
        end = await asyncio.open_connection("127.0.0.1", self.proxy.port, ssl=self._trust)
        self._writers.append(end[1])
        return end

    async def ask(self, end: End, data: bytes) -> bytes:
        end[1].write(data)
        return await end[0].readexactly(len(data))

    def close(self) -> None:
        for writer in self._writers:
            writer.close()


def trusting(authority: Authority, folder: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=authority.write_certificate(folder / "ca.pem"))


@asynccontextmanager
async def scene(authority: Authority | None = None, folder: Path = Path()) -> AsyncGenerator[Scene]:
    echo = Echo()
    server = await asyncio.start_server(echo.serve, "127.0.0.1", 0)
    tls = None if authority is None else authority.server_context()
    trust = None if authority is None else trusting(authority, folder)
    async with server, TcpProxy(server.sockets[0].getsockname()[1], tls=tls) as proxy:
        made = Scene(echo, proxy, trust)
        yield made
        made.close()


def played(play: Callable[[Scene], Awaitable[None]]) -> None:
    async def run() -> None:
        async with scene() as made, asyncio.timeout(10):
            await play(made)

    asyncio.run(run())


def test_bytes_pass_both_ways_and_are_counted() -> None:
    async def play(scene: Scene) -> None:
        end = await scene.connect()

        assert await scene.ask(end, b"hello") == b"hello"
        assert scene.proxy.passed == {Way.TO_SERVER: 5, Way.TO_CLIENT: 5}
        assert scene.proxy.connections == 1

    played(play)


def test_a_round_trip_is_counted_once_however_it_is_sent() -> None:
    async def play(scene: Scene) -> None:
        end = await scene.connect()
        await scene.ask(end, b"one")
        await scene.ask(end, b"two" * 100)

        assert scene.proxy.exchanges == 2

    played(play)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_a_cut_strikes_at_its_byte_on_the_way_to_the_server(count: int) -> None:
    async def play(scene: Scene) -> None:
        end = await scene.connect()
        scene.proxy.cut_after(count, way=Way.TO_SERVER)
        with pytest.raises((OSError, asyncio.IncompleteReadError)):
            await scene.ask(end, b"hello")

        assert scene.proxy.passed[Way.TO_SERVER] == count
        assert await scene.ask(await scene.connect(), b"again") == b"again"

    played(play)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_a_cut_on_the_way_back_comes_after_the_server_has_it_all(count: int) -> None:
    async def play(scene: Scene) -> None:
        end = await scene.connect()
        scene.proxy.cut_after(count, way=Way.TO_CLIENT)
        with pytest.raises((OSError, asyncio.IncompleteReadError)):
            await scene.ask(end, b"hello")

        assert scene.echo.got == b"hello"
        assert scene.proxy.passed[Way.TO_CLIENT] == count

    played(play)


def test_a_cut_is_a_reset() -> None:
    async def play(scene: Scene) -> None:
        end = await scene.connect()
        await scene.ask(end, b"hello")
        scene.proxy.cut()

        with pytest.raises(ConnectionResetError):
            await end[0].read(1)

    played(play)


def test_a_blackhole_takes_everything_and_gives_nothing() -> None:
    async def play(scene: Scene) -> None:
        end = await scene.connect()
        scene.proxy.blackhole()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(scene.ask(end, b"hello"), 0.05)

        assert scene.echo.got == b""

    played(play)


def test_what_met_a_blackhole_stays_dead_and_the_next_connection_lives() -> None:
    async def play(scene: Scene) -> None:
        end = await scene.connect()
        scene.proxy.blackhole()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(scene.ask(end, b"lost"), 0.05)
        await scene.proxy.heal()

        assert await scene.ask(await scene.connect(), b"hello") == b"hello"
        assert scene.echo.got == b"hello"

    played(play)


def test_a_delay_makes_an_answer_late() -> None:
    async def play(scene: Scene) -> None:
        end = await scene.connect()
        scene.proxy.delay(0.1)
        begun = asyncio.get_running_loop().time()

        assert await scene.ask(end, b"hello") == b"hello"
        assert asyncio.get_running_loop().time() - begun >= 0.09

    played(play)


def test_refused_is_refused_until_it_is_healed() -> None:
    async def play(scene: Scene) -> None:
        await scene.proxy.refuse()
        with pytest.raises(ConnectionRefusedError):
            await scene.connect()
        await scene.proxy.heal()

        assert await scene.ask(await scene.connect(), b"hello") == b"hello"

    played(play)


def test_a_server_that_is_gone_looks_gone() -> None:
    async def run() -> None:
        server = await asyncio.start_server(Echo().serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        async with TcpProxy(port) as proxy:
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)

            with pytest.raises((OSError, asyncio.IncompleteReadError)):
                await reader.readexactly(1)
            writer.close()

    asyncio.run(run())


def test_it_speaks_tls_with_a_certificate_of_its_own(tmp_path: Path) -> None:
    async def run() -> None:
        async with scene(Authority(), tmp_path) as made:
            end = await made.connect()

            assert await made.ask(end, b"hello") == b"hello"
            assert made.echo.got == b"hello"

    asyncio.run(run())
