"""Token counts of the messages API in our scheme."""

from typing import Any

from agentkit.core.contracts.types import ModelUsage
from agentkit.models.codecs._cost import stated_cost
from agentkit.models.codecs._json import as_dict, count

__all__ = ["usage_from"]


def usage_from(usage: dict[str, Any]) -> ModelUsage:
    """Give the usage in the provider's object; of unknown provenance when it holds none.

    The API counts what was read from a cache and what was written to one beside the input. Its
    split by time to live may be of an earlier moment than the sum, so what the split leaves over is
    the cheaper kind, five minutes.
    """
    read = count(usage.get("cache_read_input_tokens"))
    minutes, hours = _cache_writes(usage)
    fresh, output = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
    if not any((fresh, read, minutes, hours, output)):
        return ModelUsage()
    details = as_dict(usage.get("output_tokens_details"))
    return ModelUsage(
        input_tokens=fresh + read + minutes + hours,
        cached_tokens=read,
        cache_write_5m_tokens=minutes,
        cache_write_1h_tokens=hours,
        output_tokens=output,
        reasoning_tokens=min(count(details.get("thinking_tokens")), output),
        cost=stated_cost(usage, {}),
        provenance="reported",
    )


def _cache_writes(usage: dict[str, Any]) -> tuple[int, int]:
    """Give the tokens written to a cache for five minutes and for an hour."""
    split = as_dict(usage.get("cache_creation"))
    minutes = count(split.get("ephemeral_5m_input_tokens"))
    hours = count(split.get("ephemeral_1h_input_tokens"))
    written = max(count(usage.get("cache_creation_input_tokens")), minutes + hours)
    return written - hours, hours
