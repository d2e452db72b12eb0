"""How model clients compare with raw httpx and with peers: `python benchmarks/models.py [ROUNDS]`.

The provider is `model_server.py`, in a process of its own. Figures differ from machine to machine;
the ratios are what stays.
"""

import asyncio
import importlib
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any, cast

import httpx
from measuring import Row, Sample, compare, seconds_of_await, table

from agentkit.agents import Agent
from agentkit.core.contracts.types import Delta, Message
from agentkit.core.start import run_context
from agentkit.models.providers import AnthropicLLM, OpenAICompatibleLLM

CHUNKS = 2000
AT_ONCE = 50
IMPORTS_FLOOR = "agentkit.core.contracts.types, agentkit.core.runtime"
ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}

Work = Callable[[], Awaitable[object]]


def main(rounds: int) -> None:
    """Print the table."""
    print(f"medians of {rounds} interleaved rounds, Python {sys.version.split()[0]}\n")
    server = [sys.executable, str(Path(__file__).with_name("model_server.py"))]
    with subprocess.Popen(server, stdout=subprocess.PIPE, text=True) as provider:  # noqa: S603 - ours
        port = provider.stdout.readline().strip() if provider.stdout else ""
        print(table(asyncio.run(_measured(f"http://127.0.0.1:{port}", rounds))))
        provider.kill()


