"""What the suites of both model contracts share: their hooks, and an answer in one form."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from agentkit.core.contracts.errors import ProviderError
from agentkit.core.contracts.types import ChatRequest, Message, ToolCall
from agentkit.testing._play import Played
from agentkit.testing.suites._clause import hook
from agentkit.testing.suites._suite import Suite

__all__ = ["BackendSteps", "ModelSteps", "Told", "Way", "failed"]

_TURNS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An answer, whichever contract it came by.

    *tokens* are those of the input with the cached ones, the cached ones, those of the output.
    """

    text: str
    reasoning: str
    calls: tuple[ToolCall, ...]
    finish_reason: str | None
    tokens: tuple[int, int, int]


Way = Callable[[], Awaitable[Told]]
"""One of the ways to ask for a whole answer."""


class BackendSteps(Suite):
    """The hooks of whatever asks a model's backend."""

    @hook
    async def play(self, script: Sequence[Played]) -> None:
        """Make the backend answer *script* from now on, its last item again and again.

        An adapter that lacks a feature raises NotImplementedError for a turn that has it.
        """
        raise NotImplementedError

    @hook
    async def requests(self) -> int:
        """Give how many model calls the backend has seen."""
        raise NotImplementedError

    @hook
    async def unfinished(self) -> int:
        """Give how many answers the backend is still sending, after a moment to stop."""
        raise NotImplementedError

    @hook
    def secret(self) -> str:
        """Give the credential that the adapter was made with."""
        raise NotImplementedError

    async def asked(self, count: int = 1) -> None:
        """Return once the backend has seen *count* calls, and had turns to say what it will."""
        while await self.requests() < count:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0)
        for _ in range(_TURNS):
            await asyncio.sleep(0)


class ModelSteps(BackendSteps):
    """How a clause asks a model, whatever its contract is."""

    model: str = "scripted"
    """The model that clauses ask for."""

    def ways(self, model: Any, request: ChatRequest) -> list[Way]:
        """Give every way in which the contract lets one ask *model* for a whole answer."""
        raise NotImplementedError

    def stream(self, model: Any, request: ChatRequest) -> AsyncIterator[Any]:
        """Begin to ask *model*."""
        raise NotImplementedError

    def text_of(self, increment: Any) -> str:
        """Give the visible text in an increment."""
        raise NotImplementedError

    def thought_of(self, increment: Any) -> str:
        """Give the reasoning in an increment."""
        raise NotImplementedError

    def asking(self, *messages: Message, **settings: Any) -> ChatRequest:
        """Give a request of *messages*, or of one that says hello."""
        return ChatRequest(list(messages) or [Message("user", "hello")], self.model, **settings)

    async def told(self, model: Any, request: ChatRequest | None = None) -> Told:
        """Give the one answer that every way of asking comes to."""
        first, *others = [await way() for way in self.ways(model, request or self.asking())]
        for other in others:
            assert other == first
        return first

    async def said(self, model: Any, request: ChatRequest | None = None) -> str:
        """Give the text that a stream brings."""
        stream = self.stream(model, request or self.asking())
        return "".join([self.text_of(increment) async for increment in stream])

    async def read(self, stream: AsyncIterator[Any], text: list[str]) -> None:
        """Read *stream* to its end, and add its text to *text* as it comes."""
        async for increment in stream:
            text.append(self.text_of(increment))  # noqa: PERF401 - it may break off


async def failed(way: Callable[[], Awaitable[object]]) -> ProviderError:
    """Give the error in which *way* must end."""
    with pytest.raises(ProviderError) as raised:
        await way()
    return raised.value
