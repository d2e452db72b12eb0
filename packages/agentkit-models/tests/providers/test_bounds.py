"""What bounds a call, for every client: time, memory, and the run that it belongs to."""

import asyncio
import json
import tracemalloc
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agentkit.core.contracts.errors import Cancelled, ProviderError
from agentkit.core.contracts.llm import RunMeta, TextDelta
from agentkit.core.execution.cancellation import CancellationToken
from agentkit.models.codecs import (
    anthropic_messages,
    chat_completions,
    gemini,
    ollama_chat,
)
from agentkit.models.providers import (
    AnthropicLLM,
    GeminiEmbeddings,
    GeminiLLM,
    OllamaEmbeddings,
    OllamaLLM,
    OpenAICompatibleEmbeddings,
    OpenAICompatibleLLM,
    Timeouts,
)

Ask = Callable[..., Any]

BEGIN: dict[str, Any] = {"type": "content_block_start", "index": 0}
HALVES: dict[Any, bytes] = {
    of: b"data: %s\n\n" % json.dumps(frame).encode()
    for of, frame in {
        OpenAICompatibleLLM: {"choices": [{"index": 0, "delta": {"content": "half"}}]},
        AnthropicLLM: BEGIN | {"content_block": {"type": "text", "text": "half"}},
        GeminiLLM: {"candidates": [{"content": {"parts": [{"text": "half"}]}}]},
    }.items()
} | {OllamaLLM: b'{"message": {"content": "half"}}\n'}
LLMS = list(HALVES)
EMBEDDINGS = [OpenAICompatibleEmbeddings, GeminiEmbeddings, OllamaEmbeddings]
PINGS = {of: b"\n" if of is OllamaLLM else b": ping\n\n" for of in LLMS}
MEGABYTE = 1 << 20


def embedding(of: Any) -> Callable[..., Any]:
    """Give what makes a client *of* embeddings by the names that a model's client has."""

    def make(*, default_model: str, **settings: Any) -> Any:
        return of(model=default_model, **settings)

    return make


async def embed_late(client: Any, provider: Any) -> Any:
    """Ask for a vector, and let time pass from when the provider is about it."""
    task = asyncio.create_task(client.embed(["a"]))
    await provider.received.wait()
    while not task.done():
        leap()
        await asyncio.sleep(0)
    await task


async def read_late(llm: Any, _: Any, **run: Any) -> None:
    """Read an answer, and let time pass after its first words."""
    async for _event in llm.generate_stream([], **run):
        leap()


def leap() -> None:
    loop: Any = asyncio.get_running_loop()
    loop.leap()


def with_run(meta: Callable[[], RunMeta]) -> Callable[..., Awaitable[Any]]:
    """Give what asks on behalf of a run."""

    async def use(llm: Any, _: Any) -> Any:
        return await llm.generate([], ctx=meta())

    return use


@pytest.mark.parametrize("of", LLMS)
def test_silence_is_bounded_by_the_idle_timeout(ask: Ask, of: Any) -> None:
    asked = ask(read_late, of=of, chunks=(HALVES[of],), then="silence", timeout=60)

    assert (asked.error.error_type, asked.error.error_class) == ("idle_timeout", "transient")
    assert (asked.error.partial.content, asked.error.output_started) == ("half", True)


@pytest.mark.parametrize("of", LLMS)
def test_a_stream_without_end_is_bounded_by_the_total_timeout(ask: Ask, of: Any) -> None:
    chunks, timeout = (HALVES[of], PINGS[of]), Timeouts(idle=None, total=60)
    asked = ask(read_late, of=of, chunks=chunks, then="endless", timeout=timeout)

    assert (asked.error.error_type, asked.error.error_class) == ("total_timeout", "transient")
    assert (asked.error.partial.content, len(asked.provider.bodies)) == ("half", 1)


@pytest.mark.parametrize("of", LLMS)
def test_a_connection_that_breaks_within_the_bounds_is_told_as_any_other(ask: Ask, of: Any) -> None:
    asked = ask(of=of, chunks=(HALVES[of],), then="break", timeout=Timeouts(total=3600))

    assert (asked.error.error_type, asked.error.error_class) == ("incomplete_stream", "transient")
    assert asked.error.partial.content == "half"


def test_within_the_bounds_as_well_an_answer_that_had_ended_is_whole(ask: Ask) -> None:
    end = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    chunks = (HALVES[OpenAICompatibleLLM], end)
    asked = ask(chunks=chunks, then="break", timeout=Timeouts(total=3600))

    assert (asked.error, asked.value.stop_kind) == (None, "stop")


@pytest.mark.parametrize("of", EMBEDDINGS)
@pytest.mark.parametrize(
    ("timeouts", "error_type"),
    [(Timeouts(idle=60), "idle_timeout"), (Timeouts(idle=None, total=60), "total_timeout")],
)
def test_vectors_are_waited_for_no_longer_than_a_model(
    ask: Ask, *, of: Any, timeouts: Timeouts, error_type: str
) -> None:
    asked = ask(embed_late, of=embedding(of), chunks=(b"{",), then="silence", timeout=timeouts)

    assert (asked.error.error_type, asked.error.error_class) == (error_type, "transient")


