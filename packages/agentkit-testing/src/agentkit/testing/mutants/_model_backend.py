"""A model's backend in this process: it plays its script as events, one suspension each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from agentkit.core.contracts.errors import Failure, ProviderError
from agentkit.core.contracts.types import Usage
from agentkit.core.testing import Turn
from agentkit.testing._play import Cut, Played, provider_error

__all__ = ["Event", "ModelBackend", "RefusedError"]

PIECE = 6
BYTES = 100
"""How many bytes of a wire format an event stands for."""
USAGE = Usage(10, 5)


@dataclass(frozen=True, slots=True)
class Event:
    """What comes next: `thought`, `text`, `call`, `error`, or the `end` with what it was."""

    kind: str
    value: Any
    usage: Usage = USAGE


class RefusedError(Exception):
    """The driver's own error: what the backend answered instead, or None where nobody answered."""

    def __init__(self, told: ProviderError | None = None) -> None:
        super().__init__("the driver speaks")
        self.told = told


class ModelBackend:
    """Plays a script; `secret` is the credential that its callers have."""

    def __init__(self) -> None:
        self.script: list[Played] = [Turn("hello")]
        self.requests = 0
        self.under_way = 0
        self.is_up = True
        self.secret = uuid4().hex

    def play(self, script: Sequence[Played]) -> None:
        """Answer *script* from now on."""
        self.script = list(script)

    async def answer(self) -> AsyncGenerator[Event]:
        """Give the next answer, event by event; RefusedError for what is no answer."""
        await asyncio.sleep(0)
        if not self.is_up:
            raise RefusedError
        self.requests += 1
        played = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        self.under_way += 1
        try:
            async for event in self._sent(played):
                await asyncio.sleep(0)
                yield event
        finally:
            self.under_way -= 1

    async def _sent(self, played: Turn | Failure | Cut) -> AsyncGenerator[Event]:
        if isinstance(played, Failure):
            if not played.partial_output:
                raise RefusedError(provider_error(played))
            yield Event("text", played.partial_output)
            yield Event("error", provider_error(played))
            return
        if isinstance(played, Turn):
            for event in _events(played):
                yield event
            return
        for event in _events(played.turn)[: played.after // BYTES]:
            yield event
        await self._end(played.then)

    async def _end(self, then: str) -> None:
        if then == "hang":
            await asyncio.Event().wait()
        if then == "reset":
            raise RefusedError


def _events(turn: Turn) -> list[Event]:
    usage = turn.usage or USAGE
    finish = turn.finish_reason or ("tool_calls" if turn.tool_calls else "stop")
    return [
        *(Event("thought", piece) for piece in _pieces(turn.reasoning)),
        *(Event("text", piece) for piece in _pieces(turn.content)),
        *(Event("call", call) for call in turn.tool_calls),
        Event("end", finish, usage),
    ]


def _pieces(text: str) -> list[str]:
    size = max(PIECE, len(text) // 200)
    return [text[at : at + size] for at in range(0, len(text), size)]
