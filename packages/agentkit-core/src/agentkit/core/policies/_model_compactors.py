"""Compactors that have a model read the older turns and put what matters in their place."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agentkit.core.contracts._checks import shown
from agentkit.core.contracts.ports import LLMPort
from agentkit.core.contracts.protocols import Ctx
from agentkit.core.contracts.types import ChatRequest, Message
from agentkit.core.policies._meter import meter
from agentkit.core.policies._tokens import estimate_message_tokens
from agentkit.core.policies._transcript import first_kept, parts_of
from agentkit.core.policies._untrusted import framed
from agentkit.core.runtime import Invoker
from agentkit.core.runtime._checks import check_count, check_functions
from agentkit.core.telemetry import run_span

__all__ = ["ImportanceFilteringCompactor", "SummarizationCompactor"]

Reader = LLMPort | Callable[[list[Message]], Awaitable[str] | str]
"""What reads the older turns: a model, or a function of them."""


@dataclass(frozen=True, slots=True)
class SummarizationCompactor:
    """Puts a summary in the place of all but the last *keep_recent* turns, past *max_tokens*.

    *summarizer* is a model, asked as *model* and charged to the run's meters, or a function of the
    older messages. It goes into a system message, framed as untrusted since tools and users said
    what it is about. A blank summary changes nothing.

    Raises:
        TypeError: A number is no whole number, or what reads is neither model nor function.
        ValueError: A number is less than 1.

    """

    summarizer: Reader
    model: str = ""
    max_tokens: int = 12_000
    keep_recent: int = 4
    estimate: Callable[[Sequence[Message]], int] = estimate_message_tokens

    def __post_init__(self) -> None:
        check_count("max_tokens", self.max_tokens, at_least=1)
        check_count("keep_recent", self.keep_recent, at_least=1)
        check_functions(estimate=self.estimate)
        _check_reader(self.summarizer)

    async def compact(self, messages: list[Message], ctx: Ctx) -> list[Message]:
        """Give the transcript with its older turns summarised."""
        if self.estimate(messages) <= self.max_tokens:
            return messages
        task = _Task(
            "compact.summarize",
            "Summarise this conversation. Keep facts, decisions, names, numbers and what is open.",
            "[Summary of {count} earlier turns]",
        )
        reading = _Reading(self.summarizer, task, model=self.model, ctx=ctx)
        return await reading.shortened(messages, self.keep_recent)


@dataclass(frozen=True, slots=True)
class ImportanceFilteringCompactor:
    """Puts the key points in the place of all but the last *keep_recent* turns, past *max_tokens*.

    *filterer* is a model, asked as *model* and charged to the run's meters, or a function of the
    older messages. They go into a system message, framed as untrusted since tools and users said
    what they are about. A blank answer changes nothing.

    Raises:
        TypeError: A number is no whole number, or what reads is neither model nor function.
        ValueError: A number is less than 1.

    """

    filterer: Reader
    model: str = ""
    max_tokens: int = 12_000
    keep_recent: int = 2
    estimate: Callable[[Sequence[Message]], int] = estimate_message_tokens

    def __post_init__(self) -> None:
        check_count("max_tokens", self.max_tokens, at_least=1)
        check_count("keep_recent", self.keep_recent, at_least=1)
        check_functions(estimate=self.estimate)
        _check_reader(self.filterer)

    async def compact(self, messages: list[Message], ctx: Ctx) -> list[Message]:
        """Give the transcript with its older turns reduced to what matters."""
        if self.estimate(messages) <= self.max_tokens:
            return messages
        task = _Task(
            "compact.importance",
            "List, one per line, the points of this conversation that its rest depends on.",
            "[Key points from earlier context]",
        )
        reading = _Reading(self.filterer, task, model=self.model, ctx=ctx)
        return await reading.shortened(messages, self.keep_recent)


def _check_reader(reader: object) -> None:
    if not isinstance(reader, LLMPort) and not callable(reader):
        raise TypeError(f"what reads older turns is an LLMPort or a function; got {shown(reader)}")


@dataclass(frozen=True, slots=True)
class _Task:
    span: str
    instruction: str
    heading: str


class _Reading:
    """One reading of older turns."""

    def __init__(self, reader: Any, task: _Task, *, model: str, ctx: Any) -> None:
        self._reader = reader
        self._model = model
        self._task = task
        self._ctx = ctx

    async def shortened(self, messages: list[Message], keep_recent: int) -> list[Message]:
        """Give *messages* with what was read in the place of the older turns."""
        parts = parts_of(messages)
        cut = first_kept(parts.turns, keep_recent)
        older = parts.turns[:cut]
        if not older:
            return messages
        attrs = {"agentkit.compact.messages": len(older)}
        async with run_span(self._ctx, self._task.span, "compact", **attrs):
            text = await self._read(older)
        if not text.strip():
            return messages
        heading = self._task.heading.format(count=len(older))
        # Tools and users said what was read: in a system message it must not pass for its author's.
        told = f"{heading}\n{framed(text, source='summary')}"
        return [*parts.prefix, Message("system", told), *parts.turns[cut:]]

    async def _read(self, older: list[Message]) -> str:
        if not isinstance(self._reader, LLMPort):
            text = self._reader(older)
            return str(await text if inspect.isawaitable(text) else text)
        told = "\n".join(f"{message.role}: {_line(message)}" for message in older)
        asked = [Message("system", self._task.instruction), Message("user", told)]
        invoker = Invoker(llm=self._reader, chat_middleware=[meter()])
        result = await invoker.chat(ChatRequest(asked, self._model), self._ctx)
        return result.content


def _line(message: Message) -> str:
    calls = [f"{call.name}({dict(call.arguments)})" for call in message.tool_calls]
    return " ".join([message.content, *calls]).strip()
