"""More calls at a time than there are connections: they wait their turn, and nothing else."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled
from agentkit.core.contracts.llm import RunMeta
from agentkit.core.execution.cancellation import CancellationToken
from agentkit.models.providers import OpenAICompatibleLLM

Use = Callable[[Any, "Hall"], Any]
PLACES = 100
BODY = b'{"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}'
HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(BODY)


class Hall:
    """A provider that answers nobody before it is open."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.full = asyncio.Event()
        self.connections = self.asked = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                size = head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
                await reader.readexactly(int(size))
                self.asked += 1
                if self.asked == PLACES:
                    self.full.set()
                await self.open.wait()
                writer.write(HEAD + BODY)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()


def at_once(use: Use) -> Any:
    """Give what *use* gives, while as many calls as there are places have been asked."""

    async def run() -> Any:
        hall = Hall()
        async with await asyncio.start_server(hall.serve, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            async with (
                OpenAICompatibleLLM(api_key=None, base_url=url, default_model="m") as llm,
                asyncio.TaskGroup() as group,
            ):
                for _ in range(PLACES):
                    group.create_task(llm.generate([]))
                await hall.full.wait()
                try:
                    return await use(llm, hall)
                finally:
                    hall.open.set()

    return asyncio.run(run())


def test_one_call_more_waits_for_a_connection_and_then_uses_it() -> None:
    async def use(llm: Any, hall: Hall) -> Any:
        last = asyncio.create_task(llm.generate([]))
        asyncio.get_running_loop().call_soon(hall.open.set)
        return (await last).stop_kind, hall.asked, hall.connections

    assert at_once(use) == ("stop", PLACES + 1, PLACES)


def test_a_run_that_is_cancelled_waits_no_longer_and_asks_nothing() -> None:
    async def use(llm: Any, hall: Hall) -> Any:
        token = CancellationToken()
        asyncio.get_running_loop().call_soon(token.cancel, "enough")
        with pytest.raises(Cancelled, match="enough"):
            await llm.generate([], ctx=RunMeta("r", token))
        return hall.asked

    assert at_once(use) == PLACES


def test_a_cancelled_task_gives_its_turn_to_the_next() -> None:
    async def use(llm: Any, hall: Hall) -> Any:
        waiting = [asyncio.create_task(llm.generate([])) for _ in range(3)]
        asyncio.get_running_loop().call_soon(waiting[0].cancel)
        asyncio.get_running_loop().call_soon(hall.open.set)
        await asyncio.wait(waiting)
        return [task.cancelled() for task in waiting], hall.asked

    assert at_once(use) == ([True, False, False], PLACES + 2)
