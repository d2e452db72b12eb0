"""Recorded chat-completions answers, through the codec and through the client.

What an official SDK read otherwise, and why we do not:

    tool calls with one index and two ids   two calls; the SDK glues ids, names and arguments
    id and name in every fragment           one call; the SDK repeats both
    content as a list of parts              reasoning is kept; the SDK loses it
    first chunk without an id               the first id that is one; the SDK keeps the empty one
    a stream cut short                      an error; the SDK gives the part as if it were all
    a success that is no answer             an error; the SDK gives an object without choices
"""

from decimal import Decimal
from typing import Any

import pytest
from replay import (
    CHUNKINGS,
    AnyCost,
    Anything,
    Exchange,
    blocks_of,
    decoded,
    found,
    over_http,
    wanted,
)

from agentkit.core.contracts.content import ErrorBlock, ThinkingBlock
from agentkit.core.contracts.llm import CompletionEvent, ModelUsage
from agentkit.core.contracts.types import RAW_ARGUMENTS
from agentkit.models.codecs.chat_completions import ResponseDecoder
from agentkit.models.providers import OpenAICompatibleLLM


@pytest.mark.parametrize("chunking", CHUNKINGS)
def test_the_codec_reads_what_the_oracle_read(exchange: Exchange, chunking: str) -> None:
    for outcome in decoded(exchange, chunking, ResponseDecoder):
        assert found(outcome, _read) == wanted(exchange["expected"], _more)


def test_the_client_reads_what_the_oracle_read(exchange: Exchange) -> None:
    outcome = over_http(exchange, OpenAICompatibleLLM)

    assert found(outcome, _read) == wanted(exchange["expected"], _more)


def _read(last: CompletionEvent) -> dict[str, Any]:
    thoughts = blocks_of(last, ThinkingBlock)
    return {
        "refusal": "".join(block.message for block in blocks_of(last, ErrorBlock)),
        "reasoning_details": [i for b in thoughts for i in b.opaque.get("reasoning_details", ())],
    }


def _more(expected: dict[str, Any]) -> dict[str, Any]:
    cut = expected["finish_reason"] == "length"
    return {
        "refusal": expected["refusal"] or "",
        "tool_calls": [_wanted_call(call, cut=cut) for call in expected["tool_calls"]],
        "reasoning_details": expected.get("reasoning_details", []),
        "usage": AnyCost(_wanted_usage(expected["usage"] or expected.get("usage_x_groq"))),
    }


def _wanted_call(call: dict[str, Any], *, cut: bool) -> tuple[object, str, dict[str, Any]]:
    arguments = call["arguments"]
    if arguments is None:
        raw = call["arguments_raw"] or ""
        arguments = {RAW_ARGUMENTS: raw} if raw or cut else {}
    return call["id"] or Anything(), call["name"], arguments


# ModelUsage from the raw fields, whose dots go into an object. Of several the first that is there
# and not zero counts. What is cached or written is at most all of the input.
_FIELDS = {
    "input_tokens": ["prompt_tokens"],
    "cached_tokens": [
        "prompt_tokens_details.cached_tokens",
        "prompt_cache_hit_tokens",
        "cache_read_input_tokens",
        "cached_tokens",
    ],
    "cache_write_5m_tokens": [
        "cache_creation.ephemeral_5m_input_tokens",
        "prompt_tokens_details.cache_write_tokens",
        "cache_creation_input_tokens",
    ],
    "cache_write_1h_tokens": ["cache_creation.ephemeral_1h_input_tokens"],
    "output_tokens": ["completion_tokens"],
    "reasoning_tokens": ["completion_tokens_details.reasoning_tokens", "reasoning_tokens"],
}


def _wanted_usage(raw: dict[str, Any] | None) -> ModelUsage:
    if raw is None:
        return ModelUsage()
    counts: dict[str, int] = {
        name: next((count for path in paths if (count := _at(raw, path))), 0)
        for name, paths in _FIELDS.items()
    }
    counts["cached_tokens"] = min(counts["cached_tokens"], counts["input_tokens"])
    reasoning, output = counts["reasoning_tokens"], counts["output_tokens"]
    # Some count reasoning beside the completion: it is more, or the total is right only with it.
    if reasoning > output or raw["total_tokens"] == raw["prompt_tokens"] + output + reasoning:
        counts["output_tokens"] += reasoning
    return ModelUsage(**counts, cost=_cost(raw), provenance="reported")


def _cost(raw: dict[str, Any]) -> Decimal | None:
    cost = _at(raw, "cost.total_cost") if isinstance(raw.get("cost"), dict) else raw.get("cost")
    if cost is not None:
        return Decimal(str(cost))
    ticks = raw.get("cost_in_usd_ticks")
    return ticks * Decimal("1e-10") if ticks else None


def _at(raw: dict[str, Any], path: str) -> Any:
    value: Any = raw
    for name in path.split("."):
        value = _object(value).get(name)
    return value


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]
