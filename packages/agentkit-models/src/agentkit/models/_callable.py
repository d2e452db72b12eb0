"""Any function as a model."""

import asyncio
import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, cast
from uuid import uuid4

from agentkit.core.contracts.content import AudioBlock, DocumentBlock, ImageBlock, VideoBlock
from agentkit.core.contracts.errors import UnsupportedOption
from agentkit.core.contracts.middleware import restream
from agentkit.core.contracts.types import (
    Delta,
    LLMResult,
    Message,
    ModelUsage,
    ToolCall,
    ToolSchema,
    Usage,
)
from agentkit.models._arguments import parse_arguments

__all__ = ["CallableLLM"]

_MEDIA = (AudioBlock, DocumentBlock, ImageBlock, VideoBlock)
_INPUT_NAMES = ("input_tokens", "prompt_tokens", "prompt_token_count")
_OUTPUT_NAMES = ("output_tokens", "completion_tokens", "candidates_token_count")


class CallableLLM:
    """An `LLMPort` around a function that you already have.

    *fn* is called with `system, user, model, response_format, temperature, max_tokens`, in a thread
    when it is no coroutine function; an awaitable that it returns is awaited. *chat_fn* is called
    with the arguments of `LLMPort.chat` and is what takes tools; without it a transcript is
    flattened to text for *fn*.

    What comes back may be text, a dict or an object with `content`, `usage`, `tool_calls` and so
    on, or an `LLMResult`; *to_result* maps anything else. *cost_fn* gives US dollars for a model,
    its input and its output tokens; without it the cost is unknown.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        *,
        to_result: Callable[[Any], LLMResult] | None = None,
        chat_fn: Callable[..., Any] | None = None,
        cost_fn: Callable[[str, int, int], float] | None = None,
    ) -> None:
        self._fn = fn
        self._to_result = to_result
        self._chat_fn = chat_fn
        self._cost_fn = cost_fn

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
    ) -> AsyncGenerator[Delta, None]:
        """Give the answer as one terminal delta; it raises what `chat` raises."""
        result = await self.chat(
            messages=messages,
            model=model,
            tools=tools,
            response_format=response_format,
            temperature=temperature,
            max_tokens=max_tokens,
            cache_hint=cache_hint,
        )
        yield restream(result)

    async def chat(
        self,
        *,
        messages: list[Message],
        model: str,
        tools: list[ToolSchema] | None = None,
        response_format: dict[str, Any] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        cache_hint: Any = None,
    ) -> LLMResult:
        """Give the answer of *chat_fn*, or of *fn* to the flattened transcript.

        Raises:
            UnsupportedOption: There are tools or media and no *chat_fn*; nothing was called.
            TypeError: What came back cannot be read as an answer.
            Exception: Whatever the function raises.

        """
        if self._chat_fn is None:
            if tools:
                raise UnsupportedOption("a CallableLLM takes tools with chat_fn=", option="tools")
            if any(isinstance(block, _MEDIA) for turn in messages for block in turn.blocks):
                raise UnsupportedOption("a CallableLLM takes media with chat_fn=", option="blocks")
            system, user = _flattened(messages)
            return await self.complete(
                system=system,
                user=user,
                model=model,
                response_format=response_format,
                temperature=temperature,
                max_tokens=max_tokens,
            )
        hint = {} if cache_hint is None else {"cache_hint": cache_hint}
        raw = await _called(
            self._chat_fn,
            messages=messages,
            model=model,
            tools=tools,
            response_format=response_format,
            temperature=temperature,
            max_tokens=max_tokens,
            **hint,
        )
        return self._result(raw, model)

    async def complete(
        self,
        *,
        system: str,
        user: str,
        model: str,
        response_format: dict[str, Any] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> LLMResult:
        """Give the answer of *fn*; it raises what `chat` raises."""
        raw = await _called(
            self._fn,
            system=system,
            user=user,
            model=model,
            response_format=response_format,
            temperature=temperature,
            max_tokens=max_tokens,
        )
        return self._result(raw, model)

    def _result(self, raw: Any, model: str) -> LLMResult:
        if self._to_result is not None:
            return self._to_result(raw)
        return raw if isinstance(raw, LLMResult) else _read(raw, model, self._cost_fn)


async def _called(fn: Callable[..., Any], **kwargs: Any) -> Any:
    """Give what *fn* comes to: off the loop unless it is known to be made for it."""
    if _is_async(fn):
        value = fn(**kwargs)
    else:
        value = await asyncio.to_thread(_contained, fn, kwargs)
    return await value if inspect.isawaitable(value) else value


def _contained(fn: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
    """Call *fn*; a future takes no StopIteration, and whoever awaits it would wait for ever."""
    try:
        return fn(**kwargs)
    except StopIteration as exc:
        raise RuntimeError("the function raised StopIteration") from exc


def _is_async(fn: Any) -> bool:
    while isinstance(fn, functools.partial):
        fn = fn.func
    return inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(type(fn).__call__)


def _flattened(messages: Iterable[Message]) -> tuple[str, str]:
    """Give the system text and all the rest of a transcript as two texts."""
    turns = list(messages)
    system = "\n\n".join(turn.content for turn in turns if turn.role == "system")
    others = [turn for turn in turns if turn.role != "system"]
    if len(others) == 1:
        return system, others[0].content
    return system, "\n\n".join(f"[{turn.role}] {turn.content}" for turn in others)


def _read(raw: Any, model: str, cost_fn: Callable[[str, int, int], float] | None) -> LLMResult:
    """Read an answer by the names that its fields usually have."""
    if isinstance(raw, str):
        raw = {"content": raw}
    content, calls = _field(raw, "content"), _field(raw, "tool_calls")
    if not isinstance(content, str | None) or (content is None and calls is None):
        raise TypeError(
            f"cannot read a {type(raw).__name__} as a model's answer: it has no text in `content` "
            "and no `tool_calls`; pass to_result="
        )
    served = _field(raw, "model") or model
    usage = _usage(_field(raw, "usage"), served, cost_fn)
    return LLMResult(
        content or "",
        model=served,
        provider=_field(raw, "provider") or "callable",
        finish_reason=_field(raw, "finish_reason"),
        usage=usage.to_usage(),
        tool_calls=_calls(calls or ()),
        model_usage=usage,
    )


def _field(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name)  # other keys are not looked at
    return getattr(value, name, None)


def _usage(raw: Any, model: str, cost_fn: Callable[[str, int, int], float] | None) -> ModelUsage:
    spent = Usage(_first(raw, _INPUT_NAMES), _first(raw, _OUTPUT_NAMES))
    cost = None
    if cost_fn is not None:
        cost = Decimal(str(cost_fn(model, spent.input_tokens, spent.output_tokens)))
    return ModelUsage(
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cost=cost,
        provenance="unknown" if raw is None else "reported",
    )


def _first(raw: Any, names: tuple[str, ...]) -> int:
    values = [_field(raw, name) for name in names]
    return next((int(value) for value in values if value is not None), 0)


def _calls(raw_calls: Iterable[Any]) -> tuple[ToolCall, ...]:
    """Read tool calls, in the OpenAI shape or flat; an id that is missing or taken is made anew."""
    calls: dict[str, ToolCall] = {}
    for raw in raw_calls:
        function = _field(raw, "function") or raw
        call_id = _field(raw, "id") or ""
        if not call_id or call_id in calls:
            call_id = f"call_{uuid4().hex}"
        arguments = parse_arguments(_field(function, "arguments"), cut=False)
        calls[call_id] = ToolCall(call_id, _field(function, "name") or "", arguments)
    return tuple(calls.values())
