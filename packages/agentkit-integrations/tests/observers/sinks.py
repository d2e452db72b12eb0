"""Sinks that behave badly, and what the tests of observers share."""

import asyncio
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

from agentkit.core.contracts.observation import Observation
from agentkit.core.testing import RecordingObserver

T = TypeVar("T")
ALWAYS = ("result", "error", "interrupt")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


def seen(sink: RecordingObserver) -> list[str]:
    return [f"{obs.kind} {obs.render}".strip() for obs in sink.items]


class Slow(RecordingObserver):
    """Lets every other task run before it keeps an observation."""

    async def emit(self, obs: Observation) -> None:
        await asyncio.sleep(0)
        await super().emit(obs)


class Failing(RecordingObserver):
    """Keeps an observation and fails all the same."""

    async def emit(self, obs: Observation) -> None:
        await super().emit(obs)
        raise OSError("the sink is full")


class Never:
    """Awaited, it never returns; it needs no event loop."""

    def __await__(self) -> Generator[None, None, None]:
        while True:
            yield


class Stuck(RecordingObserver):
    """Keeps an observation and never returns."""

    async def emit(self, obs: Observation) -> None:
        await super().emit(obs)
        await Never()


class FailingClose(RecordingObserver):
    """Cannot be closed."""

    async def close(self) -> None:
        await super().close()
        raise OSError("the tail is lost")
