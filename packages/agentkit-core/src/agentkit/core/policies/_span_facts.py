"""What a span and the metrics say about a call, under the names of the GenAI conventions."""

import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Final

from agentkit.core.contracts.middleware import Call
from agentkit.core.contracts.types import (
    ChatRequest,
    Delta,
    LLMResult,
    ModelUsage,
    Price,
    Usage,
)
from agentkit.core.policies._calls import CHAT
from agentkit.core.policies._tokens import estimate_message_tokens
from agentkit.core.policies._usage import plain

__all__ = [
    "answer",
    "beside_text",
    "choice",
    "identity",
    "measure_duration",
    "measure_usage",
    "messages",
    "tool_result",
]

_MESSAGE_CAP: Final = 8 * 1024
_RESULT_CAP: Final = 4 * 1024
_NAMES_CAP: Final = 16


def identity(call: Call) -> dict[str, Any]:
    """Give the attribute that says what is called."""
    if call.kind == CHAT:
        return {"gen_ai.request.model": call.request.model}
    return {"gen_ai.tool.name": call.request.name}


def messages(request: ChatRequest) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give one event per message of *request*."""
    for message in request.messages:
        yield (
            f"gen_ai.{message.role}.message",
            {
                "role": message.role,
                "content": _capped(message.content, _MESSAGE_CAP),
                "tokens": estimate_message_tokens([message]),
            },
        )


def choice(result: LLMResult, text: str) -> dict[str, Any]:
    """Give the fields of the event for the model's answer: its *text* and what came beside it."""
    return {
        "content": _capped(text, _MESSAGE_CAP),
        "finish_reason": result.finish_reason,
        "tool_calls": _names(result),
    }


def answer(call: Call, result: LLMResult, usage: ModelUsage | Usage | None) -> dict[str, Any]:
    """Give the attributes of a chat's *result* and of the *usage* it is charged for."""
    given: dict[str, Any] = {
        "gen_ai.response.model": result.model,
        "gen_ai.response.finish_reasons": result.finish_reason,
    }
    if result.tool_calls:
        given["gen_ai.response.tool_calls"] = _names(result)
        given["gen_ai.response.tool_calls_count"] = len(result.tool_calls)
    if usage is not None:
        given |= _consumption(call, result, usage)
    return {key: value for key, value in given.items() if value is not None}


def tool_result(call: Call, result: Any, seconds: float) -> dict[str, Any]:
    """Give the fields of the event for a tool's *result*; its size is that of the uncut text."""
    text = result if isinstance(result, str) else json.dumps(result, default=str)
    return {
        "tool_name": call.request.name,
        "content": _capped(text, _RESULT_CAP),
        "result_size_bytes": len(text.encode(errors="surrogatepass")),
        "duration_ms": round(seconds * 1000, 3),
    }


def beside_text(deltas: Iterable[Delta]) -> list[Delta]:
    """Give those of *deltas* that bring anything that an attribute is made of."""
    return [
        delta
        for delta in deltas
        if delta.finish_reason
        or delta.usage
        or delta.model_usage
        or delta.tool_calls
        or delta.model
    ]


def measure_usage(call: Call, usage: ModelUsage | Usage) -> None:
    """Record the tokens of a call as metrics."""
    counted = plain(usage)
    for kind, count in (("input", counted.input_tokens), ("output", counted.output_tokens)):
        call.ctx.metrics.record_histogram(
            "gen_ai.client.token.usage", count, tags={**_tags(call), "gen_ai.token.type": kind}
        )


def measure_duration(call: Call, seconds: float, failure: Exception | None) -> None:
    """Record how long a call took, in seconds, and its *failure*."""
    tags = _tags(call)
    call.ctx.metrics.record_histogram("gen_ai.client.operation.duration", seconds, tags=tags)
    if failure is not None:
        error = {**tags, "error.type": type(failure).__name__}
        call.ctx.metrics.add_counter("gen_ai.client.error.count", 1, tags=error)


def _consumption(call: Call, result: LLMResult, usage: ModelUsage | Usage) -> dict[str, Any]:
    counted = plain(usage)
    known = not isinstance(usage, ModelUsage) or usage.cost is not None
    given: dict[str, Any] = {
        "gen_ai.usage.input_tokens": counted.input_tokens,
        "gen_ai.usage.output_tokens": counted.output_tokens,
        "gen_ai.usage.cost_usd": counted.cost_usd if known else None,
        "gen_ai.usage.cache_read_tokens": counted.cache_read_tokens or None,
        "gen_ai.usage.cache_write_tokens": counted.cache_write_tokens or None,
    }
    saved = _saved_by_cache(call, result, counted)
    if saved:
        given["gen_ai.usage.cost_saved_by_cache_usd"] = float(saved)
    return given


def _saved_by_cache(call: Call, result: LLMResult, usage: Usage) -> Decimal:
    """Give what cached tokens would have cost more, by the model's own prices if they are known."""
    prices = getattr(call.ctx, "prices", None)
    if not usage.cache_read_tokens or prices is None:
        return Decimal(0)
    price: Price | None = prices(result.model or call.request.model)
    if price is None:
        return Decimal(0)
    return usage.cache_read_tokens * (price.input - price.cache_read) / Decimal(1_000_000)


def _tags(call: Call) -> dict[str, str]:
    org = call.ctx.scope.org_id
    return {**identity(call), "agentkit.scope.org_id": "none" if org is None else str(org)}


def _names(result: LLMResult) -> str:
    names = [call.name for call in result.tool_calls]
    more = len(names) - _NAMES_CAP
    return ",".join(names[:_NAMES_CAP]) + (f",+{more} more" if more > 0 else "")


def _capped(text: str, cap: int) -> str:
    """Give *text* cut to *cap* bytes of UTF-8."""
    if len(text) <= cap // 4:
        return text
    raw = text.encode(errors="surrogatepass")
    if len(raw) <= cap:
        return text
    return raw[:cap].decode(errors="ignore") + " [truncated]"