async def _measured(url: str, rounds: int) -> list[str]:
    async with AsyncExitStack() as stack:
        raw = await stack.enter_async_context(httpx.AsyncClient())
        ours = Clients(url)
        stack.push_async_callback(ours.aclose)
        rows = [*streams(url, raw, ours), *growth(ours), *calls(url, raw, ours), *peers(url, ours)]
        return [*await compare(rows, rounds), *await compare(imports(), max(3, rounds // 3))]


class Clients:
    """Our clients of the two APIs, by the number of chunks that they are to get."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._made: dict[tuple[str, int, bool], OpenAICompatibleLLM | AnthropicLLM] = {}

    def get(
        self, api: str, count: int, *, streaming: bool = True
    ) -> OpenAICompatibleLLM | AnthropicLLM:
        """Give the client whose answer has *count* chunks."""
        kind = OpenAICompatibleLLM if api == "chat" else AnthropicLLM
        if (key := (api, count, streaming)) not in self._made:
            self._made[key] = kind(
                api_key="a-key-of-none",
                base_url=f"{self._url}/{api}/{count}",
                default_model="m",
                streaming=streaming,
            )
        return self._made[key]

    async def aclose(self) -> None:
        """Close them all."""
        for client in self._made.values():
            await client.aclose()

    def deltas(self, api: str, count: int) -> AsyncGenerator[Delta, None]:
        """Give the stream of one request as deltas."""
        client = self.get(api, count)
        stream = client.stream(messages=[Message("user", "hi")], model="m")
        return cast("AsyncGenerator[Delta, None]", stream)  # our clients' streams can be closed

    def drain(self, api: str, count: int) -> Work:
        """Give what reads such a stream to its end."""

        async def work() -> None:
            text = [delta.text async for delta in self.deltas(api, count)]
            assert len("".join(text)) > count  # noqa: S101 - a benchmark of nothing measures nothing

        return work


def floor(raw: httpx.AsyncClient, url: str, *, first_only: bool = False) -> Work:
    """Give what reads a stream with httpx and json, and nothing else."""
    asked = ASKED | {"stream": True}

    async def work() -> None:
        async with raw.stream("POST", url, json=asked) as response:
            async for line in response.aiter_lines():
                frame = json.loads(line[6:]) if line.startswith("data: {") else None
                if first_only and "word" in str(frame):
                    break

    return work


def streams(url: str, raw: httpx.AsyncClient, ours: Clients) -> list[Row]:
    """Streamed text as deltas and through an agent, one at a time and many at once."""
    against = "httpx and json.loads"
    rows: list[Row] = []
    for api in ("chat", "messages"):
        base = _per_chunk(floor(raw, f"{url}/{api}/{CHUNKS}"))
        through = Agent("speaker", model="m")
        ctx = run_context(llm=ours.get(api, CHUNKS))

        async def spoken(agent: Agent = through, ctx: Any = ctx) -> None:
            async with aclosing(agent.stream("hi", ctx)) as events:
                async for _ in events:
                    pass

        agent = _per_chunk(spoken)
        plain = _per_chunk(ours.drain(api, CHUNKS))
        what = f"per chunk: {api}"
        rows += [
            Row(what=f"{what}, deltas", ours=plain, floor=base, against=against, at_most=1),
            Row(what=f"{what}, an agent", ours=agent, floor=base, against=against, at_most=2),
        ]
    many = ours.drain("chat", CHUNKS // 10), floor(raw, f"{url}/chat/{CHUNKS // 10}")
    what = f"{AT_ONCE} streams at once"
    return [*rows, _ms(what, _at_once(*many), against=against, at_most=1.2)]


def growth(ours: Clients) -> list[Row]:
    """Ten times the chunks, against ten times the time."""
    long = seconds_of_await(ours.drain("chat", 10 * CHUNKS), times=1, parts=10 * CHUNKS)
    short = _per_chunk(ours.drain("chat", CHUNKS))
    what = f"per chunk: {10 * CHUNKS:,}"
    return [Row(what=what, ours=long, floor=short, against=f"{CHUNKS:,}", at_most=1.1)]


def calls(url: str, raw: httpx.AsyncClient, ours: Clients) -> list[Row]:
    """The first text of a stream, and a whole answer at once."""

    async def first() -> None:
        async with aclosing(ours.deltas("chat", 20)) as deltas:
            async for delta in deltas:
                if delta.text:
                    break

    async def whole() -> None:
        client = ours.get("chat", 20, streaming=False)
        await client.chat(messages=[Message("user", "hi")], model="m")

    async def raw_whole() -> None:
        response = await raw.post(f"{url}/chat/20", json=ASKED)
        response.json()["choices"][0]["message"]["content"]

    raw_first = floor(raw, f"{url}/chat/20", first_only=True)
    pairs: list[tuple[str, Work, Work]] = [
        ("time to first text", first, raw_first),
        ("a whole plain call", whole, raw_whole),
    ]
    return [
        _ms(
            what,
            (seconds_of_await(mine, times=20), seconds_of_await(base, times=20)),
            against="httpx",
            at_most=1.3,
        )
        for what, mine, base in pairs
    ]


def peers(url: str, ours: Clients) -> list[Row]:
    """The same stream read by what others would take."""
    mine = _per_chunk(ours.drain("chat", CHUNKS))
    rows: list[Row] = []
    for name, make in (("the openai SDK", _openai), ("pydantic-ai", _pydantic_ai)):
        try:
            theirs = _per_chunk(make(f"{url}/chat/{CHUNKS}"))
        except ImportError:
            print(f"without {name} (benchmarks/models-requirements.txt) it is not compared\n")
            continue
        rows.append(Row(what="per chunk: chat, deltas", ours=mine, floor=theirs, against=name))
    return rows


def _openai(url: str) -> Work:
    client = _optional("openai").AsyncOpenAI(api_key="a-key-of-none", base_url=url)

    async def work() -> None:
        stream = await client.chat.completions.create(stream=True, **ASKED)
        async for _ in stream:
            pass

    return work


def _pydantic_ai(url: str) -> Work:
    connect = _optional("pydantic_ai.providers.openai").OpenAIProvider
    model = _optional("pydantic_ai.models.openai").OpenAIChatModel
    provider = connect(api_key="a-key-of-none", base_url=url)
    agent = _optional("pydantic_ai").Agent(model("m", provider=provider))

    async def work() -> None:
        async with agent.run_stream("hi") as run:
            async for _ in run.stream_text(delta=True, debounce_by=None):
                pass

    return work


def _optional(name: str) -> Any:
    return importlib.import_module(name)


def imports() -> list[Row]:
    """The import of the models, against that of what they stand on."""
    pair = _import_of("agentkit.models"), _import_of(IMPORTS_FLOOR)
    against = "core's types and runtime"
    return [_ms("importing agentkit.models", pair, against=against, at_most=1.3)]


def _import_of(modules: str) -> Sample:
    program = f"import time; start = time.perf_counter(); import {modules}; "
    program += "print(time.perf_counter() - start)"

    async def sample() -> float:
        done = subprocess.run(  # noqa: ASYNC221, S603 - nothing else is to run meanwhile
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        return float(done.stdout)

    return sample


def _per_chunk(work: Work) -> Sample:
    return seconds_of_await(work, times=1, parts=CHUNKS)


def _at_once(*pair: Work) -> tuple[Sample, Sample]:
    def sample(work: Work) -> Sample:
        return seconds_of_await(lambda: asyncio.gather(*[work() for _ in range(AT_ONCE)]), times=1)

    return sample(pair[0]), sample(pair[1])


def _ms(what: str, pair: tuple[Sample, Sample], *, against: str, at_most: float) -> Row:
    ours, base = pair
    return Row(what=what, ours=ours, floor=base, against=against, at_most=at_most, unit="ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
