"""Token counts, from the dialects of the chat-completions API to one scheme."""

from typing import Any

from agentkit.core.contracts.types import ModelUsage
from agentkit.models.codecs._cost import stated_cost
from agentkit.models.codecs._json import as_dict, count

__all__ = ["usage_from"]


def usage_from(raw: Any, *, body: dict[str, Any] | None = None) -> ModelUsage:
    """Give the usage in the provider's object *raw*; of unknown provenance when it holds none.

    *body* is the object that *raw* came in: Venice puts the cost beside the usage.
    """
    usage = as_dict(raw)
    if not (count(usage.get("prompt_tokens")) or count(usage.get("completion_tokens"))):
        return ModelUsage()
    prompt = count(usage.get("prompt_tokens"))
    cached = min(_cached(usage), prompt)
    write_5m, write_1h = _cache_writes(usage, room=prompt - cached)
    reasoning = _reasoning(usage)
    return ModelUsage(
        input_tokens=prompt,
        cached_tokens=cached,
        cache_write_5m_tokens=write_5m,
        cache_write_1h_tokens=write_1h,
        output_tokens=_output(usage, reasoning),
        reasoning_tokens=reasoning,
        cost=stated_cost(usage, as_dict(body)),
        provenance="reported",
    )


def _cached(usage: dict[str, Any]) -> int:
    """Give the tokens read from a cache, under the first of their names that holds any."""
    details = as_dict(usage.get("prompt_tokens_details"))
    return (
        count(details.get("cached_tokens"))
        or count(usage.get("prompt_cache_hit_tokens"))
        or count(usage.get("cache_read_input_tokens"))
        or count(usage.get("cached_tokens"))
    )


def _cache_writes(usage: dict[str, Any], *, room: int) -> tuple[int, int]:
    """Give the tokens written to a cache for minutes and for hours, at most *room* together."""
    split = as_dict(usage.get("cache_creation"))
    minutes = count(split.get("ephemeral_5m_input_tokens"))
    hours = count(split.get("ephemeral_1h_input_tokens")) + count(
        split.get("ephemeral_24h_input_tokens")
    )
    if not minutes and not hours:
        details = as_dict(usage.get("prompt_tokens_details"))
        minutes = count(details.get("cache_write_tokens")) or count(
            usage.get("cache_creation_input_tokens")
        )
    minutes = min(minutes, room)
    return minutes, min(hours, room - minutes)


def _reasoning(usage: dict[str, Any]) -> int:
    details = as_dict(usage.get("completion_tokens_details"))
    return count(details.get("reasoning_tokens")) or count(usage.get("reasoning_tokens"))


def _output(usage: dict[str, Any], reasoning: int) -> int:
    """Give all output tokens; some providers count reasoning beside `completion_tokens`.

    It was beside when there is more of it than completion could hold, or when the total is right
    only with it.
    """
    prompt, completion = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    total = count(usage.get("total_tokens"))
    is_beside = reasoning > completion or total == prompt + completion + reasoning
    return completion + reasoning if is_beside else completion