@pytest.mark.parametrize("of", LLMS)
def test_a_line_without_end_is_read_no_further_than_its_bound(ask: Ask, of: Any) -> None:
    line = HALVES[of].rstrip()[:-3] + b"x" * MEGABYTE
    asked = ask(of=of, chunks=(line, b"x" * MEGABYTE), then="endless")

    assert isinstance(asked.error, ProviderError)
    assert (asked.error.error_type, asked.error.error_class) == ("oversized_event", "permanent")


@pytest.mark.parametrize("codec", [chat_completions, anthropic_messages, gemini, ollama_chat])
def test_a_line_of_100_mb_takes_the_memory_of_its_bound(codec: Any) -> None:
    decoder = codec.ResponseDecoder()
    start = b'{"message": "' if codec is ollama_chat else b"data: "
    tracemalloc.start()
    for piece in [start, *[b"x" * MEGABYTE] * 100]:
        decoder.feed(bytes(bytearray(piece)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (decoder.is_done, peak < 24 * MEGABYTE) == (True, True)


@pytest.mark.parametrize("of", LLMS)
def test_a_body_without_end_is_read_no_further_than_its_bound(ask: Ask, of: Any) -> None:
    chunks = (b"<", (b"x" * 1023 + b"\n") * 1024)
    asked = ask(of=of, chunks=chunks, then="endless", streaming=False)

    assert (asked.error.error_type, asked.error.error_class) == ("oversized_body", "permanent")


@pytest.mark.parametrize("of", LLMS)
def test_a_run_that_is_over_asks_nothing(ask: Ask, of: Any) -> None:
    late = datetime.now(UTC) - timedelta(seconds=1)
    asked = ask(with_run(lambda: RunMeta("r", CancellationToken(), deadline=late)), of=of)

    assert repr(asked.error) == repr(Cancelled("deadline exceeded"))
    assert asked.provider.connections == 0


@pytest.mark.parametrize("then", ["silence", "endless"])
@pytest.mark.parametrize("of", LLMS)
def test_the_deadline_of_a_run_bounds_its_call(ask: Ask, of: Any, then: str) -> None:
    async def use(llm: Any, provider: Any) -> None:
        deadline = datetime.now(UTC) + timedelta(hours=1)
        await read_late(llm, provider, ctx=RunMeta("r", CancellationToken(), deadline=deadline))

    asked = ask(use, of=of, chunks=(HALVES[of], PINGS[of]), then=then, timeout=None)

    assert repr(asked.error) == repr(Cancelled("deadline exceeded"))


@pytest.mark.parametrize("then", ["silence", "endless"])
@pytest.mark.parametrize("of", LLMS)
def test_a_run_cancelled_between_chunks_hangs_up(ask: Ask, of: Any, then: str) -> None:
    token = CancellationToken()
    seen: list[Any] = []

    async def use(llm: Any, provider: Any) -> Any:
        async for event in llm.generate_stream([], ctx=RunMeta("r", token)):
            seen.append(event)
            token.cancel("enough")

    asked = ask(use, of=of, chunks=(HALVES[of],), then=then)

    assert repr(asked.error) == repr(Cancelled("enough"))
    assert seen[0] == TextDelta("half")


class _Expiring(RunMeta):
    """A run that is expired from the second time on that anybody asks."""

    asked = 0

    def check(self) -> None:
        type(self).asked += 1
        if type(self).asked > 2:
            raise Cancelled("expired")


@pytest.mark.parametrize("of", LLMS)
def test_a_run_is_asked_between_chunks_whether_it_goes_on(ask: Ask, of: Any) -> None:
    _Expiring.asked = 0
    run = with_run(lambda: _Expiring("r", CancellationToken()))

    asked = ask(run, of=of, chunks=(HALVES[of], PINGS[of]), then="endless")

    assert repr(asked.error) == repr(Cancelled("expired"))


CALLS: dict[str, Callable[[Any], Any]] = {
    "generate": lambda llm: llm.generate([]),
    "chat": lambda llm: llm.chat(messages=[], model="m"),
    "embed": lambda client: client.embed(["a"]),
}


@pytest.mark.parametrize(
    ("of", "call"),
    [
        *[(of, call) for of in LLMS for call in ("generate", "chat")],
        *[(of, "embed") for of in EMBEDDINGS],
    ],
)
def test_a_cancelled_task_hangs_up(ask: Ask, of: Any, call: str) -> None:
    async def use(client: Any, provider: Any) -> Any:
        task = asyncio.create_task(CALLS[call](client))
        await provider.received.wait()
        task.cancel()
        await asyncio.wait_for(provider.hung_up.wait(), 5)
        return task.cancelled()

    make = embedding(of) if of in EMBEDDINGS else of
    assert ask(use, of=make, chunks=(), then="silence").value is True
