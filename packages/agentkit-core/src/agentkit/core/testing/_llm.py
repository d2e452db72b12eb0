"""A model that answers what a test tells it to."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentkit.core.contracts._checks import as_tuple, check_kinds, check_texts
from agentkit.core.contracts.content import ContentBlock
from agentkit.core.contracts.errors import ScriptExhausted
from agentkit.core.contracts.ports import ClockPort
from agentkit.core.contracts.types import (
    ChatRequest,
    Delta,
    LLMResult,
    Message,
    ToolCall,
    ToolSchema,
    Usage,
    assemble_deltas,
)
from agentkit.core.runtime import SystemClock
from agentkit.core.runtime._checks import check_between, check_count, check_several

__all__ = ["FakeLLM", "Turn"]

_PIECE = 8
_USAGE = Usage(10, 5, 0.0001)

Responses = str | Mapping[str, str] | Callable[..., str]
"""A text for every call, texts by a part of the user's words, or what makes the text."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One scripted answer: text, tool calls, or an *error* to raise instead.

    Raises:
        TypeError: A field is of another type.

    """

    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    reasoning: str = field(default="", kw_only=True)
    blocks: tuple[ContentBlock, ...] = field(default=(), kw_only=True)
    finish_reason: str | None = field(default=None, kw_only=True)
    error: Exception | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_texts(self, "content", "reasoning")
        check_texts(self, "finish_reason", optional=True)
        check_kinds(self, "usage", Usage, wanted="a Usage", optional=True)
        check_kinds(self, "error", Exception, wanted="an exception", optional=True)
        as_tuple(self, "tool_calls", ToolCall, wanted="a ToolCall")
        as_tuple(self, "blocks", ContentBlock, wanted="a content block")

    def __hash__(self) -> int:
        return hash((self.content, self.tool_calls))


class FakeLLM:
    """An `LLMPort` without a model behind it, streaming in pieces of eight characters.

    *responses* is one text for every call; or texts by a part of the user's words, where words that
    match none raise `ScriptExhausted`; or a function of `system`, `user` and `model`. The first
    *fail_times* calls raise *fail_exc* before any output. `calls` counts, `requests` keeps them.
    """

    def __init__(
        self,
        responses: Responses = "{}",
        *,
        usage: Usage | None = None,
        fail_times: int = 0,
        fail_exc: Exception | None = None,
        delay: float = 0.0,
        turns: Sequence[Turn] | None = None,
        repeat_last: bool = False,
        clock: ClockPort | None = None,
    ) -> None:
        _check_script(responses, turns)
        check_count("fail_times", fail_times)
        check_between("delay", delay, low=0)
        self._always = Turn(responses) if isinstance(responses, str) else None
        self._responses: Mapping[str, str] | Callable[..., str] = (
            {} if isinstance(responses, str) else responses
        )
        self._usage = _USAGE if usage is None else usage
        self._fail_times = fail_times
        self._fail_exc = fail_exc or TimeoutError("temporary upstream timeout")
        self._delay = delay
        self._turns = None if turns is None else tuple(turns)
        self._taken = 0
        self._repeat_last = repeat_last
        self._clock = clock or SystemClock()
        self.requests: list[ChatRequest] = []

    @classmethod
    def script(cls, turns: Sequence[Turn], *, repeat_last: bool = False, **knobs: Any) -> "FakeLLM":
        """Give a model that answers *turns* one after the other.

        Asking for more raises `ScriptExhausted`, unless *repeat_last* repeats the last one.
        """
        return cls(turns=turns, repeat_last=repeat_last, **knobs)

    @property
    def calls(self) -> int:
        """How many requests came, the failed ones included."""
        return len(self.requests)

    @property
    def unused_turns(self) -> tuple[Turn, ...]:
        """The scripted turns that nobody asked for."""
        return (self._turns or ())[self._taken :]

    async def stream(
        self,
        *,
        messages: list[Message],
        model: str,
        tools: list[ToolSchema] | None = None,
        response_format: dict[str, Any] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        cache_hint: Any = None,
    ) -> AsyncIterator[Delta]:
        """Give the answer in pieces, and a terminal delta with everything else.

        Raises:
            ScriptExhausted: There is no answer for this call.

        """
        request = ChatRequest(
            messages, model, tools, response_format, temperature, max_tokens, cache_hint
        )
        self.requests.append(request)
        if self._delay:
            await self._clock.sleep(self._delay)
        if self.calls <= self._fail_times:
            raise self._fail_exc
        for delta in self._answer(self._next_turn(request), model):
            yield delta

    async def chat(self, **request: Any) -> LLMResult:
        """Give what `stream` adds up to."""
        return assemble_deltas([delta async for delta in self.stream(**request)])

    async def complete(self, *, system: str, user: str, model: str, **settings: Any) -> LLMResult:
        """Give the answer to one system and one user message."""
        messages = [Message("system", system)] if system else []
        return await self.chat(messages=[*messages, Message("user", user)], model=model, **settings)

    def _next_turn(self, request: ChatRequest) -> Turn:
        if self._turns is None:
            return self._always or Turn(self._response(request))
        if self._taken < len(self._turns):
            self._taken += 1
            return self._turns[self._taken - 1]
        if self._repeat_last and self._turns:
            return self._turns[-1]
        raise ScriptExhausted(
            f"the script has {len(self._turns)} turns, and one more was asked for"
        )

    def _response(self, request: ChatRequest) -> str:
        user = _last_text(request, "user")
        if callable(self._responses):
            return self._responses(
                system=_last_text(request, "system"), user=user, model=request.model
            )
        for part, response in self._responses.items():
            if part in user:
                return response
        raise ScriptExhausted(f"no response is scripted for {user!r}")

    def _answer(self, turn: Turn, model: str) -> list[Delta]:
        if turn.error is not None:
            raise turn.error
        text = turn.content
        deltas = [Delta(text[at : at + _PIECE]) for at in range(0, len(text), _PIECE)]
        if turn.reasoning:
            deltas.insert(0, Delta(reasoning=turn.reasoning))
        deltas.append(
            Delta(
                model=model,
                usage=self._usage if turn.usage is None else turn.usage,
                provider="fake",
                finish_reason=turn.finish_reason or ("tool_calls" if turn.tool_calls else "stop"),
                tool_calls=turn.tool_calls,
                blocks=turn.blocks,
            )
        )
        return deltas


def _check_script(responses: object, turns: object) -> None:
    if not isinstance(responses, str | Mapping) and not callable(responses):
        raise TypeError(f"responses are text, texts by words, or a function; got {responses!r}")
    for turn in check_several("turns", () if turns is None else turns):
        if not isinstance(turn, Turn):
            raise TypeError(f"each of turns is a Turn; got {turn!r}")


def _last_text(request: ChatRequest, role: str) -> str:
    texts = [message.content for message in request.messages if message.role == role]
    return texts[-1] if texts else ""
